"""Each lesson solved, and the whole of it run, on other kernels and other BERTs."""

import re

import pytest

from bertlab.course import notebooks as lessons
from bertlab.course import running
from ranges import range_of, settle


def code(lesson):
    return [cell for cell in lesson.cells if cell.cell_type == "code"]


def texts(cell):
    """Return what a cell's outputs say, one text for all that was printed; pictures are left out."""
    shown = [output.data for output in cell.outputs if "data" in output]
    printed = "".join(output.text for output in cell.outputs if "text" in output)
    return printed, [{kind: said for kind, said in data.items() if not kind.startswith("image/")} for data in shown]


def outcomes(done):
    """Return what each exercise's check says, without the reason."""
    said = [cell.outputs[0]["data"]["text/plain"] for cell in lessons.tagged(done, "check")]
    return [line.split(":")[0] for line in said]


class TestLesson:
    def test_solved_it_is_the_copy_handed_out_but_for_the_exercises(self, path, tmp_path, monkeypatch):
        monkeypatch.setattr(running, "run", lambda filled, *_: filled)
        self.compare(running.solved(path), path, tmp_path)

    @pytest.mark.slow
    def test_solved_and_run_on_the_oldest_kernels_all_checks_say_right_and_the_rest_is_as_stored(
        self, path, tmp_path, monkeypatch
    ):
        monkeypatch.setenv("ATEN_CPU_CAPABILITY", "default")  # instructions that every processor has
        done, stored = running.solved(path), lessons.read(path)
        assert outcomes(done) == ["right"] * 3
        self.compare(done, path, tmp_path)
        for mine, theirs in zip(code(done), code(stored), strict=True):
            if not {"exercise", "check", "nbval-ignore-output"} & set(theirs.metadata.get("tags", [])):
                assert mine.source == theirs.source
                if (within := range_of(theirs)) is not None:
                    settle(mine.outputs, theirs.outputs, within)
                assert texts(mine) == texts(theirs), mine.source

    def compare(self, done, path, tmp_path):
        lessons.copy_to(tmp_path)
        copied = lessons.read(tmp_path / path.name)
        assert len(done.cells) == len(copied.cells)
        changed = [mine for mine, theirs in zip(done.cells, copied.cells, strict=True) if mine.source != theirs.source]
        assert [cell.metadata.tags for cell in changed] == [
            ["exercise", f"{int(path.stem[:2])}.{n}"] for n in (1, 2, 3)
        ]
        assert [cell.metadata for cell in done.cells] == [cell.metadata for cell in copied.cells]

    @pytest.mark.slow
    def test_runs_claims_and_all_on_a_bert_of_another_shape(self, path, tiny_folder, monkeypatch):
        monkeypatch.setenv("BERTLAB_MODEL", str(tiny_folder))
        done = running.solved(path)
        assert outcomes(done) == ["right"] * 3
        outputs = [output for cell in code(done) for output in cell.outputs]
        assert not [output for output in outputs if output.get("name") == "stderr"]
        assert any("48 hidden" in output.get("data", {}).get("text/plain", "") for output in outputs)


ASKING = [path for path in lessons.paths() if any("bert.having(" in cell.source for cell in code(lessons.read(path)))]


@pytest.mark.slow
@pytest.mark.parametrize("path", ASKING, ids=lambda path: path.stem)
def test_runs_on_a_bert_saved_without_pooler_and_heads_and_each_cell_that_asks_for_them_says_so(
    path, checkpoint, monkeypatch
):
    from transformers import BertModel

    BertModel.from_pretrained(checkpoint, add_pooling_layer=False).save_pretrained(checkpoint)
    monkeypatch.setenv("BERTLAB_MODEL", str(checkpoint))
    done = running.solved(path)
    assert outcomes(done) == ["right"] * 3
    for cell in code(done):
        said = [output.text for output in cell.outputs if output.get("name") == "stderr"]
        assert len(said) == ("bert.having(" in cell.source)
        assert all(re.search(r"tiny was saved without its [\w -]+, which this section needs", line) for line in said)

"""Lessons are copied without loss, filled with their solutions, and run."""

import nbformat
import pytest
import torch

import bertlab
from bertlab import lessons
from bertlab.__main__ import main

PATHS = lessons.paths()


def notebook(*sources, tags=()):
    cells = [nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)}) for source in sources]
    return nbformat.v4.new_notebook(cells=cells)


class TestCopy:
    def test_copies_every_lesson_and_nothing_else(self, tmp_path):
        copied = lessons.copy_to(tmp_path / "work")
        assert [path.name for path in copied] == [path.name for path in PATHS]
        assert sorted(path.name for path in (tmp_path / "work").iterdir()) == [path.name for path in PATHS]

    def test_copies_have_the_cells_but_no_outputs(self, tmp_path):
        (copied, *_) = lessons.copy_to(tmp_path)
        mine, original = lessons.read(copied), lessons.read(PATHS[0])
        kept = [cell for cell in original.cells if lessons.slide_type(cell) != "notes"]
        assert [cell.source for cell in mine.cells] == [cell.source for cell in kept]
        assert [cell.metadata for cell in mine.cells] == [cell.metadata for cell in kept]
        code = [cell for cell in mine.cells if cell.cell_type == "code"]
        assert all(cell.outputs == [] and cell.execution_count is None for cell in code)

    def test_a_students_work_is_never_overwritten(self, tmp_path):
        (tmp_path / PATHS[0].name).write_text("my own work", encoding="utf-8")
        assert PATHS[0] not in lessons.copy_to(tmp_path)
        assert (tmp_path / PATHS[0].name).read_text(encoding="utf-8") == "my own work"

    def test_a_lesson_that_is_new_joins_the_others(self, tmp_path):
        (copied, *_) = lessons.copy_to(tmp_path)
        copied.unlink()
        (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
        assert lessons.copy_to(tmp_path) == [copied]

    def test_command_line(self, tmp_path, capsys):
        assert main(["copy", str(tmp_path / "work")]) == 0
        assert PATHS[0].name in capsys.readouterr().out
        assert main(["copy", str(tmp_path / "work")]) == 0
        assert "already there" in capsys.readouterr().out

    def test_students_get_no_notes_and_instructors_do(self, tmp_path, monkeypatch, capsys):
        original = nbformat.v4.new_notebook(
            cells=[
                nbformat.v4.new_markdown_cell("# 1 · A lesson", metadata={"slideshow": {"slide_type": "slide"}}),
                nbformat.v4.new_markdown_cell("Ask first.", metadata={"slideshow": {"slide_type": "notes"}}),
                nbformat.v4.new_markdown_cell("For reading.", metadata={"slideshow": {"slide_type": "skip"}}),
                nbformat.v4.new_code_cell("1 + 1"),
            ]
        )
        (tmp_path / "lessons").mkdir()
        nbformat.write(original, tmp_path / "lessons" / "01_lesson.ipynb")
        (tmp_path / "lessons" / "rise.css").write_text("body {}", encoding="utf-8")
        monkeypatch.setattr(lessons, "folder", lambda: tmp_path / "lessons")

        assert main(["copy", str(tmp_path / "work")]) == 0
        assert main(["copy", "--notes", str(tmp_path / "teach")]) == 0
        assert "01_lesson.ipynb" in capsys.readouterr().out
        for folder, expected in [("work", [0, 2, 3]), ("teach", [0, 1, 2, 3])]:
            copied = lessons.read(tmp_path / folder / "01_lesson.ipynb")
            assert [cell.id for cell in copied.cells] == [original.cells[i].id for i in expected]
        assert [path.name for path in (tmp_path / "work").iterdir()] == ["01_lesson.ipynb"]
        assert (tmp_path / "teach" / "rise.css").read_text(encoding="utf-8") == "body {}"

    def test_the_slides_style_that_an_instructor_changed_stays(self, tmp_path):
        (tmp_path / "rise.css").write_text("my own", encoding="utf-8")
        lessons.copy_to(tmp_path, notes=True)
        assert (tmp_path / "rise.css").read_text(encoding="utf-8") == "my own"

    def test_a_file_in_the_way_is_said_so(self, tmp_path, capsys):
        (tmp_path / "work").write_text("", encoding="utf-8")
        assert main(["copy", str(tmp_path / "work")]) == 1
        assert "is a file" in capsys.readouterr().err


class TestFill:
    def test_the_stub_becomes_the_solution_and_the_rest_stays(self):
        stub = notebook("def answer():\n    return None", tags=["exercise", "9.1"])
        stub.cells.append(nbformat.v4.new_code_cell("answer()"))
        filled = lessons.fill(stub, "import math\n\n\ndef answer():\n    return 42\n")
        assert [cell.source for cell in filled.cells] == ["def answer():\n    return 42", "answer()"]
        assert stub.cells[0].source.endswith("return None"), "the original is not changed"

    def test_a_stub_without_solution_is_refused(self):
        with pytest.raises(ValueError, match=r"defines \['answer'\].*\['other'\]"):
            lessons.fill(notebook("def answer(): ...", tags=["exercise"]), "def other(): ...")

    def test_a_solution_without_stub_is_refused(self):
        with pytest.raises(ValueError, match=r"answer no exercise.*other"):
            lessons.fill(notebook("x = 1"), "def other(): ...")


class TestSolve:
    @pytest.fixture
    def one_lesson(self, tmp_path, monkeypatch):
        """A folder of lessons that holds a single, small one, with an exercise and a check."""
        small = notebook("1 + 1")
        for source, tag in (("def answer():\n    return None", "exercise"), ("answer()", "check")):
            small.cells.append(nbformat.v4.new_code_cell(source, metadata={"tags": [tag, "1.1"]}))
        (tmp_path / "lessons" / "solutions").mkdir(parents=True)
        nbformat.write(small, tmp_path / "lessons" / "01_small.ipynb")
        answer = tmp_path / "lessons" / "solutions" / "01_small.py"
        answer.write_text("def answer():\n    return 42\n", encoding="utf-8")
        monkeypatch.setattr(lessons, "folder", lambda: tmp_path / "lessons")
        return tmp_path / "lessons" / "01_small.ipynb"

    def test_command_line_solves_runs_and_stores(self, one_lesson, tmp_path, capsys):
        before = one_lesson.read_bytes()
        assert main(["solve", str(tmp_path / "build" / "solved")]) == 0
        assert f"Copied to {tmp_path / 'build' / 'solved'}: 01_small.ipynb." in capsys.readouterr().out
        done = lessons.read(tmp_path / "build" / "solved" / "01_small.ipynb")
        assert [cell.outputs[0].data["text/plain"] for cell in done.cells if cell.outputs] == ["2", "42"]
        assert one_lesson.read_bytes() == before, "the lesson itself stays as it is"

    def test_nothing_is_overwritten(self, one_lesson, tmp_path, capsys):
        (tmp_path / "solved").mkdir()
        (tmp_path / "solved" / "01_small.ipynb").write_text("my notes", encoding="utf-8")
        assert main(["solve", str(tmp_path / "solved")]) == 1
        assert "already holds files" in capsys.readouterr().err
        assert [path.read_text() for path in (tmp_path / "solved").iterdir()] == ["my notes"]

    def test_a_file_in_the_way_is_said_so(self, one_lesson, tmp_path, capsys):
        (tmp_path / "solved").write_text("", encoding="utf-8")
        assert main(["solve", str(tmp_path / "solved")]) == 1
        assert "is a file" in capsys.readouterr().err

    def test_a_lesson_that_does_not_run_leaves_an_empty_folder(self, one_lesson, tmp_path):
        answers = one_lesson.parent / "solutions" / "01_small.py"
        answers.write_text("def answer():\n    return 1 / 0\n", encoding="utf-8")
        with pytest.raises(Exception, match="ZeroDivisionError"):
            lessons.solve_to(tmp_path / "solved")
        assert list((tmp_path / "solved").iterdir()) == []


class TestRun:
    def test_outputs_are_made_and_metadata_normalised(self, tmp_path):
        path = tmp_path / "small.ipynb"
        small = notebook("x = 2", "x + 1", "print('view')")
        small.cells[2].metadata["tags"] = ["view"]
        nbformat.write(small, path)
        assert main(["run", str(path)]) == 0
        done = lessons.read(path)
        assert [cell.execution_count for cell in done.cells] == [1, 2, 3]
        assert done.cells[1].outputs[0].data["text/plain"] == "3"
        assert done.cells[2].outputs == [], "views are as large as a book"
        assert done.metadata.kernelspec.name == "python3"
        assert done.metadata.rise == lessons.SLIDES
        assert "execution" not in done.cells[0].metadata

    def test_views_are_kept_where_one_asks_for_them(self):
        done = lessons.run(notebook("print('view')", tags=["view"]), views=True)
        assert done.cells[0].outputs[0].text == "view\n"

    def test_a_cell_that_raises_stops_the_run_and_leaves_the_file(self, tmp_path):
        path = tmp_path / "broken.ipynb"
        nbformat.write(notebook("1 / 0"), path)
        before = path.read_bytes()
        with pytest.raises(Exception, match="ZeroDivisionError"):
            main(["run", str(path)])
        assert path.read_bytes() == before


@pytest.fixture(scope="module")
def names(bert, twin):
    """What the checks' cells name besides the solutions, as the lessons have it but less: no lesson need run."""
    chance = torch.Generator().manual_seed(3)
    grades = (torch.arange(120) % 6).float()
    cosines = 0.8 + 0.02 * grades + 0.03 * torch.randn(120, generator=chance)
    return {
        "bertlab": bertlab,
        "bert": bert,
        "twin": twin,
        "following": [("It rained all day.", "So we stayed at home."), ("The cat was ill.", "We called the doctor.")],
        "other": [("It rained all day.", "A heart is a muscle."), ("The cat was ill.", "White opened with a pawn.")],
        "vectors": {word: (torch.randn(12, 5, 8, generator=chance), ["a", "b"] * 6) for word in ("bank", "spring")},
        "sentences": ["The cat sat on the mat.", "It rained all day."],
        "practice": cosines[::2],
        "practice_grades": grades[::2],
        "test": cosines[1::2],
    }


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_each_solution_passes_its_check(path, names):
    known = dict(names)
    exec((path.parent / "solutions" / f"{path.stem}.py").read_text(encoding="utf-8"), known)
    checks = [cell.source for cell in lessons.tagged(lessons.read(path), "check")]
    assert [eval(check, known).status for check in checks] == ["right"] * 3


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
class TestLesson:
    """A lesson solved: its cells, without a run, and what needs a whole run of it."""

    def outcomes(self, done):
        return [cell.outputs[0]["data"]["text/plain"] for cell in lessons.tagged(done, "check")]

    def test_solved_it_is_the_copy_handed_out_but_for_the_exercises(self, path, tmp_path, monkeypatch):
        monkeypatch.setattr(lessons, "run", lambda filled, cwd: filled)
        self.compare(lessons.solved(path), path, tmp_path)

    @pytest.mark.slow
    def test_solved_and_run_it_is_that_too_and_all_checks_say_right(self, path, tmp_path):
        done = lessons.solved(path)
        assert [outcome.split(":")[0] for outcome in self.outcomes(done)] == ["right"] * 3
        self.compare(done, path, tmp_path)

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
        done = lessons.solved(path)
        assert [outcome.split(":")[0] for outcome in self.outcomes(done)] == ["right"] * 3
        outputs = [output for cell in done.cells if cell.cell_type == "code" for output in cell.outputs]
        assert not [output for output in outputs if output.get("name") == "stderr"]
        assert any("48 hidden" in output.get("data", {}).get("text/plain", "") for output in outputs)

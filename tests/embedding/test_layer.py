"""What lesson 1 finds."""

import re

import pytest

from bertlab import lessons
from bertlab_teaching import running

LESSON = lessons.folder() / "01_embedding_layer.ipynb"


class TestWhatTheLessonFinds:
    """The lesson's findings are learned: the stored run shows them, a run on the untrained twin does not."""

    def found(self, notebook):
        """Return counts: words right by the table, by spelling, by the best twin; positions of model and best twin."""
        outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
        said = "\n".join(output.get("data", {}).get("text/plain", "") for output in outputs)
        words = r"\(blue; (\d+) of \d+ in all\), spelling \(orange; (\d+)\)\. Untrained twins reach \d+ to (\d+)\."
        positions = r"neighbour's: (\d+) in .+?, \d+ to (\d+) in five untrained twins"
        return [int(count) for part in (words, positions) for count in re.search(part, said).groups()]

    def test_the_shipped_model_finds_far_more_than_spelling_and_twins(self):
        right, spelling, luckiest, trained, best_twin = self.found(lessons.read(LESSON))
        assert right > 2 * spelling > 2 * luckiest
        assert trained > 2 * best_twin

    @pytest.mark.slow
    def test_the_untrained_twin_does_not(self, twin, tmp_path, monkeypatch):
        twin.model.save_pretrained(tmp_path / "twin")
        twin.tokenizer.save_pretrained(tmp_path / "twin")
        monkeypatch.setenv("BERTLAB_MODEL", str(tmp_path / "twin"))
        right, spelling, _, saved, best_twin = self.found(running.run(lessons.read(LESSON), cwd=tmp_path))
        assert right < spelling
        assert saved <= best_twin

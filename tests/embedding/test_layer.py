"""What lesson 1 finds."""

import re

import pytest

from bertlab import lessons
from bertlab_teaching import running

LESSON = lessons.folder() / "01_embedding_layer.ipynb"


class TestWhatTheLessonFinds:
    """The lesson's findings are learned: the stored run shows them, a run on the untrained twin does not."""

    def found(self, notebook):
        """Return counts: words that are right, kinds ahead and behind, positions of the model and of the best twin."""
        outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
        texts = [output.get("data", {}).get("text/plain", "") for output in outputs]
        words = next(text for text in texts if " words, spelling in" in text)
        places = next(text for text in texts if text.startswith("Cosines of the rows"))
        twins = r"[\d.]+ \([\d.]+ to ([\d.]+)\) in five untrained twins"
        counts = re.search(rf"neighbour's: (\d+) in .+?, {twins}", places)
        right, _, spelling, ahead, _, behind, nearest = map(int, re.findall(r"\d+", words)[:7])
        return right, spelling, nearest, ahead, behind, *map(float, counts.groups())

    def test_the_shipped_model_finds_more_than_every_control_and_in_nearly_all_kinds(self):
        right, spelling, nearest, ahead, behind, trained, luckiest = self.found(lessons.read(LESSON))
        assert right > spelling + nearest
        assert ahead > 20 + behind
        assert trained > 2 * luckiest

    @pytest.mark.slow
    def test_the_untrained_twin_is_ahead_of_none(self, twin, tmp_path, monkeypatch):
        twin.model.save_pretrained(tmp_path / "twin")
        twin.tokenizer.save_pretrained(tmp_path / "twin")
        monkeypatch.setenv("BERTLAB_MODEL", str(tmp_path / "twin"))
        right, spelling, _, ahead, behind, saved, luckiest = self.found(running.run(lessons.read(LESSON), cwd=tmp_path))
        assert right < spelling
        assert ahead < behind
        assert saved <= luckiest

"""What lesson 1 finds."""

import re

import pytest

from bertlab import lessons
from bertlab_teaching import running

LESSON = lessons.folder() / "01_embedding_layer.ipynb"


class TestWhatTheLessonFinds:
    """The lesson's findings are learned: the stored run shows them, a run on the untrained twin does not."""

    def found(self, notebook):
        """Return what the caption says on words; of positions, the model's count and the twins' highest."""
        outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
        texts = [output.get("data", {}).get("text/plain", "") for output in outputs]
        words = next(text for text in texts if " words (" in text)
        places = next(text for text in texts if text.startswith("Cosines of the rows"))
        twins = r"[\d.]+ \([\d.]+ to ([\d.]+)\) in five untrained twins"
        counts = re.search(rf"neighbour's: (\d+) in .+?, {twins}", places)
        return words, [float(count) for count in counts.groups()]

    def test_the_shipped_model_finds_more_than_every_control_and_says_no_more_than_its_groups_show(self):
        words, (trained, luckiest) = self.found(lessons.read(LESSON))
        right, spelling, nearest = map(int, re.search(r"in (\d+) of .+ in (\d+), nearest id in (\d+)", words).groups())
        assert right > spelling + nearest
        assert "It is not significantly ahead" in words, "six groups of words are too few"
        assert trained > 2 * luckiest

    @pytest.mark.slow
    def test_the_untrained_twin_is_ahead_of_none(self, twin, tmp_path, monkeypatch):
        twin.model.save_pretrained(tmp_path / "twin")
        twin.tokenizer.save_pretrained(tmp_path / "twin")
        monkeypatch.setenv("BERTLAB_MODEL", str(tmp_path / "twin"))
        words, (saved, luckiest) = self.found(running.run(lessons.read(LESSON), cwd=tmp_path))
        assert "ahead" not in words.replace("not significantly ahead", "")
        assert saved <= luckiest

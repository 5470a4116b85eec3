"""What lesson 1 finds."""

import re

import pytest

from bertlab import lessons
from bertlab_teaching import running

LESSON = lessons.folder() / "01_embedding_layer.ipynb"


class TestWhatTheLessonFinds:
    """The lesson's findings are learned: the stored run shows them, a run on the untrained twin does not."""

    def found(self, notebook):
        """Return the counts of the caption on words; of positions, the model's count and the twins' highest."""
        outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
        texts = [output.get("data", {}).get("text/plain", "") for output in outputs]
        words = next(text for text in texts if " words, spelling in" in text)
        places = next(text for text in texts if text.startswith("Cosines of the rows"))
        twins = r"[\d.]+ \([\d.]+ to ([\d.]+)\) in five untrained twins"
        counts = re.search(rf"neighbour's: (\d+) in .+?, {twins}", places)
        pattern = (
            r"in (?P<words>\d+) of .+ spelling in (?P<spelling>\d+) .ahead in (?P<ahead>\d+) of \d+ kinds, behind in "
        )
        words = re.search(pattern + r"(?P<behind>\d+)., nearest id in (?P<id>\d+)", words).groupdict()
        return {name: int(count) for name, count in words.items()}, [float(count) for count in counts.groups()]

    def test_the_shipped_model_finds_more_than_every_control_and_in_nearly_all_kinds(self):
        words, (trained, luckiest) = self.found(lessons.read(LESSON))
        assert words["words"] > words["spelling"] + words["id"]
        assert words["ahead"] > 20 * words["behind"]
        assert trained > 2 * luckiest

    @pytest.mark.slow
    def test_the_untrained_twin_is_ahead_of_none(self, twin, tmp_path, monkeypatch):
        twin.model.save_pretrained(tmp_path / "twin")
        twin.tokenizer.save_pretrained(tmp_path / "twin")
        monkeypatch.setenv("BERTLAB_MODEL", str(tmp_path / "twin"))
        words, (saved, luckiest) = self.found(running.run(lessons.read(LESSON), cwd=tmp_path))
        assert words["words"] < words["spelling"]
        assert words["ahead"] < words["behind"]
        assert saved <= luckiest

"""The range within which a cell that trains a model is compared: wide enough for another machine, and no wider."""

import pytest

from bertlab import lessons
from ranges import range_of


@pytest.mark.parametrize("path", lessons.paths(), ids=lambda path: path.stem)
def test_only_lessons_that_train_have_ranges_and_none_is_wide(path):
    ranges = {cell.id: range_of(cell) for cell in lessons.read(path).cells if range_of(cell) is not None}
    ranges.pop("39863c8a", None)  # one run, beside ten recorded ones that lie as far apart
    ranges.pop("e21374f1", None)  # the largest of all heads: 0.80 to 0.98 in eight runs that round otherwise
    assert all(0 < each <= 0.1 for each in ranges.values())
    assert not ranges or path.stem[:2] in ("07", "08")

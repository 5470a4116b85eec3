"""A number typed into a lesson's prose stands in the stored output of the cell that its mark names."""

import pytest

from bertlab import lessons
from typed import read_prose, stands_in, stored, unmarked, vouched

PAGES = [lessons.folder().parent / name for name in ("README.md",)]
SLIDES = [path.with_suffix(".slides.toml") for path in lessons.paths()]
PATHS = [*lessons.paths(), *SLIDES, *PAGES]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_each_typed_number_stands_in_the_output_that_its_mark_names(path):
    outputs = stored()
    for prose in read_prose(path):
        for cells, numbers in vouched(prose):
            assert numbers, f"the mark {cells} vouches for no number: {prose}"
            shown = "\n".join(outputs[cell] for cell in cells)
            missing = [number for number in numbers if not stands_in(number, shown)]
            assert not missing, f"{missing} not in {cells}:\n{shown}"


@pytest.mark.parametrize("path", [*lessons.paths(), *SLIDES], ids=lambda path: path.stem)
def test_each_number_that_was_measured_has_a_mark(path):
    assert [(prose, unmarked(prose)) for prose in read_prose(path) if unmarked(prose)] == []


def test_a_wrong_number_is_noticed_and_rounding_is_none():
    output = "It finds 44 of 60 searches (0.733)."
    assert all(stands_in(number, output) for number in ("44", "60", "73 %", "0.73", "0.7"))
    assert not any(stands_in(number, output) for number in ("45", "74 %", "0.74", "-44"))
    prose = "Before, 3 words. It finds 44 of 60 (73 %)<!-- l05-05g --> and loses 16<!-- l05-06 -->, step 3."
    assert list(vouched(prose)) == [(["l05-05g"], ["44", "60", "73 %"]), (["l05-06"], ["16"])]
    assert unmarked("There are 9. It finds 44 of 60, and 0.5<!-- fixed --> more. So 12 %.") == ["12 %"]
    assert unmarked("It has 0.53. Then 44 of 60<!-- l05-05g -->.") == ["0.53"]
    assert unmarked("In `x = 0.5`, see Devlin et al. (2019), it has 0.53.") == []

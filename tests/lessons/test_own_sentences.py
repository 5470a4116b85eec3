"""A student changes the first sentence of a lesson, and the lesson goes on."""

import re

import pytest

from bertlab import lessons

NAME = "Dr. O'Neill-Smith met ANNA at 5 p.m.!"
ONE_WORD = "Yes"
MASKED = NAME.replace("ANNA", "[MASK]")
FIRST = [  # of each lesson: the sentence, and others to put in its place
    ("01", "She saw the cat on the mat.", NAME, ONE_WORD),
    ("02", "She lost her keys.", NAME, ONE_WORD),
    ("03", "She has an account with the bank.", NAME, ONE_WORD),
    ("04", "The cat sat on the mat.", ONE_WORD),
    ("05", "In 1995, the last survey, those numbers were equal.", NAME),
    ("06", "The [MASK] sat on the mat.", MASKED),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "sentence", "other"), [(number, first, other) for number, first, *others in FIRST for other in others]
)
def test_the_lesson_runs_to_its_end_and_what_cannot_hold_says_why(number, sentence, other, small_bert, run_cell):
    (path,) = lessons.folder().glob(f"{number}_*.ipynb")
    cells = [cell for cell in lessons.handed_out(path).cells if cell.cell_type == "code"]
    names, refused = {"__name__": "__main__"}, []
    brings = next(cell for cell in cells if f'"{sentence}"' in cell.source)
    brings.source = brings.source.replace(sentence, other)
    for cell in cells:
        try:
            _, red, _ = run_cell(cell, names)
        except (ValueError, AssertionError) as error:
            refused.append(str(error))
        else:
            assert red == ""
    # A sentence that a cell can do nothing with is refused in words that a student understands.
    assert all(re.match(r"\S+( \S+){7}", why) for why in refused), refused

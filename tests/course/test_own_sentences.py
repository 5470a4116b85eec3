"""A student changes the first sentence of a lesson, and the lesson goes on."""

import re

import pytest
from nbclient import NotebookClient

from bertlab.course import notebooks as lessons

NAME = "Dr. O'Neill-Smith met ANNA at 5 p.m.!"
ONE_WORD = "Yes"
OTHER_WORDS = "We ate soup."

FIRST = {  # of each lesson: the sentence, and others to put in its place
    "01": ("She saw the cat on the mat.", [NAME, ONE_WORD, OTHER_WORDS]),
    "02": ("She lost her keys.", [NAME, ONE_WORD, OTHER_WORDS]),
    "03": ("She has an account with the bank.", [NAME, ONE_WORD, OTHER_WORDS]),
    "04": ("The cat sat on the mat.", [NAME, ONE_WORD]),  # fewer: these take longer
    "05": ("In 1995, the last survey, those numbers were equal.", [NAME]),
    "06": ("The [MASK] sat on the mat.", [NAME.replace("ANNA", "[MASK]")]),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "other"),
    [(number, other) for number, (_, others) in FIRST.items() for other in others],
)
def test_the_lesson_runs_to_its_end_and_what_cannot_hold_says_why(number, other):
    (path,) = lessons.folder().glob(f"{number}_*.ipynb")
    lesson, sentence = lessons.handed_out(path), FIRST[number][0]
    brings = next(cell for cell in lesson.cells if cell.cell_type == "code" and f'"{sentence}"' in cell.source)
    brings.source = brings.source.replace(sentence, other)
    NotebookClient(lesson, kernel_name="python3", allow_errors=True, timeout=600).execute()
    outputs = [output for cell in lesson.cells if cell.cell_type == "code" for output in cell.outputs]
    said = [(error.ename, error.evalue) for error in outputs if error.output_type == "error"]
    # A sentence that a cell can do nothing with is refused in words that a student understands.
    assert all(kind in ("ValueError", "AssertionError") and re.match(r"\S+( \S+){7}", why) for kind, why in said), said
    assert not [output.text for output in outputs if output.get("name") == "stderr"]

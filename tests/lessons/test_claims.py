"""Each headline claim of the lessons has its number in the output of a cell, and each control, or why there is none."""

import csv

import pytest

from bertlab import lessons
from typed import NUMBER, stands_in, stored

CONTROLS = ["chance", "untrained twin", "word table", "window rule", "counting words", "length and frequency"]
COLUMNS = ["lesson", "claim", "cell", "number", "unit", "seeds", *CONTROLS]
with (lessons.folder() / "claims.csv").open(encoding="utf8", newline="") as file:
    ROWS = list(csv.DictReader(file))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["cell"])
def test_a_claims_number_is_in_its_cells_output_and_each_control_was_tried_or_has_its_reason(row):
    assert list(row) == COLUMNS
    numbers = [match[0] for match in NUMBER.finditer(row["number"])]
    assert numbers, row["claim"]
    missing = [number for number in numbers if not stands_in(number, stored()[row["cell"]])]
    assert not missing, f"{missing} not in {row['cell']}: {row['claim']}"
    assert row["claim"], row
    assert row["unit"], row
    for control in CONTROLS:
        found = row[control]
        assert any(letter.isdigit() for letter in found) or found.startswith("none: "), f"{control}: {found!r}"


def test_every_lesson_has_claims():
    assert {row["lesson"] for row in ROWS} >= {path.stem[1] for path in lessons.paths()}

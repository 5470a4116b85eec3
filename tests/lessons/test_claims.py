"""Each headline claim of the lessons has its number in the output of a cell, and what it is compared with."""

import csv

import pytest

from bertlab import lessons
from typed import NUMBER, stands_in, stored

COLUMNS = ["lesson", "claim", "cell", "number", "groups", "lead", "smallest p", "rivals", "sibling"]
with (lessons.folder() / "claims.csv").open(encoding="utf8", newline="") as file:
    ROWS = list(csv.DictReader(file))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["cell"])
def test_a_claims_number_is_in_its_cells_output_and_is_compared_with_another(row):
    assert list(row) == COLUMNS
    numbers = [match[0] for match in NUMBER.finditer(row["number"])]
    assert numbers, row["claim"]
    missing = [number for number in numbers if not stands_in(number, stored()[row["cell"]])]
    assert not missing, f"{missing} not in {row['cell']}: {row['claim']}"
    assert row["claim"], row
    assert row["groups"], row
    assert NUMBER.search(row["rivals"]), row


def test_every_lesson_has_claims():
    assert {row["lesson"] for row in ROWS} >= {str(int(path.stem[:2])) for path in lessons.paths()}

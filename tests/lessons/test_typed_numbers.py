"""A number typed into a lesson's prose stands in the stored output of the cell that its mark names, a claim's too."""

import csv

import pytest

from bertlab import lessons
from typed import NUMBER, read_prose, stands_in, stored, unmarked, vouched

SLIDES = [path.with_suffix(".slides.toml") for path in lessons.paths()]
PATHS = [*lessons.paths(), *SLIDES, lessons.folder().parent / "README.md"]


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


with (lessons.folder() / "claims.csv").open(encoding="utf8", newline="") as file:
    CLAIMS = list(csv.DictReader(file))


@pytest.mark.parametrize("row", CLAIMS, ids=lambda row: row["cell"])
def test_a_claims_number_is_in_its_cells_output_and_is_compared_with_another(row):
    numbers = NUMBER.findall(row["number"])
    assert [number for number in numbers if not stands_in(number, stored()[row["cell"]])] == []
    assert all((numbers, row["claim"], row["groups"], NUMBER.search(row["rivals"]))), row
    assert {row["lesson"] for row in CLAIMS} >= {str(int(path.stem[:2])) for path in lessons.paths()}

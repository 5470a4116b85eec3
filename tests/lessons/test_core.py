"""A lesson has a core, which fits a sitting, and sections marked *further*, each of which can be left out by itself.

Part b of a lesson starts by itself, from the cell tagged `part-b`. Exercises say themselves which cells they need.
"""

import re
from string import ascii_lowercase

import pytest

from bertlab import lessons
from bertlab_teaching import solving
from names import names_of

PATHS = lessons.paths()
TWO_PARTS = [path for path in PATHS if "two sittings" in lessons.read(path).cells[0].source]
CORE = 60


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def lesson(request):
    return lessons.read(request.param)


def level(cell):
    heading = re.match(r"#+(?= )", cell.source) if cell.cell_type == "markdown" else None
    return len(heading[0]) if heading else 9


def further(cells):
    """Return the sections that are marked, each as its cells, up to the next heading of its level."""
    sections = []
    for i, cell in enumerate(cells):
        if "further" in cell.metadata.get("tags", []):
            ends = (j for j in range(i + 1, len(cells)) if level(cells[j]) <= level(cell))
            sections.append(cells[i : next(ends, len(cells))])
    return sections


def code(cells):
    """Return the cells of code, but for the exercises'."""
    skipped = {"exercise", "check"}
    return [cell for cell in cells if cell.cell_type == "code" and not skipped & set(cell.metadata.get("tags", []))]


def without(cells, left_out):
    gone = {cell.id for cell in left_out}
    return [cell for cell in cells if cell.id not in gone]


def missing(cells):
    """Return the names that code takes from cells that are not there."""
    made, lacking = set(), {}
    for cell in code(cells):
        taken, sets = names_of(cell.source, bodies=True)
        lacking |= dict.fromkeys(taken - made - sets, cell.id)
        made |= sets
    return lacking


def test_a_section_that_goes_further_says_so_in_words(lesson):
    marked = [cell.id for cell in lesson.cells if "further" in cell.metadata.get("tags", [])]
    assert marked == [cell.id for cell in lesson.cells if re.match(r"#+ .+\n\n\*Further", cell.source)]


def test_the_core_and_each_section_beside_it_need_nothing_of_another_section(lesson):
    sections = further(lesson.cells)
    every = [cell for section in sections for cell in section]
    assert missing(without(lesson.cells, every)) == {}
    for section in sections:
        others = [cell for cell in every if cell.id not in {own.id for own in section}]
        assert missing(without(lesson.cells, others)) == {}


def test_a_section_sets_no_name_that_the_rest_has_set(lesson):
    # So what comes after it is the same without it.
    for section in further(lesson.cells):
        rest = [names_of(cell.source)[1] for cell in code(without(lesson.cells, section))]
        own = [names_of(cell.source)[1] for cell in code(section)]
        assert set().union(*own) & set().union(*rest) - {"guess"} == set()


def test_two_to_four_lines_of_a_core_are_left_to_the_student_each_with_its_check_below(lesson):
    cells = [cell for cell in lesson.cells if not lessons.is_note(cell)]
    number, *_ = lesson.cells[0].source.removeprefix("# ")
    gaps = [i for i, cell in enumerate(cells) if "gap" in cell.metadata.get("tags", [])]
    break_ = next((i for i, cell in enumerate(cells) if cell.source.startswith("**Part a ends here")), len(cells))
    in_part_a = sum(i < break_ for i in gaps)
    assert len(gaps) >= 2
    assert max(in_part_a, len(gaps) - in_part_a) <= 4
    names = [f"{number}{letter}" for letter in ascii_lowercase[: len(gaps)]]
    sections = {cell.id for section in further(lesson.cells) for cell in section}
    for i, name in zip(gaps, names, strict=True):
        left, check = cells[i : i + 2]
        assert len(solving.BLANK.findall(left.source)) == 1
        assert left.metadata.tags[:2] == ["gap", name]
        assert left.id not in sections
        assert (check.metadata.tags, check.metadata.jupyter) == (["gap-check", name], {"source_hidden": True})
        call = rf'(\w+), outcome = bertlab\.checks\.gap\(\s*"{name}", lambda: \1, .+\)\noutcome'
        value = re.fullmatch(call, check.source, re.DOTALL)[1]
        assert re.search(rf"^ *({value} = None  #|def {value}\()", left.source, re.M)
        assert check.outputs[0]["data"]["text/plain"].startswith("not yet: ")


def test_the_core_of_a_sitting_fits_an_hour(lesson):
    every = [cell for section in further(lesson.cells) for cell in section]
    core = without(lesson.cells, every)
    break_ = next((i for i, cell in enumerate(core) if cell.source.startswith("**Part a ends here")), 0)
    minutes = []
    for sitting in (core[:break_], core[break_:]):
        exercises = next((i for i, cell in enumerate(sitting) if cell.source.startswith("## Exercises")), len(sitting))
        recap = next((i for i, cell in enumerate(sitting) if cell.source.startswith("## Recap")), len(sitting))
        notes = [cell.source for cell in sitting[:exercises] + sitting[recap:] if lessons.is_note(cell)]
        minutes.append(sum(int(note.partition(" min.")[0]) for note in notes))
    assert max(minutes) <= CORE
    named = " + ".join(str(taken) for taken in minutes if taken)
    assert lesson.cells[0].source.splitlines()[4].startswith(f"Core: {named} minutes")


def test_no_cell_takes_a_name_that_one_before_has_set_and_a_later_one_sets_anew(path):
    sources = [cell.source for cell in lessons.read(path).cells if cell.cell_type == "code"]
    again = {cell.source for cell in solving.tagged(lessons.read(path), "part-b")}  # sets what part a had, the same
    names = [(set(), set()) if source in again else names_of(source) for source in sources]
    for i, (found, _) in enumerate(names):
        before = set().union(*(made for _, made in names[:i]))
        after = set().union(*(made - taken for taken, made in names[i + 1 :]))
        assert found & before & after - {"guess"} == set(), sources[i]


@pytest.mark.parametrize("path", TWO_PARTS, ids=lambda path: path.stem)
def test_part_b_takes_nothing_from_part_a(path):
    assert missing(part_b(lessons.read(path).cells)) == {}


def part_b(cells):
    (start,) = [i for i, cell in enumerate(cells) if "part-b" in cell.metadata.get("tags", [])]
    return cells[start:]


def run(cells, run_cell):
    names = {"__name__": "__main__"}
    for cell in code(cells):
        run_cell(cell, names)


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in PATHS if further(lessons.read(path).cells)], ids=lambda p: p.stem)
def test_the_core_runs_alone(path, small_bert, hardly_trained, run_cell):
    lesson = lessons.read(path)
    every = [cell for section in further(lesson.cells) for cell in section]
    run(without(lesson.cells, every), run_cell)


@pytest.mark.slow
@pytest.mark.parametrize("path", TWO_PARTS, ids=lambda path: path.stem)
def test_part_b_runs_alone(path, small_bert, run_cell):
    run(part_b(lessons.read(path).cells), run_cell)

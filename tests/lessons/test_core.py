"""A lesson has a core, which fits a sitting, and sections marked *further*, each of which can be left out by itself.

Parts b and c of a lesson start by themselves, from the cells tagged `part-b` and `part-c`. Exercises say themselves
which cells they need.
"""

import builtins
import dis
import inspect
import re
from string import ascii_lowercase

import pytest

from bertlab import lessons
from bertlab.bert import loading
from bertlab_teaching import solving
from pages import sittings

PATHS = lessons.paths()
LATER = [(path, tag) for path in PATHS for tag in ("part-b", "part-c") if any(solving.tagged(lessons.read(path), tag))]
CORE = 55
AT_ONCE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # a function's body runs later
STATISTICS = r"\bp [=<]|significan|interval|\bcoins?\b|\bresampl|bootstrap|confidence|error bar|\btwo-sided|Wilson"


def names_of(source, bodies=False):
    """Return the names that a cell takes from the notebook and those that it sets; with functions' `bodies` or not."""
    found, made = set(), set()
    codes = [compile(source, "<cell>", "exec")]
    for code in codes:
        for step in dis.get_instructions(code):
            if step.opname == "STORE_NAME":
                made.add(step.argval)
            elif step.opname in ("LOAD_NAME", "LOAD_GLOBAL"):
                found |= {step.argval} - made
            elif inspect.iscode(step.argval) and (bodies or step.argval.co_name in AT_ONCE):
                codes.append(step.argval)
    return found - set(vars(builtins)) - {"display"}, made


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


def core_of(cells):
    """Return the cells of a core, up to the exercises."""
    core = without(cells, [cell for section in further(cells) for cell in section])
    end = next(i for i, cell in enumerate(core) if cell.source.startswith("## Exercises"))
    return core[:end]


def prose(cells):
    """Return the text of cells as it is read: without marks, markup, addresses and the words for a picture."""
    text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return re.sub(r"<!--.*?-->|<[^>]+>|!\[[^\]]*\]\([^)]*\)|\]\([^)]*\)", "", text, flags=re.S)


def size(cells):
    """Return the minutes that a sitting's core takes, as counted, its words, and its cells of code."""
    words = sum(re.search(r"\w", word) is not None for word in prose(cells).split())
    coded = [cell for cell in cells if cell.cell_type == "code"]
    gaps = sum("gap" in cell.metadata.get("tags", []) for cell in coded)
    drawn = [cell for cell in coded if any("image/png" in output.get("data", {}) for output in cell.outputs)]
    figures = sum("bertlab.figures.map_of_bert" not in cell.source for cell in drawn)
    lines = [line for cell in coded if not cell.metadata.get("jupyter") for line in cell.source.splitlines()]
    guesses = sum(cell.source.startswith("guess = None") for cell in coded)
    minutes = words / 110 + len([line for line in lines if line]) / 8 + len(coded) / 4
    return minutes + 5 * gaps + guesses + figures / 2, words, len(coded)


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
    number = lesson.cells[0].source.split()[1]
    gaps = [i for i, cell in enumerate(cells) if "gap" in cell.metadata.get("tags", [])]
    in_sittings = [sum("gap" in cell.metadata.get("tags", []) for cell in sitting) for sitting in sittings(cells)]
    assert len(gaps) >= 2
    assert max(in_sittings) <= 4
    names = [f"{number}{letter}" for letter in ascii_lowercase[: len(gaps)]]
    sections = {cell.id for section in further(lesson.cells) for cell in section}
    for i, name in zip(gaps, names, strict=True):
        left, check = cells[i : i + 2]
        assert len(solving.BLANK.findall(left.source)) == 1
        assert left.metadata.tags[:2] == ["gap", name]
        assert left.id not in sections
        assert (check.metadata.tags, check.metadata.jupyter) == (["gap-check", name], {"source_hidden": True})
        call = rf'# checks your .+\n(\w+), outcome = bertlab\.checks\.gap\(\s*"{name}", lambda: \1, .+\)\noutcome'
        value = re.fullmatch(call, check.source, re.DOTALL)[1]
        assert re.search(rf"^ *({value} = None  #|def {value}\()", left.source, re.M)
        assert check.outputs[0]["data"]["text/plain"].startswith("not yet: ")


def test_the_core_of_a_sitting_takes_55_minutes_as_the_notes_and_the_counted_words_say(lesson):
    core, noted = core_of(lesson.cells), []
    for sitting in sittings(core):
        notes = [cell.source for cell in sitting if lessons.is_note(cell)]
        noted.append(sum(int(note.partition(" min.")[0]) for note in notes))
        minutes, words, cells = size([cell for cell in sitting if not lessons.is_note(cell)])
        assert (minutes <= CORE, words <= 1700, cells <= 40) == (True, True, True), (minutes, words, cells)
    assert max(noted) <= CORE
    assert lesson.cells[0].source.splitlines()[4].startswith(f"Core: {' + '.join(map(str, noted))} minutes")


def test_a_core_holds_effects_and_no_statistics(lesson):
    core = [cell for cell in core_of(lesson.cells) if not lessons.is_note(cell)]
    said = [
        str(output.get("text") or output.data.get("text/plain")) for cell in core for output in cell.get("outputs", [])
    ]
    sources = [cell.source for cell in core if cell.cell_type == "code"]
    assert re.findall(STATISTICS, "\n".join([prose(core), *said, *sources]), re.I) == []


def test_no_cell_takes_a_name_that_one_before_has_set_and_a_later_one_sets_anew(path):
    sources = [cell.source for cell in lessons.read(path).cells if cell.cell_type == "code"]
    # What sets the same as the part before.
    again = {cell.source for tag in ("part-b", "part-c") for cell in solving.tagged(lessons.read(path), tag)}
    names = [(set(), set()) if source in again else names_of(source) for source in sources]
    for i, (found, _) in enumerate(names):
        before = set().union(*(made for _, made in names[:i]))
        after = set().union(*(made - taken for taken, made in names[i + 1 :]))
        assert found & before & after - {"guess"} == set(), sources[i]


@pytest.mark.parametrize(("path", "tag"), LATER, ids=str)
def test_a_later_part_takes_nothing_from_one_before(path, tag):
    cells = lessons.read(path).cells
    (start,) = [i for i, cell in enumerate(cells) if tag in cell.metadata.get("tags", [])]
    assert missing(cells[start:]) == {}


@pytest.mark.slow
def test_each_sitting_runs_alone_with_blank_gaps_on_a_bert_that_lacks_parts_and_says_which(
    path, tiny_folder, checkpoint, hardly_trained, run_cell, monkeypatch
):
    from transformers import BertConfig, BertModel

    lesson = lessons.read(path)
    core = without(lesson.cells, [cell for section in further(lesson.cells) for cell in section])
    if any("bert.having(" in cell.source for cell in code(core)):
        # Smaller than the one that takes its place, which stands in for bertlab-mini: what mixes the two fails.
        config = BertConfig.from_pretrained(checkpoint, hidden_size=32)
        BertModel(config, add_pooling_layer=False).save_pretrained(checkpoint)
        monkeypatch.setattr(loading, "SHIPPED", str(tiny_folder))
    monkeypatch.setenv("BERTLAB_MODEL", str(checkpoint))
    names = {}
    for cell in code(core):
        if not names or {"part-b", "part-c"} & set(cell.metadata.get("tags", [])):
            names = {"__name__": "__main__"}
        _, red, shown = run_cell(cell, names)
        assert bool(red) == ("bert.having(" in cell.source)
        assert re.fullmatch(r"(tiny was saved without its [\w -]+, which this section needs: .+)?", red)
        assert "gap-check" not in cell.metadata.get("tags", []) or shown[0]["text/plain"].startswith("not yet: ")

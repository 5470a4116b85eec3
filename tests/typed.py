"""Numbers typed into prose, and the invisible marks that name the cells in whose outputs they stand.

A mark follows the numbers that it vouches for: `It finds 44 of 60 (73 %)<!-- l05-05g -->.` It goes back to the mark
before, or to the beginning of the sentence. `<!-- fixed -->` marks a number that nothing measured: a setting, a sum
done by hand. A paragraph that names a paper, with its year, may hold that paper's numbers without a mark.
"""

import json
import re
from functools import cache

from bertlab import lessons
from bertlab_teaching.slides import outline

MARK = re.compile(r"(?<=\S)<!-- ([\w -]+?) -->")  # no space before it: other comments stand alone
BEGINS = re.compile(r"(?<=[.!?:;])\s+|<!--.*?-->|\n\n|^[-|\d]+\.? ", re.M)
NAMED = re.compile(r"\b(lessons?|steps?|exercises?|parts?|cells?|grades?|questions?) \d+(\.\d+)?[ab]?", re.I)
NUMBER = re.compile(r"(?<![\w.])[-−]?\d[\d,]*(?:\.\d+)?(?: ?(?:%|per cent))?")
TYPED = re.compile(r"\b\d+\.\d+\b|\b\d[\d,]* of (?:the |all )?\d[\d,]*|\b\d+ ?(?:%|per cent)")
PAPER = re.compile(r"\b(19|20)\d\d\b")


@cache
def stored():
    """Return what each cell of code of all lessons shows, in words, by the cell's id."""
    cells = [cell for path in lessons.paths() for cell in lessons.read(path).cells if cell.cell_type == "code"]
    return {cell.id: "".join(words(output) for output in cell.outputs) for cell in cells}


def words(output):
    data = output.get("data", {})
    kinds = [data[kind] for kind in ("text/plain", "text/html") if kind in data]
    return "\n".join([output.get("text", ""), *kinds])


def without_code(prose):
    """Return prose without what stands in backticks, in tables of code, in links' addresses or behind *lesson*."""
    prose = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)", " ", prose, flags=re.S)
    return NAMED.sub(" ", prose)


def unmarked(prose):
    """Return the numbers of a text that have the form of a measurement and no mark, by paragraph."""
    left = []
    for paragraph in without_code(prose).split("\n\n"):
        if PAPER.search(paragraph) or paragraph.startswith("#"):
            continue
        *marked, end = re.split(r"(?<=\S)<!-- [\w -]+? -->", paragraph)
        # What a mark vouches for ends where its sentence begins.
        free = [" ".join(BEGINS.split(part)[:-1]) for part in marked]
        left += [number[0] for part in [*free, end] for number in TYPED.finditer(part)]
    return left


def vouched(prose):
    """Yield each mark's cells with the numbers that it vouches for."""
    text = without_code(prose)
    for mark in MARK.finditer(text):
        before = BEGINS.split(text[: mark.start()])[-1]
        if mark[1] != "fixed":
            yield mark[1].split(), [number[0] for number in NUMBER.finditer(before)]


def value(number):
    """Return a typed number, the last decimal's worth, and whether it is per cent."""
    digits = re.sub(r"[^\d.-]", "", number.replace("−", "-"))
    return float(digits), 10.0 ** -len(digits.partition(".")[2]), "%" in number or "per cent" in number


def stands_in(number, output):
    """Say whether a typed number is one of an output's, rounded as it is typed."""
    typed, unit, percent = value(number)
    shown = [value(match[0])[0] for match in NUMBER.finditer(output)]
    if percent:
        shown += [100 * each for each in shown]
    return any(abs(each - typed) <= unit / 2 + 1e-9 for each in shown)


def typed_notes(sitting):
    """Return the notes of a sitting's slides that are typed in their file, and are no names of cells."""
    of_slides = [entry.get("notes", []) for entry in (sitting, *sitting["slide"], sitting.get("homework", {}))]
    listed = [notes if isinstance(notes, list) else [notes] for notes in (*of_slides, sitting.get("agenda", []))]
    return [note for notes in listed for note in notes if isinstance(note, str) and len(note.split()) > 1]


def read_prose(path):
    """Return the paragraphs of a lesson, speaker's notes too, of what is typed for its slides' notes, or of a page."""
    if path.suffix == ".md":
        return [path.read_text("utf-8")]
    if path.suffix == ".toml":
        return [note for sitting in outline.sittings(path) for note in typed_notes(sitting)]
    return ["".join(cell["source"]) for cell in json.loads(path.read_text("utf-8"))["cells"] if "outputs" not in cell]

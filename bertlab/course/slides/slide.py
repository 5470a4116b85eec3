"""A slide: read from its entry in a lesson's file of slides, with all that it names taken from the notebook."""

import re
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bertlab.course import notebooks as lessons
from bertlab.course.slides import stored

if TYPE_CHECKING:
    from nbformat import NotebookNode

MOST_CODE = 8
"""Lines of code on a slide."""

MOST_POINTS = 5
"""Points on a slide."""

LETTERS = {"title": 95, "caption": 130, "point": 150}
"""How long the texts of a slide may be: what is longer is a page to read."""

IN_ORDER = ("code", "points", "says")
"""What stands on a slide in the order in which its entry names it."""

KEYS = {"title", "part", "short", "figure", "predict", "says", "points", "code", "caption", "notes"}


@dataclass(frozen=True)
class Slide:
    """A slide, with all that it shows taken from the notebook.

    Attributes
    ----------
    title
        What it claims or asks.
    part
        The heading of the lesson's part that it belongs to.
    short
        Whether it belongs to the short path.
    figure
        What is shown large.
    options
        What a prediction may say; empty where the slide asks for none.
    says
        Sentences of the model's own.
    points, caption
        Typed; the whole caption is the picture's alternative text.
    code
        Lines, each with whether it is one that matters; ``None`` stands for lines left out.
    notes
        The speaker's, each as its paragraphs.
    order
        In which order code, points and the model's sentences stand.
    """

    title: str
    part: str
    short: bool = True
    figure: stored.Shown | None = None
    options: list[str] = field(default_factory=list)
    says: list[str] = field(default_factory=list)
    points: list[str] = field(default_factory=list)
    code: list[tuple[str, bool] | None] = field(default_factory=list)
    caption: str = ""
    notes: list[str] = field(default_factory=list)
    order: list[str] = field(default_factory=list)


class Cells:
    """A notebook's cells by their ids, and its headings."""

    def __init__(self, notebook: "NotebookNode") -> None:
        self.first = notebook.cells[0].source
        self.by_id = {cell.id: cell for cell in notebook.cells}
        shown = [cell for cell in notebook.cells if cell.cell_type == "markdown" and not lessons.is_note(cell)]
        self.headings = [match[1] for cell in shown if (match := re.match(r"#{2,3} (.+)", cell.source))]

    def __getitem__(self, name: str) -> "NotebookNode":
        if name not in self.by_id:
            raise ValueError(f"the lesson has no cell {name!r}")
        return self.by_id[name]

    def of(self, name: str, what: Any) -> Any:
        """Return what a function takes from a cell, and name the cell if there is nothing to take."""
        try:
            return what(self[name])
        except ValueError as error:
            raise ValueError(f"cell {name!r} {error}" if name in self.by_id else str(error)) from None

    def question(self) -> str:
        """Return the question that the lesson answers, which its first cell asks in bold."""
        asked = re.search(r"^\*\*(.+)\*\*$", self.first, re.M)
        if not asked:
            raise ValueError("the lesson's first cell asks no question in bold, so the sitting needs a title")
        return asked[1]

    def part(self, begins: str) -> str:
        """Return the heading that begins with some words."""
        found = [heading for heading in self.headings if re.match(rf"{re.escape(begins)}(?!\w)", heading)]
        if len(found) != 1:
            raise ValueError(f"{len(found)} headings of the lesson begin with {begins!r}")
        return found[0]

    def notes(self, entry: dict[str, Any]) -> list[str]:
        """Return the notes that an entry names or types."""
        given = entry.get("notes", [])
        notes = []
        for note in [given] if isinstance(given, str) else given:
            if len(note.split()) > 1:
                notes.append(" ".join(note.split()))
            elif not lessons.is_note(self[note]):
                raise ValueError(f"cell {note!r} holds no speaker's notes")
            else:
                notes.append(self[note].source)
        return notes


def read(entry: dict[str, Any], cells: Cells, part: str) -> Slide:
    """Return a slide with all that it names.

    Parameters
    ----------
    entry
        As `bertlab.course.slides` says.
    cells
    part
        The part that the slide before belongs to.

    Returns
    -------
    Slide

    Raises
    ------
    ValueError
        If it names what the lesson does not have, shows too much, or lacks something.
    """
    refuse(entry.keys() - KEYS, "a slide has no {}")
    points, says = entry.get("points", []), entry.get("says")
    slide = Slide(
        title=entry.get("title", ""),
        part=cells.part(entry["part"]) if "part" in entry else part,
        short=entry.get("short", True),
        figure=_figure(entry["figure"], cells) if "figure" in entry else None,
        options=cells.of(entry["predict"], stored.options) if "predict" in entry else [],
        says=_said(says if isinstance(says, dict) else {"cell": says}, cells) if says else [],
        points=points,
        code=_code(entry["code"], cells) if "code" in entry else [],
        caption=entry.get("caption", ""),
        notes=cells.notes(entry),
        order=[key for key in entry if key in IN_ORDER],
    )
    for kind, texts in {"title": [slide.title], "caption": [slide.caption], "point": points}.items():
        long = [text for text in texts if len(text) > LETTERS[kind]]
        if long:
            raise ValueError(f"a {kind} has at most {LETTERS[kind]} letters, and this one {len(long[0])}: {long[0]!r}")
    lacks = {
        "a title": not slide.title.strip(),
        "a part of the lesson to stand in": not slide.part,
        "something to look at: a figure, a prediction, points, or what the model says": not (
            slide.figure or slide.options or slide.points or slide.says
        ),
        "notes, since it asks for a prediction": bool(slide.options) and not slide.notes,
        "a figure for its caption": bool(slide.caption) and not slide.figure,
    }
    refuse({what for what, missing in lacks.items() if missing}, "it lacks {}")
    if len(points) > MOST_POINTS:
        raise ValueError(f"it has {len(points)} points, and a slide has room for {MOST_POINTS}")
    return slide


def refuse(found: set[str], why: str) -> None:
    """Refuse an entry for what was found in it, if anything was.

    Raises
    ------
    ValueError
        With the words of `why`, in which ``{}`` stands for what was found.
    """
    if found:
        raise ValueError(why.format(", ".join(sorted(found))))


def _figure(given: str | dict[str, Any], cells: Cells) -> stored.Shown:
    """Return what a cell shows: of a table, or of printed lines, all or some."""
    given = {"cell": given} if isinstance(given, str) else given
    refuse(given.keys() - {"cell", "rows", "columns", "labels"}, "`figure` has no {}")
    shown = cells.of(given["cell"], stored.shown)
    if not given.keys() - {"cell"}:
        return shown
    if isinstance(shown, stored.Printed) and given.keys() == {"cell", "rows"}:
        places = _places(given["rows"], len(shown.lines), f"lines of cell {given['cell']!r}")
        return stored.Printed([shown.lines[place] for place in places])
    if not isinstance(shown, stored.Table):
        raise ValueError(f"cell {given['cell']!r} shows no table of which there are rows or columns")
    names, labels = shown.columns, shown.labels
    without = labels if given.get("labels", True) else 0  # so many columns may lack a name
    wanted = given.get("columns", names)
    refuse(set(wanted) - set(names), f"the table of cell {given['cell']!r} has no column {{}}")
    columns = [place for place, name in enumerate(names) if (name in wanted if name else place < without)]
    count = len(shown.rows)
    rows = _places(given["rows"], count, f"rows of cell {given['cell']!r}") if "rows" in given else range(count)
    return stored.Table(
        [names[place] for place in columns],
        [[shown.rows[row][place] for place in columns] for row in rows],
        sum(place < labels for place in columns),
    )


def _said(given: dict[str, str], cells: Cells) -> list[str]:
    """Return the sentences of a cell, all or some."""
    refuse(given.keys() - {"cell", "sentences"}, "`says` has no {}")
    said = cells.of(given["cell"], stored.words)
    if "sentences" not in given:
        return said
    return [said[place] for place in _places(given["sentences"], len(said), f"sentences of cell {given['cell']!r}")]


def _code(given: dict[str, Any], cells: Cells) -> list[tuple[str, bool] | None]:
    """Return lines of a cell's source, their common indentation taken off."""
    refuse(given.keys() - {"cell", "lines", "highlight", "comments"}, "`code` has no {}")
    lines = cells[given["cell"]].source.splitlines()

    def named(begins: str) -> int:
        found = [place for place, line in enumerate(lines) if line.lstrip().startswith(begins)]
        if len(found) != 1:
            raise ValueError(f"{len(found)} lines of cell {given['cell']!r} begin with {begins!r}")
        return found[0]

    places = [named(begins) for begins in given["lines"]] if "lines" in given else list(range(len(lines)))
    hot = [named(begins) for begins in given.get("highlight", [])]
    if not 1 <= len(places) <= MOST_CODE:
        raise ValueError(f"it shows {len(places)} lines of code, and a slide has room for 1 to {MOST_CODE}")
    if sorted(set(places)) != places or not set(hot) <= set(places):
        raise ValueError(
            "it shows lines of code in another order than their cell, or highlights one that it leaves out"
        )
    texts = textwrap.dedent("\n".join(lines[place] for place in places)).splitlines()
    if not given.get("comments", True):
        texts = [re.sub(r"  # .*", "", text) for text in texts]
    shown: list[tuple[str, bool] | None] = []
    for place, text, before in zip(places, texts, [places[0] - 1, *places], strict=False):
        shown += [None] if place != before + 1 else []
        shown.append((text, place in hot))
    return shown


def _places(given: str, count: int, what: str) -> list[int]:
    """Return places, from 0, that are given as ``3-5, 8``, from 1."""
    places: list[int] = []
    for piece in given.split(","):
        ends = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", piece)
        if not ends:
            raise ValueError(f"{given!r} names no {what}: write 3-5, 8")
        places += range(int(ends[1]) - 1, int(ends[2] or ends[1]))
    if not places or min(places) < 0 or max(places) >= count or sorted(set(places)) != places:
        raise ValueError(f"{given!r} does not name {what} in their order: there are {count}")
    return places

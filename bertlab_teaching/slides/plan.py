"""The sittings of a lesson and their slides, read from its file of slides and its notebook's outputs."""

import ast
import html
import re
import textwrap
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from nbformat import NotebookNode

from bertlab import lessons
from bertlab_teaching import solving
from bertlab_teaching.slides import outline, stored
from bertlab_teaching.slides.cells import Cells

# The parts of a computed sentence that nobody reads aloud (test, p, interval in brackets); they go to the notes.
ASIDE = re.compile(r" \([^()]*(?:\btest\b|\binterval\b|\bp [=<]|\bdrawn again\b)[^()]*\)| \[-?[\d.]+, -?[\d.]+\]")


@dataclass(frozen=True)
class Slide:
    """A slide; `kind` is opening, agenda, exercise or homework if it has no entry, `live` what stands after the #."""

    title: str
    part: str
    kind: str = ""
    mark: str = ""
    short: bool = True
    figure: stored.Shown | None = None
    caption: str = ""
    text: list[tuple[str, list]] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    beyond: str = ""
    live: str = ""


@dataclass(frozen=True)
class Sitting:
    """The slides of a sitting; the name of a lesson's begins with the lesson's number."""

    name: str
    lesson: str
    slides: list[Slide]

    @property
    def label(self) -> str:
        """What the deck is called below its title: nothing, if it is the session's, the only one of its kind."""
        return f"Sitting {self.name}" if self.name[0].isdigit() else ""

    def path(self, short: bool = False) -> list[Slide]:
        """Return the slides of the path: those that fit into its minutes."""
        return [slide for slide in self.slides if not slide.beyond and (slide.short or not short)]


def read(path: Path, notebook: NotebookNode, short: bool = False) -> list[Sitting]:
    """Return the sittings of a file of slides, checked against stored outputs, with the minutes of the chosen path."""
    cells = Cells(notebook)
    first = notebook.cells[0].source
    lesson = first.partition("\n")[0].removeprefix("# ")
    question = re.search(r"^\*\*(.+)\*\*$", first, re.M)
    sittings = []
    for sitting in outline.sittings(path):
        slide = ""
        try:
            title = outline.known("sitting", sitting).get("title") or (question[1] if question else lesson)
            slides = [Slide(title, part="", kind="opening", notes=_notes(sitting, cells))]
            for entry in sitting.get("slide", []):
                slide = f", slide {entry.get('title', '')!r}"
                slides.append(_slide(outline.known("slide", entry), cells, slides[-1].part))
            slide = ""
            slides = _planned(slides, sitting, cells, short) if "plan" in sitting else slides
            if "homework" in sitting:
                entry = outline.known("homework", sitting["homework"])
                text = [("points", entry["points"])]
                slides.append(Slide("To do at home", "", "homework", text=text, notes=_notes(entry, cells)))
        except ValueError as error:
            raise ValueError(f"{path.name}, sitting {sitting['name']}{slide}: {error}.") from None
        sittings.append(Sitting(sitting["name"], lesson, slides))
    return sittings


def picture(lesson: Path, notebook: NotebookNode) -> stored.Picture | None:
    """Return a lesson's opening image, from the cell that its file of slides names, if it names one."""
    path = outline.of(lesson)
    name = tomllib.loads(path.read_text("utf-8")).get("picture") if path else None
    shown = Cells(notebook).take(stored.shown, name) if name else None
    if not isinstance(shown, stored.Picture | None):
        raise ValueError(f"cell {name!r} shows no picture")
    return shown


def _planned(slides: list[Slide], sitting: dict[str, Any], cells: Cells, short: bool) -> list[Slide]:
    """Return a sitting's slides with those that follow from its plan: the agenda and the exercises."""
    opening, *slides = slides
    minutes = {part: row[0 if short else 1] for part, *row in sitting["plan"]}
    aims = _aims(cells.notebook)
    agenda = Slide(
        title=f"The plan of {sum(minutes.values())} minutes, and what you will be able to do after them",
        part="",
        kind="agenda",
        figure=_agenda(minutes, cells.headings),
        text=[("points", outline.some(aims, sitting["aims"], "aims") if "aims" in sitting else aims)],
        notes=_notes({"notes": sitting.get("agenda", [])}, cells),
    )
    for part, in_short, *_ in sitting["plan"]:
        if part.startswith("Exercise") and minutes[part]:
            title, text, note = _exercise(cells.notebook, part.split()[1])
            mark = f"{part}, {minutes[part]} minutes"
            slides.append(Slide(title, part, "exercise", mark, in_short > 0, text=text, notes=[note]))

    def place(slide: Slide) -> int:
        begins = [i for i, part in enumerate(minutes) if re.match(rf"{re.escape(part)}(?!\w)", slide.part)]
        return outline.only(begins, f"parts of the plan are {slide.part!r}")

    done, begun = [replace(opening, notes=_untimed(opening.notes)), agenda], set()
    for slide in sorted(slides, key=place):
        part, taken = list(minutes.items())[place(slide)]
        notes = _untimed(slide.notes)
        if taken and part not in begun and (slide.short or not short):
            begun.add(part)
            notes = [f"{part}: {taken} minutes.", *notes]
        beyond = slide.beyond if taken else f"beyond the {sum(minutes.values())} minutes"
        done.append(replace(slide, notes=notes, beyond=beyond))
    return done


def _untimed(notes: list[str]) -> list[str]:
    """Return notes without a lesson's minutes, because each path has its own."""
    return list(filter(None, (re.sub(r"^\d+ min\.(\n\n|$)", "", note) for note in notes)))


def _slide(entry: dict[str, Any], cells: Cells, part: str) -> Slide:
    """Return a slide; without a part of its own it belongs to the part of the previous slide."""
    text: list[tuple[str, list]] = []
    notes = _notes(entry, cells)
    asked = entry.get("predict", [])
    options = asked if isinstance(asked, list) else cells.take(stored.options, asked)
    points = entry.get("points", [])
    if options and all(re.fullmatch("[a-d]", option) for option in options):  # the points say what the letters mean
        meant = {point[0]: point[3:] for point in points if re.match("[a-d]: ", point)}
        if list(meant) != options:
            raise ValueError(f"the guess offers {', '.join(options)}, and its points say what {', '.join(meant)} mean")
        options, points = list(meant.values()), [point for point in points if not re.match("[a-d]: ", point)]
    for key, value in entry.items():
        if key == "points":
            text.extend([(key, points)] if points else [])
        elif key == "code":
            text.append((key, _code(outline.named(key, value), cells)))
        elif key == "says":
            of_cells = value if isinstance(value, list) else [value]
            sentences = [sentence for cell in of_cells for sentence in _sentences(outline.named(key, cell), cells)]
            text.append((key, [ASIDE.sub("", sentence) for sentence in sentences]))
            notes += [f"EXACTLY: {sentence}" for sentence in sentences if ASIDE.search(sentence)]
    slide = Slide(
        title=entry.get("title", ""),
        part=cells.part(entry["part"]) if "part" in entry else part,
        mark="Predict" if options else "",
        short=entry.get("short", True),
        figure=_figure(outline.named("figure", entry["figure"]), cells) if "figure" in entry else None,
        caption=entry.get("caption", ""),
        text=text,
        options=options,
        notes=notes,
        live=urlencode(parse_qsl(entry.get("live", ""), strict_parsing="live" in entry), quote_via=quote),
    )
    if not slide.title or not slide.part:
        raise ValueError("it lacks a title, or a part of the lesson to stand in")
    if not (slide.figure or slide.options or {"points", "says"} & entry.keys()):
        raise ValueError("it lacks something to look at: a figure, a prediction, points, or what the model says")
    if slide.caption and not slide.figure:
        raise ValueError("it has a caption and no figure")
    return slide


def _notes(entry: dict[str, Any], cells: Cells) -> list[str]:
    """Return the speaker's notes, one or several."""
    notes = entry.get("notes", [])
    return [cells.note(note) for note in (notes if isinstance(notes, list) else [notes])]


def _figure(entry: dict[str, Any], cells: Cells) -> stored.Shown:
    """Return what a cell shows, or the chosen rows and columns of a table or of printed lines."""
    figure, name = cells.take(stored.shown, entry["cell"]), entry["cell"]
    if "rows" in entry:
        if not isinstance(figure, stored.Table | stored.Printed):
            raise ValueError(f"cell {name!r} shows no table or lines of which there are rows")
        figure = figure._replace(rows=outline.some(figure.rows, entry["rows"], f"rows of cell {name!r}"))
    for key, purpose in (("columns", ""), ("bars", " to draw as bars")):
        missing = ", ".join(sorted(set(entry.get(key, ())) - set(getattr(figure, "columns", []))))
        if missing:
            raise ValueError(f"cell {name!r} shows no table with a column {missing}{purpose}")
        if key == "columns" and key in entry:
            figure = figure.only(entry["columns"])
    if "bars" in entry:
        figure = figure._replace(bars=entry["bars"], full=entry.get("full", 1.0), line=entry.get("line"))
    return figure


def _sentences(entry: dict[str, str], cells: Cells) -> list[str]:
    """Return the sentences of a cell, all or some."""
    sentences = cells.take(stored.words, entry["cell"])
    if "sentences" not in entry:
        return sentences
    return outline.some(sentences, entry["sentences"], f"sentences of cell {entry['cell']!r}")


def _code(entry: dict[str, Any], cells: Cells) -> list[tuple[str, bool]]:
    """Return lines of a cell's source without common indentation, each with whether it is highlighted."""
    lines = cells[entry["cell"]].source.splitlines()

    def number(begins: str) -> int:
        numbers = [i for i, line in enumerate(lines) if line.lstrip().startswith(begins)]
        return outline.only(numbers, f"lines of cell {entry['cell']!r} begin with {begins!r}")

    numbers = [number(begins) for begins in entry["lines"]] if "lines" in entry else list(range(len(lines)))
    highlighted = [number(begins) for begins in entry.get("highlight", [])]
    if sorted(set(numbers)) != numbers or not set(highlighted) <= set(numbers):
        raise ValueError("it shows lines of code in another order than their cell, or highlights one that is left out")
    texts = textwrap.dedent("\n".join(lines[i] for i in numbers)).splitlines()
    code: list[tuple[str, bool]] = []
    for i, text in zip(numbers, texts, strict=True):
        if code and i - 1 not in numbers:
            code.append(("...", False))
        code.append((text if entry.get("comments", True) else re.sub(r"  # .*", "", text), i in highlighted))
    return code


def _aims(notebook: NotebookNode) -> list[str]:
    """Return the aims of a lesson without their numbers, with the verbs emphasised."""
    (cell,) = [cell for cell in notebook.cells if cell.source.startswith("## You will be able to")]
    return [aim.replace("**", "*") for aim in re.findall(r"^\d\. (.+)[,.]$", cell.source, re.M)]


def _agenda(minutes: dict[str, int], headings: Sequence[str]) -> stored.Table:
    """Return a table of the parts that take time, under their headings if they have one, with their minutes."""
    titles = {part: next((heading for heading in headings if heading.startswith(f"{part}:")), part) for part in minutes}
    rows = [[titles[part], str(taken)] for part, taken in minutes.items() if taken]
    return stored.Table(["part", "minutes"], rows, 1)


def _exercise(notebook: NotebookNode, number: str) -> tuple[str, list[tuple[str, list]], str]:
    """Return an exercise's title, its text on a slide (stub's docstring and first line, first hint), and its note."""
    (stub,) = solving.tagged(notebook, "exercise", number)
    (function,) = solving.functions(stub.source)
    (text,) = [cell.source for cell in notebook.cells if cell.source.startswith(f"### {number} ")]
    title = text.partition("\n")[0].removeprefix(f"### {number} ").partition(" · ")[0]
    task = re.sub(r", \([^()]*,[^()]*\)\.$", ".", ast.get_docstring(function) or "")  # without its shape
    names = "|".join(argument.arg for argument in function.args.args)
    task = re.sub(rf"\b({names})\b", r"`\1`", task)
    hint = re.findall(r"<summary>Hint 1</summary>(.+?)</details>", text, re.S)[0]
    hint = html.unescape(re.sub(r"</?i>", "*", re.sub(r"</?code>", "`", hint)))  # in the markup of slides
    shown = [("points", [task]), ("code", [(stub.source.partition("\n")[0], False)])]
    note = next(cell.source for cell in notebook.cells[notebook.cells.index(stub) :] if lessons.is_note(cell))
    return title, [*shown, ("points", [f"*First hint.* {hint}"])], note

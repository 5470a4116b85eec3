"""A lesson's stored outputs in a form that slides can show: pictures, views, tables, printed lines, words."""

import html
import re
from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree

from nbformat import NotebookNode

from bertlab.attention import views

WIDTH = 100  # where lessons wrap printed lines: ``textwrap.fill(text, 100)``
# A number, perhaps with its interval or range, or nothing.
NUMBER = re.compile(r"((< )?[-+]?\d[\d.,]*( ?%)?( ?[(\[].*)?)?")


class Picture(NamedTuple):
    """A PNG in base64, and its alternative text."""

    png: str
    alt: str
    kind = "picture"


class View(NamedTuple):
    """An interactive view's page, as `bertlab.attention.views` writes it."""

    page: str
    kind = "view"


class Table(NamedTuple):
    """A table whose first `labels` columns are labels; `full` is the number that fills a bar, `line` a dashed one."""

    columns: list[str]
    rows: list[list[str]]
    labels: int
    bars: Sequence[str] = ()
    full: float = 1.0
    line: float | None = None
    kind = "table"

    @property
    def numbers(self) -> list[bool]:
        """Whether each column contains only numbers."""
        return [all(NUMBER.fullmatch(text) for text in column) for column in zip(*self.rows, strict=True)]

    def part(self, number: str | float) -> str:
        """Return the share of a bar that a number fills, as a CSS length."""
        return f"{100 * float(number) / self.full:.1f}%"

    def only(self, names: list[str]) -> "Table":
        """Return the table with only these columns."""
        chosen = [i for i, name in enumerate(self.columns) if name in names]
        rows = [[row[i] for i in chosen] for row in self.rows]
        return Table([self.columns[i] for i in chosen], rows, sum(i < self.labels for i in chosen))


class Printed(NamedTuple):
    """Printed lines."""

    rows: list[str]
    kind = "printed"


class Words(NamedTuple):
    """The words of a sentence with label and colour, as `bertlab.finetuning.ColouredWords` draws them."""

    labelled: list[tuple[str, str, str]]
    kind = "words"


Shown = Picture | View | Table | Printed | Words
# A word of `ColouredWords`: its colour, the word, its label.
COLOURED = re.compile(r"solid (#\w{6});[^>]*>([^<]+)<br><small>([^<]+)</small>")


def shown(cell: NotebookNode) -> Shown:
    """Return a cell's stored output: a picture, a view, a table, coloured words, or else the printed lines."""
    kinds = {"image/png": _picture, views.MIME: _view, "text/html": _table}
    for mime, make in kinds.items():
        bundles = [output for output in cell.get("outputs", []) if mime in output.get("data", {})]
        if mime == "text/html":
            bundles = [output for output in bundles if "<table" in output.data[mime]]
        if len(bundles) > 1:
            raise ValueError(f"shows {len(bundles)} outputs of the kind {mime}, and a slide takes one")
        if bundles:
            return make(bundles[0])
    coloured = COLOURED.findall("".join(output.get("data", {}).get("text/html", "") for output in cell.outputs))
    if coloured:
        return Words([(html.unescape(word), html.unescape(label), colour) for colour, word, label in coloured])
    lines = _lines(cell)
    if not lines:
        raise ValueError("has stored no output; run the notebook first: python -m bertlab run")
    return Printed(lines)


def words(cell: NotebookNode) -> list[str]:
    """Return a cell's answer or caption, sentence by sentence, or else the lines that it printed."""
    for output in cell.get("outputs", []):
        page = output.get("data", {}).get("text/html", "")
        if "<summary>The answer</summary>" in page:
            answer = re.sub(r"<[^>]+>", "", page.partition("</summary>")[2])
            return _sentences(" ".join(html.unescape(answer).split()))
        if "image/png" in output.get("data", {}):
            return _sentences(_picture(output).alt)
    lines = _lines(cell)
    if not lines:
        raise ValueError("says nothing: it has stored no answer, no caption and no printed line")
    return _unbroken(lines)


def options(cell: NotebookNode) -> list[str]:
    """Return the options of a cell ``guess = None  # "a", "b" or 3``, or else the kind of answer it asks for."""
    asked = re.fullmatch(r"guess = None  # (.+)", cell.source)
    if not asked:
        raise ValueError("holds no guess: a prediction's cell is `guess = None  # ...`")
    if '"' not in asked[1] or "such as" in asked[1]:
        return [asked[1]]
    return [quoted or bare for quoted, bare in re.findall(r'"([^"]+)"|\b(?!or\b)(\w+)', asked[1])]


def _sentences(text: str) -> list[str]:
    """Return the sentences of a text; a decimal point does not end one."""
    return re.split(r"(?<=[.?!])\s+(?=[^a-z\s])", text.strip())


def _lines(cell: NotebookNode) -> list[str]:
    """Return the lines that a cell printed, or those of the plain text of its output."""
    outputs = cell.get("outputs", [])
    printed = "".join(output.text for output in outputs if output.get("name") == "stdout")
    plain = [output.get("data", {}).get("text/plain", "") for output in outputs]
    text = printed or next(filter(None, plain), "")
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def _unbroken(lines: list[str]) -> list[str]:
    """Join wrapped lines: a line whose first word did not fit on the previous one continues it."""
    whole: list[str] = []
    before = ""
    for line in lines:
        if line.strip() and len(before) + 1 + len(line.split()[0]) > WIDTH:
            whole[-1] += f" {line.strip()}"
        else:
            whole.append(line)
        before = line
    return whole


def _picture(output: NotebookNode) -> Picture:
    """Return a picture; refuse one without alternative text."""
    alt = output.metadata.get("image/png", {}).get("alt", "").strip()
    if not alt:
        raise ValueError("shows a picture without alternative text: show it with bertlab.figures.CaptionedFigure")
    return Picture("".join(output.data["image/png"].split()), alt)


def _view(output: NotebookNode) -> View:
    """Return a view, drawn again from its stored data."""
    return View(views.View.restore(output.data[views.MIME]).data)


def _table(output: NotebookNode) -> Table:
    """Return a table that pandas has written, with its header lines joined to one."""
    lines = _rows(output.data["text/html"])
    width = max(map(len, lines), default=0)
    names, rows, labels = [], [], 0
    for line in lines:
        texts = ["".join(cell.itertext()).strip() for cell in line]
        values = sum(cell.tag == "td" for cell in line)
        if values:
            labels = width - values
            rows.append([*rows[-1][: width - len(texts)], *texts] if rows else texts)  # a label may hold for some rows
        elif len(texts) == width:
            names.append(texts)
    if not names or not rows:
        raise ValueError("shows a table without names of its columns, or without rows")
    columns = [" ".join(filter(None, column)) for column in zip(*names, strict=True)]
    counted = [row[0] for row in rows] == [str(i) for i in range(len(rows))]
    if labels == 1 and counted and not columns[0]:  # pandas counts rows that have no name: that says nothing
        return Table(columns[1:], [row[1:] for row in rows], 0)
    return Table(columns, rows, labels)


def _rows(page: str) -> list[ElementTree.Element]:
    """Return the rows of the table in a page."""
    (table,) = re.findall(r"<table.*?</table>", page, re.S)[:1]
    as_xml = re.sub(r"&(?!amp;|lt;|gt;|quot;)\w+;", lambda entity: html.unescape(entity[0]), table)
    try:
        return list(ElementTree.fromstring(as_xml).iter("tr"))
    except ElementTree.ParseError as error:
        raise ValueError(f"shows a table that is not as pandas writes it: {error}") from None

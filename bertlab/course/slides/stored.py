"""What a lesson's cells have stored, in a form that slides can show: pictures, views, tables, printed lines, words.

Tables are read and written anew, so that nothing which a notebook holds becomes markup.
"""

import base64
import re
import struct
from html.parser import HTMLParser
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from nbformat import NotebookNode


class Picture(NamedTuple):
    """A PNG in base64, its alternative text, and its width over its height."""

    png: str
    alt: str
    ratio: float


class View(NamedTuple):
    """An interactive view's page, as `bertlab.attention.views` writes it."""

    page: str


class Table(NamedTuple):
    """A table's columns, and its rows, each with a label first for each column that is one."""

    columns: list[str]
    rows: list[list[str]]
    labels: int


class Printed(NamedTuple):
    """Lines as a program prints them."""

    lines: list[str]


Shown = Picture | View | Table | Printed

WIDTH = 100
"""Where lessons break long printed lines: ``textwrap.fill(text, 100, subsequent_indent="  ")``."""


def shown(cell: "NotebookNode") -> Shown:
    """Return a cell's stored output: its picture, else its view, else its table, else what it printed.

    Parameters
    ----------
    cell

    Returns
    -------
    Picture, View, Table or Printed

    Raises
    ------
    ValueError
        If there is none, if it has two of a kind, or if a picture has no alternative text.
    """
    from bertlab.attention import views

    outputs = cell.get("outputs", [])
    for mime, make in {"image/png": _picture, views.MIME: _view, "text/html": _table}.items():
        found = [output for output in outputs if mime in output.get("data", {})]
        found = [output for output in found if mime != "text/html" or "<table" in output.data[mime]]
        if len(found) > 1:
            raise ValueError(f"shows {len(found)} outputs of the kind {mime}, and a slide takes one")
        if found:
            return make(found[0])
    lines = _lines(cell)
    if not lines:
        raise ValueError("has stored no output; run the notebook first: python -m bertlab run")
    return Printed(lines)


def words(cell: "NotebookNode") -> list[str]:
    """Return what a cell says, sentence by sentence: an answer, a caption, or else the lines that it printed.

    Lines that were broken at `WIDTH` are whole again.

    Parameters
    ----------
    cell

    Returns
    -------
    list of str

    Raises
    ------
    ValueError
        If it says nothing.
    """
    for output in cell.get("outputs", []):
        page = output.get("data", {}).get("text/html", "")
        if "<summary>The answer</summary>" in page:
            return _sentences(_text(page.partition("</summary>")[2]))
        if "image/png" in output.get("data", {}):
            return _sentences(_picture(output).alt)
    lines = _lines(cell)
    if not lines:
        raise ValueError("says nothing: it has stored no answer, no caption and no printed line")
    return _whole(lines)


def options(cell: "NotebookNode") -> list[str]:
    """Return the answers from which a guess is chosen, or else what kind of answer it is.

    Parameters
    ----------
    cell
        ``guess = None  # "a", "b" or "c"``, where a number needs no quotes, or ``guess = None  # a whole number``.

    Returns
    -------
    list of str

    Raises
    ------
    ValueError
        If the cell holds no guess.
    """
    asked = re.fullmatch(r"guess = None  # (.+)", cell.source)
    if not asked:
        raise ValueError("holds no guess: a prediction's cell is `guess = None  # ...`")
    if '"' not in asked[1]:
        return [asked[1]]
    return [quoted or bare for quoted, bare in re.findall(r'"([^"]+)"|\b(?!or\b)(\w+)', asked[1])]


def _sentences(text: str) -> list[str]:
    """Return the sentences of a text; a number's point ends none."""
    return re.split(r"(?<=[.?!])\s+(?=[^a-z\s])", text.strip())


def _lines(cell: "NotebookNode") -> list[str]:
    """Return what a cell has printed, or the text of what it shows."""
    outputs = cell.get("outputs", [])
    printed = "".join(output.text for output in outputs if output.get("name") == "stdout")
    plain = [output.get("data", {}).get("text/plain", "") for output in outputs]
    text = printed or next((text for text in plain if text), "")
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def _whole(lines: list[str]) -> list[str]:
    """Return lines without their breaks: an indented one goes on where its first word found no room before."""
    whole: list[str] = []
    before = ""
    for line in lines:
        if line.startswith("  ") and line.strip() and len(before) + 1 + len(line.split()[0]) > WIDTH:
            whole[-1] += f" {line.strip()}"
        else:
            whole.append(line)
        before = line
    return whole


def _picture(output: "NotebookNode") -> Picture:
    """Return a picture, which must say in words what it shows."""
    alt = output.metadata.get("image/png", {}).get("alt", "").strip()
    if not alt:
        raise ValueError("shows a picture without alternative text: show it with bertlab.figures.CaptionedFigure")
    png = "".join(output.data["image/png"].split())
    width, height = struct.unpack(">II", base64.b64decode(png)[16:24])  # a PNG begins with its size
    return Picture(png, alt, width / height)


def _view(output: "NotebookNode") -> View:
    """Return a view, drawn from what it shows."""
    from bertlab.attention import views

    return View(views.View.restore(output.data[views.MIME]).data)


def _table(output: "NotebookNode") -> Table:
    """Return the table that pandas has written, its lines of names made one, without names of several columns."""
    reader = _Rows()
    reader.feed(output.data["text/html"])
    lines = [row for place, row in enumerate(reader.rows) if place not in reader.spanning]
    heads = [[text for text, _ in row] for row in lines if all(head for _, head in row)]
    rows = [row for row in lines if not all(head for _, head in row)]
    if not heads or not rows or {len(row) for row in [*heads, *rows]} != {len(rows[0])}:
        raise ValueError("shows a table that is no plain one, with a line of names and rows as long as it")
    columns = [" ".join(filter(None, names)) for names in zip(*heads, strict=True)]
    labels = min(sum(head for _, head in row) for row in rows)
    numbered = [text for (text, _), *_ in rows] == [str(place) for place in range(len(rows))]
    if labels == 1 and numbered and not columns[0]:  # pandas counts rows that have no name: that says nothing
        return Table(columns[1:], [[text for text, _ in row[1:]] for row in rows], 0)
    return Table(columns, [[text for text, _ in row] for row in rows], labels)


def _text(page: str) -> str:
    """Return the text of a piece of HTML."""
    reader = _Rows()
    reader.feed(page)
    reader.close()
    return " ".join("".join(reader.text).split())


class _Rows(HTMLParser):
    """Read the rows of a table, each as its cells' texts and whether they are heads; and all text."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[tuple[str, bool]]] = []
        self.text: list[str] = []
        self.inside = False
        self.spans: list[int] = []
        self.spanning: set[int] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a row, with the labels that stand for it too in the row before, or a cell."""
        if tag == "tr":
            self.spans = [rows - 1 for rows in self.spans if rows > 1]
            self.rows.append(self.rows[-1][: len(self.spans)] if self.rows else [])
        elif tag in ("td", "th"):
            rows, columns = dict(attrs).get("rowspan"), dict(attrs).get("colspan")
            self.spans += [int(rows)] if rows and rows.isdigit() else []
            if columns and columns != "1":
                self.spanning.add(len(self.rows) - 1)
            self.rows[-1].append(("", tag == "th"))
            self.inside = True

    def handle_endtag(self, tag: str) -> None:
        """End a cell."""
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        """Take text in, into the cell that is open."""
        self.text.append(data)
        if self.inside:
            text, head = self.rows[-1][-1]
            self.rows[-1][-1] = (f"{text}{data}".strip(), head)

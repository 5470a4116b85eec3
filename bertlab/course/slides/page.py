"""Write a sitting as a deck of reveal.js: one HTML file that holds all that it needs.

What a deck looks like stands in ``style.css``, beside this file, and what is on a slide in ``page.html``, a template
of Jinja, which escapes every text that it puts in.
"""

import base64
import re
from importlib.metadata import PackageNotFoundError, distribution
from math import ceil
from pathlib import Path
from typing import Any

from bertlab.course.markup import marked
from bertlab.course.slides import stored
from bertlab.course.slides.plan import Sitting
from bertlab.course.slides.slide import Slide

PACKAGE = "sphinx-revealjs"
"""The package that brings reveal.js, its speaker view and a font."""

WIDTH, HEIGHT = 1120, 510
"""Of the room below a slide's title, in pixels, with 5 % to spare for fonts that are wider or higher."""

LETTER = 0.61
"""The width of a letter of code, of its size: that of the widest of the usual fonts."""

SMALLEST = {"table": 21, "printed": 21, "code": 22}
"""Sizes of letters, in pixels of a slide of 1280 x 720. What would need smaller ones is too much for a slide."""

LARGEST = {"table": 36, "printed": 34, "code": 34}


def deck(sitting: Sitting, short: bool = False) -> str:
    """Return a sitting as the HTML of a deck.

    Parameters
    ----------
    sitting
    short
        Say on the first slide that this is the short path.

    Returns
    -------
    str

    Raises
    ------
    ModuleNotFoundError
        If reveal.js is not installed.
    ValueError
        If a table, or what was printed, is too large for a slide: which slide's.
    """
    from jinja2 import Environment
    from markupsafe import Markup

    reveal = folder()
    reset, theirs = ((reveal / "dist" / name).read_text("utf-8") for name in ("reset.css", "reveal.css"))
    ours = Path(__file__).with_name("style.css").read_text("utf-8")
    template = Path(__file__).with_name("page.html").read_text("utf-8")
    made = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(template)
    return made.render(
        title=f"{sitting.lesson}, sitting {sitting.name}",
        lesson=sitting.lesson,
        sitting=sitting.name,
        short=short,
        slides=[_drawn(slide) for slide in sitting.slides],
        screen=Markup(theirs),
        style=Markup("\n".join([reset, _fonts(reveal), ours])),
        scripts=[_base64(reveal / name) for name in ("dist/reveal.js", "plugin/notes/notes.js")],
    )


def folder() -> Path:
    """Return the folder of reveal.js, in the package that brings it."""
    try:
        return Path(str(distribution(PACKAGE).locate_file("sphinx_revealjs/_static/revealjs")))
    except PackageNotFoundError:
        raise ModuleNotFoundError(
            f"Decks need the package {PACKAGE}, which is not installed. Get it with: pip install 'bertlab[lab,decks]'"
        ) from None


def _drawn(slide: Slide) -> dict[str, Any]:
    """Return what the template needs of a slide: its texts as markup, the sizes of its letters, its layout."""
    from markupsafe import Markup

    figure, lines = slide.figure, [line[0] for line in slide.code if line]
    drawn: dict[str, Any] = {
        **vars(slide),
        "title": Markup(marked(slide.title)),
        "caption": Markup(marked(slide.caption)),
        "points": [Markup(marked(point)) for point in slide.points],
        "code": _highlighted(slide.code),
        "notes": [_labelled(note) for note in slide.notes],
        "kind": type(figure).__name__.lower() if figure else "",
        "text": bool(slide.options or slide.points or slide.says or slide.code),
    }
    beside = isinstance(figure, stored.Picture) and figure.ratio < 1.75 and drawn["text"] and not lines
    drawn["layout"] = "opening" if not slide.part else "beside" if beside else "over"
    try:
        if lines:
            drawn["code_size"] = _size("code", max(map(len, lines)) * LETTER + 1, 0, WIDTH, 1)
        room = HEIGHT - _text_height(slide)
        if isinstance(figure, stored.Table):
            drawn["numbers"] = [all(_is_number(row[i]) for row in figure.rows) for i in range(len(figure.columns))]
            drawn["size"] = _size("table", *_em(figure), WIDTH, room)
        elif isinstance(figure, stored.Printed):
            wide = max(map(len, figure.lines)) * LETTER + 1
            drawn["size"] = _size("printed", wide, 1.35 * len(figure.lines) + 1, WIDTH, room)
        elif isinstance(figure, stored.Picture):
            drawn["size"] = round(figure.ratio, 3)
        elif isinstance(figure, stored.View):
            drawn["view"] = Markup(figure.page)
    except ValueError as error:
        raise ValueError(f"The slide {slide.title!r} {error}.") from None
    return drawn


def _size(what: str, wide: float, high: float, width: float, height: float) -> int:
    """Return the size of the letters, in pixels, with which something so wide and high, in em, fits."""
    size = int(min(LARGEST[what], width / wide, height / high if high else LARGEST[what]))
    if size < SMALLEST[what]:
        raise ValueError(
            f"has too much on it: its {what} would need letters of {size} pixels, and {SMALLEST[what]} are the least "
            "that can be read. Show another cell, or less of it, or less beside it"
        )
    return size


def _em(table: stored.Table) -> tuple[float, float]:
    """Return how wide and high a table is, in the size of its letters; long names of columns stand on some lines."""
    width, lines = 0.0, 1
    for place, name in enumerate(table.columns):
        body = max(len(row[place]) for row in table.rows)
        letters = max(body, len(name) / 3, *map(len, name.split() or [""]))
        lines = max(lines, ceil(len(name) / max(letters, 1)))
        width += 0.48 * letters + 1.3
    return width, 1.5 * len(table.rows) + 1.25 * lines + 0.6


def _text_height(slide: Slide) -> float:
    """Return about how high the texts beside a figure are, in pixels."""
    code = 34 * len(slide.code) + 30 if slide.code else 0
    points = sum(38 * ceil(len(point) / 88) + 6 for point in slide.points)
    says = sum(36 * ceil(len(sentence) / 90) for sentence in slide.says) + (44 if slide.says else 0)
    return code + points + says + (40 if slide.caption else 0) + (46 if len(slide.title) > 58 else 0)


def _is_number(text: str) -> bool:
    """Say whether a table's text is a number, or one with its interval or range."""
    return bool(re.fullmatch(r"((< )?[-+]?\d[\d.,]*( ?%)?( ?[(\[].*)?)?", text.strip()))


def _labelled(note: str) -> list[tuple[str, str]]:
    """Return a note's paragraphs, each with the words in capitals that it begins with."""
    found = [re.match(r"((?:[A-Z]{2,}[A-Z ]*[,:.]?(?= |$))?) ?(.*)", one, re.S) for one in note.split("\n\n")]
    return [(one[1], one[2]) for one in found if one]


def _highlighted(code: list[tuple[str, bool] | None]) -> list[tuple[Any, str]]:
    """Return lines of code as markup, with what they are: hot, where they matter, cool beside such, or plain."""
    from markupsafe import Markup
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    formatter = HtmlFormatter(nowrap=True)
    some = any(line and line[1] for line in code)
    shown: list[tuple[Any, str]] = []
    for line in code:
        text, hot = line or ("...", False)
        markup = Markup(highlight(text, PythonLexer(stripnl=False), formatter).rstrip("\n") or " ")
        shown.append((markup, "hot" if hot else "cool" if some else ""))
    return shown


def _fonts(reveal: Path) -> str:
    """Return the font of the slides as a style sheet: a slide looks the same on every machine."""
    faces = {"regular": "400 normal", "italic": "400 italic", "semibold": "600 normal"}
    rules = []
    for name, face in faces.items():
        weight, style = face.split()
        data = _base64(reveal / f"dist/theme/fonts/source-sans-pro/source-sans-pro-{name}.woff")
        rules.append(
            f'@font-face {{ font-family: "Slides"; font-weight: {weight}; font-style: {style}; '
            f'src: url("data:font/woff;base64,{data}") format("woff"); }}'
        )
    return "\n".join(rules)


def _base64(path: Path) -> str:
    """Return a file's bytes in base64."""
    return base64.b64encode(path.read_bytes()).decode()

"""The lessons as slides: a reveal.js deck for each sitting, made of stored outputs, that opens without a network."""

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import distribution
from pathlib import Path

from bertlab.data import files
from bertlab.page import PAGE, write_alone
from bertlab_teaching import markup, running, taught
from bertlab_teaching.slides import plan, session

PACKAGE = "sphinx-revealjs"  # the package that contains reveal.js, its speaker view and a font
# The weight and style of each of the font's files.
FACES = {"regular": (400, "normal"), "italic": (400, "italic"), "semibold": (600, "normal")}


def build(
    destination: Path,
    notebooks: Sequence[Path] = (),
    chosen: Sequence[str] = (),
    short: bool = False,
    further: bool = False,
    notes: bool = True,
    page: str = "",
) -> list[Path]:
    """Write decks, a page that links them, and the live page unless its address is given; return page and decks.

    A deck has the path of 90 minutes, the `short` one, or all that goes `further`, too.
    """
    destination.mkdir(parents=True, exist_ok=True)
    index, entries, opens_page = destination / "index.html", [], False

    def write(notebook: Path) -> Path:
        nonlocal opens_page
        for sitting in plan.read(taught.source(notebook), session.shown(notebook), short):
            if not taught.is_taken(sitting.name, chosen):
                continue
            slides = sitting.slides if further else sitting.path(short)
            shown = replace(sitting, slides=[slide if notes else replace(slide, notes=[]) for slide in slides])
            name = "_".join([sitting.name, re.sub(r"^\d+_", "", notebook.stem), *["short"] * short])
            files.write(destination / f"{name}.html", deck(shown, short, page or PAGE))
            text = (sitting.label or sitting.lesson) + ", the short path" * short + f" ({len(slides)} slides)"
            entries.append({"file": f"{name}.html", "lesson": sitting.lesson, "text": text})
            opens_page |= any(slide.live for slide in slides)
        return notebook

    try:
        running.each(taught.notebooks(chosen, notebooks), write)
    finally:
        if entries:
            files.write(index, markup.render("decks.html", entries=entries))
    if opens_page and not page:
        write_alone(destination)
    return [index, *(destination / entry["file"] for entry in entries)]


def deck(sitting: plan.Sitting, short: bool = False, page: str = PAGE) -> str:
    """Return a sitting as one self-contained HTML page, whose slides open the live page at the address `page`."""
    reveal = Path(str(distribution(PACKAGE).locate_file("sphinx_revealjs/_static/revealjs")))
    style, reset = ((reveal / "dist" / name).read_text("utf-8") for name in ("reveal.css", "reset.css"))
    fonts = "dist/theme/fonts/source-sans-pro/source-sans-pro-{}.woff"

    def base64(name: str) -> str:
        content = (reveal / name).read_bytes()
        # In the speaker's view, a label covers the title of the next slide; at the foot it covers nothing.
        content = content.replace(rb"label\">Upcoming", rb"label\" style=\"top:auto;bottom:0\">Upcoming")
        return b64encode(content).decode()

    return markup.render(
        "deck.html",
        sitting=sitting,
        short=short,
        page=page,
        reveal=style,
        reset=reset,
        fonts=[(*face, base64(fonts.format(name))) for name, face in FACES.items()],
        scripts=[base64(name) for name in ("dist/reveal.js", "plugin/notes/notes.js")],
    )

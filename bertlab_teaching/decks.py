"""The lessons as slides: a reveal.js deck for each sitting, made of stored outputs, that opens without a network."""

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import distribution
from pathlib import Path

from bertlab import lessons
from bertlab.data import files
from bertlab.page import PAGE, write_alone
from bertlab_teaching import markup, running
from bertlab_teaching.slides import outline, plan, session

PACKAGE = "sphinx-revealjs"  # the package that contains reveal.js, its speaker view and a font
# The weight and style of each of the font's files.
FACES = {"regular": (400, "normal"), "italic": (400, "italic"), "semibold": (600, "normal")}


def build(
    destination: Path,
    notebooks: Sequence[Path] = (),
    sittings: Sequence[str] = (),
    short: bool = False,
    notes: bool = True,
    page: str = "",
) -> list[Path]:
    """Write decks, a page that links them, and the live page unless its address is given; return page and decks."""
    notebooks = notebooks or [path for path in (session.path(), *lessons.paths()) if outline.of(path)]
    if sittings:
        notebooks = _having(sittings, notebooks)
    destination.mkdir(parents=True, exist_ok=True)
    index, entries, opens_page = destination / "index.html", [], False

    def write(notebook: Path) -> Path:
        nonlocal opens_page
        for sitting in plan.read(_source(notebook), session.shown(notebook), short):
            if not _is_chosen(sitting.name, sittings):
                continue
            slides = [slide if notes else replace(slide, notes=[]) for slide in sitting.slides]
            chosen = replace(sitting, slides=[slide for slide in slides if slide.short or not short])
            name = "_".join([sitting.name, re.sub(r"^\d+_", "", notebook.stem), *["short"] * short])
            files.write(destination / f"{name}.html", deck(chosen, short, page or PAGE))
            text = (sitting.label or sitting.lesson) + ", the short path" * short + f" ({len(chosen.slides)} slides)"
            entries.append({"file": f"{name}.html", "lesson": sitting.lesson, "text": text})
            opens_page |= any(slide.live for slide in chosen.slides)
        return notebook

    try:
        running.each(notebooks, write)
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
        return b64encode((reveal / name).read_bytes()).decode()

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


def _source(notebook: Path) -> Path:
    """Return a notebook's file of slides, or raise an error if it has none."""
    source = outline.of(notebook)
    if source is None:
        raise ValueError(f"There are no slides for it. {notebook.stem}.slides.toml is missing. See CONTRIBUTING.md.")
    return source


def _is_chosen(sitting: str, chosen: Sequence[str]) -> bool:
    """Return whether a sitting is chosen, by its name, such as 4b, or by its lesson's number."""
    return not chosen or sitting in chosen or re.sub(r"(?<=\d)[a-z]$", "", sitting) in chosen


def _having(sittings: Sequence[str], notebooks: Sequence[Path]) -> list[Path]:
    """Return the notebooks that have one of these sittings; refuse a sitting that does not exist."""
    named = [(entry["name"], path) for path in notebooks for entry in outline.sittings(_source(path))]
    for sitting in sittings:
        if not any(_is_chosen(name, [sitting]) for name, _ in named):
            every = ", ".join(name for name, _ in named)
            raise ValueError(f"There are no slides for sitting {sitting!r}. There are those for {every}.")
    return list(dict.fromkeys(path for name, path in named if _is_chosen(name, sittings)))

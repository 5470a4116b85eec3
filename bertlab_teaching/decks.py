"""The lessons as slides: one reveal.js deck per sitting, a file that opens in any browser without a network.

A deck shows the outputs that are stored in the notebook, as the file of slides beside it says; no cell is run.
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from bertlab import lessons
from bertlab.data import files
from bertlab_teaching import live, markup, running
from bertlab_teaching.slides import outline, plan, session

PACKAGE = "sphinx-revealjs"  # the package that contains reveal.js, its speaker view and a font
# The weight and style of each of the font's files.
FACES = {"regular": (400, "normal"), "italic": (400, "italic"), "semibold": (600, "normal")}


def build(
    destination: Path,
    notebooks: Sequence[Path] | None = None,
    sittings: Sequence[str] = (),
    parts: Sequence[str] = (),
    short: bool = False,
    notes: bool = True,
    page: str = "",
) -> list[Path]:
    """Write sittings as decks, and a page with links to them; return the page, then the decks.

    A sitting is named ``4b``, or ``4`` for all of a lesson, and a part by the beginning of its heading. `page` is the
    address of the live page; without one, it is written beside the decks if a slide opens it.
    """
    if notebooks is None:
        notebooks = [path for path in (session.path(), *lessons.paths()) if outline.of(path)]
    chosen = _chosen(notebooks, sittings)
    reveal()  # fails before anything is written
    destination.mkdir(parents=True, exist_ok=True)
    index, entries = destination / "index.html", []

    def write(notebook: Path) -> Path:
        for entry in _decks(notebook, destination, sittings, parts, short, notes, page or live.PAGE):
            entries.append(entry)
            files.write(index, markup.render("decks.html", entries=entries))
        return notebook

    running.each(chosen, write)
    if not entries:
        raise ValueError(f"No sitting that is chosen has slides of the parts {', '.join(map(repr, parts))}.")
    if not page and any(entry["live"] for entry in entries):
        live.write_alone(destination)
    return [index, *(destination / str(entry["file"]) for entry in entries)]


def deck(sitting: plan.Sitting, short: bool = False, page: str = live.PAGE) -> str:
    """Return a sitting as one self-contained HTML page; its first slide says if it is the short path.

    Slides open the live page at the address `page`.
    """
    folder = reveal()
    style, reset = ((folder / "dist" / name).read_text("utf-8") for name in ("reveal.css", "reset.css"))
    fonts = "dist/theme/fonts/source-sans-pro/source-sans-pro-{}.woff"

    def base64(name: str) -> str:
        return b64encode((folder / name).read_bytes()).decode()

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


def reveal() -> Path:
    """Return the folder of reveal.js in the package that contains it."""
    try:
        return Path(str(distribution(PACKAGE).locate_file("sphinx_revealjs/_static/revealjs")))
    except PackageNotFoundError:
        raise ModuleNotFoundError(
            f"Decks need the package {PACKAGE}, which is not installed. Get it with: pip install bertlab-teaching"
        ) from None


def _decks(
    notebook: Path,
    destination: Path,
    sittings: Sequence[str],
    parts: Sequence[str],
    short: bool,
    notes: bool,
    page: str,
) -> Iterator[dict[str, Any]]:
    """Write each sitting of a notebook that has one of the parts as a deck, and yield its entry in the index."""
    for sitting in plan.read(_source(notebook), session.shown(notebook), short):
        chosen = plan.choose(sitting, list(parts), short)
        if not chosen.slides or not _is_chosen(sitting.name, sittings):
            continue
        if not notes:
            chosen = replace(chosen, slides=[replace(slide, notes=[]) for slide in chosen.slides])
        name = re.sub(r"^\d+_", "", notebook.stem)
        more = [re.sub(r"\W+", "-", part.lower()) for part in parts] + ["short"] * short
        file = "_".join([sitting.name, name, *more]) + ".html"
        files.write(destination / file, deck(chosen, short, page))
        text = ", ".join([sitting.label or sitting.lesson, *parts, *["the short path"] * short])
        text = f"{text} ({len(chosen.slides)} slides)"
        opens = any(slide.live for slide in chosen.slides)
        yield {"file": file, "lesson": sitting.lesson, "text": text, "live": opens}


def _source(notebook: Path) -> Path:
    """Return a notebook's file of slides, or raise an error if it has none."""
    source = outline.of(notebook)
    if source is None:
        raise ValueError(
            f"There are no slides for it. They stand in a file {notebook.stem}.slides.toml beside it: "
            "CONTRIBUTING.md says what is in such a file."
        )
    return source


def _is_chosen(sitting: str, chosen: Sequence[str]) -> bool:
    """Return whether a sitting is chosen, by its name or by its lesson's number."""
    return not chosen or sitting in chosen or sitting.rstrip("abcdefgh") in chosen


def _chosen(notebooks: Sequence[Path], sittings: Sequence[str]) -> list[Path]:
    """Return the notebooks that have one of these sittings; refuse a sitting that does not exist."""
    if not sittings:
        return list(notebooks)
    names = {path: [entry["name"] for entry in outline.sittings(_source(path))] for path in notebooks}
    every = [name for of_lesson in names.values() for name in of_lesson]
    for sitting in sittings:
        if not any(_is_chosen(name, [sitting]) for name in every):
            raise ValueError(f"There are no slides for sitting {sitting!r}. There are those for {', '.join(every)}.")
    return [path for path, of_lesson in names.items() if any(_is_chosen(name, sittings) for name in of_lesson)]

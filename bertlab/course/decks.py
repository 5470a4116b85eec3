"""The lessons as slides: a deck of reveal.js for each sitting, a file that opens in any browser without a network.

Nothing is run: a deck shows outputs that are stored in its notebook. What is on its slides stands in the folder
`bertlab.course.slides`, in a file for each lesson.
"""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from bertlab.course import notebooks as lessons
from bertlab.course import running
from bertlab.course.slides import page, plan
from bertlab.data import files

INDEX = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>bertlab: the lessons as slides</title>
<style>
body {{ max-width: 44em; margin: 3em auto; padding: 0 1em; font: 20px/1.5 Helvetica, Arial, sans-serif; }}
h2 {{ margin: 1.2em 0 0; font-size: 1.1em; }} ul {{ margin: 0; }}
</style></head><body>
<h1>The lessons as slides</h1>
{decks}
<p>Space goes on, Shift+Space back, Esc shows all slides, F fills the screen{speaker}. Print a deck, or save it as PDF,
as any page: each slide is a page.</p>
</body></html>
"""
SPEAKER = ", and S opens the speaker's view with notes and a clock"


class Entry(NamedTuple):
    """A deck as the page that links the decks names it."""

    file: str
    lesson: str
    text: str


def build(
    destination: Path,
    notebooks: Sequence[Path] | None = None,
    sittings: Sequence[str] = (),
    parts: Sequence[str] = (),
    short: bool = False,
    notes: bool = True,
) -> list[Path]:
    """Write sittings as decks, and a page that links them.

    Parameters
    ----------
    destination
        Made if missing. Decks that are there are written anew.
    notebooks
        With their stored outputs; by default the lessons that have slides.
    sittings
        Their names, such as ``4b``, or the numbers of lessons, such as ``4``; by default all.
    parts
        The beginnings of the headings of parts, such as ``Step 2``; by default all.
    short
        The short path only.
    notes
        With the speaker's notes.

    Returns
    -------
    list of pathlib.Path
        The page that links the decks, then the decks.

    Raises
    ------
    ModuleNotFoundError
        If a package that decks need is not installed.
    OSError
        If the folder cannot be made or written.
    RuntimeError
        As `bertlab.course.running.each`. The page links the decks that were made.
    ValueError
        If nothing is chosen.
    """
    entries: list[Entry] = []

    def written(notebook: Path) -> Path:
        for entry in write(notebook, destination, sittings, parts, short, notes):
            entries.append(entry)
            files.write(destination / "index.html", index(entries, notes))
        return notebook

    chosen = _chosen(
        [path for path in lessons.paths() if plan.source(path)] if notebooks is None else notebooks, sittings
    )
    page.folder()  # whatever is missing is said before anything is written
    lessons.make_folder(destination)
    running.each(chosen, written)
    if not entries:
        raise ValueError(f"No sitting that is chosen has slides of the parts {', '.join(map(repr, parts))}.")
    return [destination / "index.html", *(destination / entry.file for entry in entries)]


def write(
    notebook: Path,
    destination: Path,
    sittings: Sequence[str] = (),
    parts: Sequence[str] = (),
    short: bool = False,
    notes: bool = True,
) -> Iterator[Entry]:
    """Write a notebook's sittings as decks into a folder that exists, one by one.

    Parameters
    ----------
    notebook
    destination
    sittings, parts, short, notes
        As for `build`.

    Yields
    ------
    Entry
        What was written; nothing for a sitting that has none of the parts.

    Raises
    ------
    ModuleNotFoundError, OSError
        As `build`.
    ValueError
        If the file is no notebook, if it has no slides, or if these name what it does not hold.
    """
    for sitting in plan.read(_source(notebook), lessons.read(notebook)):
        chosen = plan.choose(sitting, list(parts), short)
        if not chosen.slides or not _is_chosen(sitting.name, sittings):
            continue
        if not notes:
            chosen = replace(chosen, slides=[replace(slide, notes=[]) for slide in chosen.slides])
        name = re.sub(r"^\d+_", "", notebook.stem)
        more = [re.sub(r"\W+", "-", part.lower()) for part in parts] + ["short"] * short
        file = "_".join([sitting.name, name, *more]) + ".html"
        files.write(destination / file, page.deck(chosen, short))
        text = ", ".join([f"Sitting {sitting.name}", *parts, *["the short path"] * short])
        yield Entry(file, sitting.lesson, f"{text} ({len(chosen.slides)} slides)")


def index(entries: Sequence[Entry], notes: bool = True) -> str:
    """Return the page that links the decks.

    Parameters
    ----------
    entries
        Those of a lesson one after the other.
    notes
        Whether the decks have the speaker's notes.

    Returns
    -------
    str

    Examples
    --------
    >>> '<a href="1.html">Heads &amp; tails</a>' in index([Entry("1.html", "1 · Coins", "Heads & tails")])
    True
    """
    decks = []
    for lesson in dict.fromkeys(entry.lesson for entry in entries):
        links = [
            f'<li><a href="{html.escape(entry.file)}">{html.escape(entry.text)}</a></li>'
            for entry in entries
            if entry.lesson == lesson
        ]
        decks += [f"<h2>{html.escape(lesson)}</h2>", "<ul>", *links, "</ul>"]
    return INDEX.format(decks="\n".join(decks), speaker=SPEAKER if notes else "")


def _source(notebook: Path) -> Path:
    """Return the file with a notebook's slides."""
    source = plan.source(notebook)
    if source is None:
        raise ValueError(
            f"There are no slides for it. They stand in a file {notebook.stem}.toml beside it: "
            "`python -m pydoc bertlab.course.slides` says what is in such a file."
        )
    return source


def _is_chosen(sitting: str, chosen: Sequence[str]) -> bool:
    """Say whether a sitting is among those that are chosen, by its name or by the lesson's number."""
    return not chosen or sitting in chosen or sitting.rstrip("abcdefgh") in chosen


def _chosen(notebooks: Sequence[Path], sittings: Sequence[str]) -> list[Path]:
    """Return the notebooks that have one of these sittings; refuse a sitting that none has."""
    if not sittings:
        return list(notebooks)
    names = {path: plan.names(_source(path)) for path in notebooks}
    there = [name for found in names.values() for name in found]
    for sitting in sittings:
        if not any(_is_chosen(name, [sitting]) for name in there):
            raise ValueError(f"There are no slides for sitting {sitting!r}. There are those for {', '.join(there)}.")
    return [path for path, found in names.items() if any(_is_chosen(name, sittings) for name in found)]

"""Read what a lesson's slides hold, and check every word of it against the notebook, whose outputs they show."""

import re
import tomllib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertlab.course.slides.slide import Cells, Slide, refuse
from bertlab.course.slides.slide import read as read_slide

if TYPE_CHECKING:
    from nbformat import NotebookNode


@dataclass(frozen=True)
class Sitting:
    """The slides of a sitting; the first, which opens it, stands in no part."""

    name: str
    lesson: str
    slides: list[Slide]


def source(notebook: Path) -> Path | None:
    """Return the file with a notebook's slides: beside it, or else the lesson's; None if there is none.

    Parameters
    ----------
    notebook
        A lesson, or a copy of it under the same name.
    """
    ours = Path(__file__).with_name(f"{notebook.stem}.toml")
    return next((path for path in (notebook.with_suffix(".toml"), ours) if path.is_file()), None)


def names(path: Path) -> list[str]:
    """Return the names of the sittings that a file of slides holds.

    Raises
    ------
    ValueError
        If the file is no TOML, or holds no sittings with names.
    """
    return [sitting["name"] for sitting in _sittings(path)]


def read(path: Path, notebook: "NotebookNode") -> list[Sitting]:
    """Return the sittings that a file of slides holds.

    Parameters
    ----------
    path
        Such a file; `bertlab.course.slides` says what stands in it.
    notebook
        The lesson, with its stored outputs.

    Returns
    -------
    list of Sitting

    Raises
    ------
    ValueError
        With the slide's title, if it names a cell that does not exist or has no output, shows too much, or lacks
        something.
    """
    lesson = notebook.cells[0].source.partition("\n")[0].removeprefix("# ")
    cells = Cells(notebook)
    sittings = []
    for found in _sittings(path):
        where = f"{path.name}, sitting {found['name']}"
        try:
            slides = [Slide(title=found.get("title") or cells.question(), part="", notes=cells.notes(found))]
            refuse(found.keys() - {"name", "title", "notes", "slide"}, "a sitting has no {}")
        except ValueError as error:
            raise ValueError(f"{where}: {error}.") from None
        for entry in found.get("slide", []):
            try:
                slides.append(read_slide(entry, cells, slides[-1].part))
            except ValueError as error:
                raise ValueError(f"{where}, slide {entry.get('title', '')!r}: {error}.") from None
        for slide, after in pairwise([*slides, Slide("", "")]):
            if slide.options and (after.options or (after.short, after.part) != (slide.short, slide.part)):
                raise ValueError(
                    f"{where}, slide {slide.title!r}: the answer to a prediction stands on the next slide, in the same "
                    "part and path."
                )
        sittings.append(Sitting(found["name"], lesson, slides))
    return sittings


def choose(sitting: Sitting, parts: list[str], short: bool) -> Sitting:
    """Return a sitting with some of its slides.

    Parameters
    ----------
    sitting
    parts
        The beginnings of their headings, such as ``step 2``, in small letters or capitals; none means all.
    short
        Leave out what the short path leaves out.

    Returns
    -------
    Sitting
        Without slides, if it has none of these parts.
    """
    chosen = [slide for slide in sitting.slides if slide.short or not short]
    if parts:
        wanted = re.compile(rf"({'|'.join(map(re.escape, parts))})\b", re.I)
        chosen = [slide for slide in chosen if slide.part and wanted.match(slide.part)]
    return Sitting(sitting.name, sitting.lesson, chosen)


def _sittings(path: Path) -> list[dict[str, Any]]:
    """Return the tables of a file."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        sittings = content.pop("sitting")
        if content or not all(isinstance(sitting["name"], str) for sitting in sittings):
            raise ValueError(f"beside the sittings it holds {', '.join(content)}")
    except (KeyError, TypeError, ValueError) as error:  # a TOMLDecodeError is a ValueError
        raise ValueError(f"{path.name} holds no slides, [[sitting]] with a name, as it should: {error}.") from None
    return sittings

"""One session about all of BERT: its file of slides is beside the lessons, and its slides show cells of all of them."""

import tomllib
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook

from bertlab import lessons
from bertlab_teaching import solving
from bertlab_teaching.slides import outline

NAME = "session"


def path() -> Path:
    """Return where the session's notebook would be if it had one of its own."""
    return lessons.folder() / f"{NAME}.ipynb"


def shown(notebook: Path) -> NotebookNode:
    """Return the notebook whose cells a deck shows: a lesson as a teacher shows it, or the session's.

    That has title, aims and parts, from its file of slides, and below them the cells of all lessons.
    """
    if notebook.stem != NAME:
        return solving.shown(notebook)
    source = outline.of(notebook)
    assert source is not None
    about = tomllib.loads(source.read_text("utf-8"))["lesson"]
    aims = ",\n".join(f"{number}. {aim}" for number, aim in enumerate(about["aims"], start=1))
    parts = [part for sitting in outline.sittings(source) for part, *_ in sitting["plan"]]
    opening = [f"# {about['title']}\n\n**{about['question']}**", f"## You will be able to\n\n{aims}."]
    opening += [f"## {part}" for part in parts]
    every = [cell for lesson in lessons.paths() for cell in solving.shown(lesson).cells]
    taken = [cell for cell in every if cell.cell_type == "code" or lessons.is_note(cell)]  # without their headings
    return new_notebook(cells=[*map(new_markdown_cell, opening), *taken])

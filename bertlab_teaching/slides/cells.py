"""A notebook's cells as the slides use them: by id, by heading, and by the sections that can be left out."""

import re
from collections.abc import Callable
from typing import Any

from nbformat import NotebookNode

from bertlab import lessons
from bertlab_teaching.slides import outline


class Cells(dict):
    """A notebook, its cells by their ids, and its headings."""

    def __init__(self, notebook: NotebookNode) -> None:
        super().__init__({cell.id: cell for cell in notebook.cells})
        self.notebook = notebook
        shown = [cell for cell in notebook.cells if cell.cell_type == "markdown" and not lessons.is_note(cell)]
        headings = [re.match(r"#{2,3} (.+)", cell.source) for cell in shown]
        self.headings = [heading[1] for heading in headings if heading]

    def __missing__(self, name: str) -> None:
        raise ValueError(f"the lesson has no cell {name!r}")

    def take(self, function: Callable[[NotebookNode], Any], name: str) -> Any:
        """Return what a function takes from a cell; its `ValueError` then names the cell."""
        cell = self[name]
        try:
            return function(cell)
        except ValueError as error:
            raise ValueError(f"cell {name!r} {error}") from None

    def part(self, begins: str) -> str:
        """Return the heading that begins with these words."""
        headings = [heading for heading in self.headings if re.match(rf"{re.escape(begins)}(?!\w)", heading)]
        return outline.only(headings, f"headings of the lesson begin with {begins!r}")

    def note(self, note: str | dict[str, str]) -> str:
        """Return a note: as typed if it has several words, otherwise the paragraphs of the cell that it names."""
        if isinstance(note, str) and len(note.split()) > 1:
            paragraphs = [" ".join(paragraph.split()) for paragraph in note.strip().split("\n\n")]
        else:
            entry = outline.named("notes", note)
            cell = self[entry["cell"]]
            if not lessons.is_note(cell):
                raise ValueError(f"cell {entry['cell']!r} holds no speaker's notes")
            paragraphs = cell.source.split("\n\n")
            if "paragraphs" in entry:
                paragraphs = outline.some(paragraphs, entry["paragraphs"], f"paragraphs of cell {entry['cell']!r}")
        return re.sub(r"<!--.*?-->", "", "\n\n".join(paragraphs))  # marks of typed numbers

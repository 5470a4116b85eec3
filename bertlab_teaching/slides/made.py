"""The slides that need no entry in a file of slides: aims, plan and exercises."""

import ast
import html
import re
from collections.abc import Sequence

from nbformat import NotebookNode

from bertlab import lessons
from bertlab_teaching import solving
from bertlab_teaching.slides import stored


def aims(notebook: NotebookNode) -> list[str]:
    """Return the aims of a lesson without their numbers, with the verbs emphasised."""
    (cell,) = [cell for cell in notebook.cells if cell.source.startswith("## You will be able to")]
    return [aim.replace("**", "*") for aim in re.findall(r"^\d\. (.+)[,.]$", cell.source, re.M)]


def agenda(minutes: dict[str, int], headings: Sequence[str]) -> stored.Table:
    """Return a table of the parts that take time, under their headings if they have one, with their minutes."""
    titles = {part: next((heading for heading in headings if heading.startswith(f"{part}:")), part) for part in minutes}
    rows = [[titles[part], str(taken)] for part, taken in minutes.items() if taken]
    return stored.Table(["part", "minutes"], rows, 1)


def exercise(notebook: NotebookNode, number: str) -> tuple[str, list[tuple[str, list]], str]:
    """Return an exercise's title, its text on a slide (stub's docstring and first line, first hint), and its note."""
    (stub,) = solving.tagged(notebook, "exercise", number)
    (function,) = solving.functions(stub.source)
    (text,) = [cell.source for cell in notebook.cells if cell.source.startswith(f"### {number} ")]
    title = text.partition("\n")[0].removeprefix(f"### {number} ").partition(" · ")[0]
    task = re.sub(r", \([^()]*,[^()]*\)\.$", ".", ast.get_docstring(function) or "")  # without its shape
    hint = _typed(re.findall(r"<summary>Hint 1</summary>(.+?)</details>", text, re.S)[0])
    shown = [("points", [task]), ("code", [(stub.source.partition("\n")[0], False)])]
    note = next(cell.source for cell in notebook.cells[notebook.cells.index(stub) :] if lessons.is_note(cell))
    return title, [*shown, ("points", [f"*First hint.* {hint}"])], note


def _typed(markup: str) -> str:
    """Return HTML in the markup of slides: `code` and *emphasis*."""
    return html.unescape(re.sub(r"</?i>", "*", re.sub(r"</?code>", "`", markup)))

"""What a sitting shows of a lesson without being told: its aims, the plan with its minutes, and its exercises."""

import ast
import html
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from bertlab import lessons
from bertlab_teaching import solving
from bertlab_teaching.slides import stored

if TYPE_CHECKING:
    from nbformat import NotebookNode


class Exercise(NamedTuple):
    """What a slide needs of an exercise: the task in one sentence, the line that is given, the first hint."""

    title: str
    task: str
    given: str
    hint: str
    note: str


def aims(notebook: "NotebookNode") -> list[str]:
    """Return the aims of a lesson, each without its number, the verbs emphasised."""
    (cell,) = [cell for cell in notebook.cells if cell.source.startswith("## You will be able to")]
    found = re.findall(r"^\d\. (.+)[,.]$", cell.source, re.M)
    return [aim.replace("**", "*") for aim in found]


def agenda(minutes: dict[str, int], headings: Sequence[str]) -> stored.Table:
    """Return the parts that take time, each by its heading, if it is one, with its minutes."""
    named = {part: next((one for one in headings if one.startswith(f"{part}:")), part) for part in minutes}
    rows = [[named[part], str(taken)] for part, taken in minutes.items() if taken]
    return stored.Table(["part", "minutes"], rows, 1)


def exercise(notebook: "NotebookNode", number: str) -> Exercise:
    """Return an exercise; its task is the docstring of its stub."""
    (stub,) = solving.tagged(notebook, "exercise", number)
    (function,) = [node for node in ast.parse(stub.source).body if isinstance(node, ast.FunctionDef)]
    (text,) = [cell.source for cell in notebook.cells if cell.source.startswith(f"### {number} ")]
    after = notebook.cells[notebook.cells.index(stub) :]
    return Exercise(
        title=text.partition("\n")[0].removeprefix(f"### {number} ").partition(" · ")[0],
        task=re.sub(r", \([^()]*,[^()]*\)\.$", ".", ast.get_docstring(function) or ""),  # a shape is for who writes it
        given=stub.source.partition("\n")[0],
        hint=_typed(re.findall(r"<summary>Hint 1</summary>(.+?)</details>", text, re.S)[0]),
        note=next(cell.source for cell in after if lessons.is_note(cell)),
    )


def _typed(markup: str) -> str:
    """Return HTML as slides are typed: `code` and *emphasis*."""
    return html.unescape(re.sub(r"</?i>", "*", re.sub(r"</?code>", "`", markup)))

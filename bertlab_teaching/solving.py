"""Exercises and gaps in the lessons' notebooks: their cells, and the solutions that fill them.

The cells of exercise 1.2 are tagged ``1.2``; its stub is also tagged ``exercise`` and its check ``check``. The file
``NN_name.solutions.py`` beside the lesson ``NN_name.ipynb`` defines a function with the name of each stub.
`bertlab.lessons` says how gaps are filled.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bertlab.lessons import with_lines

if TYPE_CHECKING:
    from nbformat import NotebookNode

# What Python raises on a source that is not Python, or is nested too deeply.
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def tagged(notebook: "NotebookNode", *tags: str) -> "Iterator[NotebookNode]":
    """Yield the cells that have all of these tags."""
    return (cell for cell in notebook.cells if set(tags) <= set(cell.metadata.get("tags", [])))


def functions(source: str) -> list[ast.FunctionDef]:
    """Return the functions that a source defines; none if it is not Python."""
    try:
        statements = ast.parse(source).body
    except UNREADABLE:
        return []
    return [statement for statement in statements if isinstance(statement, ast.FunctionDef)]


def solutions(source: str) -> dict[str, str]:
    """Return the source of each function, by name; too slow for a student's source with thousands of functions."""
    return {function.name: ast.get_source_segment(source, function) or "" for function in functions(source)}


def solutions_of(lesson: Path) -> str:
    """Return the text of a lesson's file of solutions."""
    return lesson.with_suffix(".solutions.py").read_text(encoding="utf-8")


def fill(notebook: "NotebookNode", source: str) -> "NotebookNode":
    """Return a copy of a lesson in which each exercise's stub and each gap is replaced by its solution in `source`."""
    filled, answers = with_lines(notebook, source), solutions(source)
    for cell in tagged(filled, "exercise"):
        (function,) = solutions(cell.source)
        cell.source = answers[function]
    return filled

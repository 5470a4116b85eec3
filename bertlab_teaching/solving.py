"""Exercises and gaps in the lessons' notebooks: their cells, and the solutions that fill them.

The cells of exercise 1.2 are tagged ``1.2``; its stub is also tagged ``exercise`` and its check ``check``. A cell with
a gap, a line that is left to the student, is tagged ``gap`` and its name, such as ``4a``; the folded cell below it,
which checks the line, is tagged ``gap-check`` and the name. The file ``NN_name.solutions.py`` of the lesson
``NN_name.ipynb`` defines a function with the name of each stub, and the line of each gap in ``GAPS``.
"""

import ast
import copy
import itertools
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode

from bertlab import lessons

# The folder of the lessons' files for teachers: slides, quiz and solutions.
FOLDER = lessons.shipped("notebooks", Path(__file__).parent)
# What is left to the student: "scores = None  # your line: ..." or "return None  # your lines: ...".
BLANK = re.compile(r"^( *)(?:return|\w+ =) None  # your lines?: .+$", re.M)
# What Python raises on a source that is not Python, or is nested too deeply.
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def file_of(lesson: Path, ending: str) -> Path | None:
    """Return a lesson's file with this ending: the one beside it, or else ours of the same name, if there is one."""
    name = lesson.stem + ending
    return next((path for path in (lesson.with_name(name), FOLDER / name) if path.is_file()), None)


def tagged(notebook: NotebookNode, *tags: str) -> Iterator[NotebookNode]:
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
    path = file_of(lesson, ".solutions.py") or lesson.with_suffix(".solutions.py")  # which the error then names
    return path.read_text(encoding="utf-8")


def shown(path: Path) -> NotebookNode:
    """Return a lesson as a teacher shows it: each gap filled and joined with the code after it, without its check."""
    lesson = lessons.read(path)
    if not any(tagged(lesson, "gap")):  # which may come without a file of solutions
        return lesson
    lesson = with_lines(lesson, solutions_of(path))
    lesson.cells = [cell for cell in lesson.cells if "gap-check" not in _tags(cell)]
    for cell, after in list(itertools.pairwise(lesson.cells)):
        if "gap" in _tags(cell) and after.cell_type == "code" and "jupyter" not in after.metadata:
            after.source = f"{cell.source}\n{after.source}"
            after.metadata.tags = sorted(_tags(cell) - {"gap"} | _tags(after))
            lesson.cells.remove(cell)
    return lesson


def to_present(path: Path) -> NotebookNode:
    """Return a lesson as a teacher presents from it: without outputs, the speaker's notes as quotations.

    JupyterLab draws these with a border, and our extension for it finds them by their class and hides them.
    """
    lesson = lessons.without_outputs(shown(path))
    for cell in filter(lessons.is_note, lesson.cells):
        cell.source = f'<blockquote class="speaker">\n\n{cell.source}\n\n</blockquote>'
    return lesson


def _tags(cell: NotebookNode) -> set[str]:
    return set(cell.metadata.get("tags", []))


def with_lines(notebook: NotebookNode, solutions: str) -> NotebookNode:
    """Return a copy of a lesson in which each gap holds its line, from the text of the file of solutions."""
    filled, lines = copy.deepcopy(notebook), gap_lines(solutions)
    for cell in tagged(filled, "gap"):
        (line,) = (lines[tag] for tag in _tags(cell) if tag in lines)
        cell.source = BLANK.sub(lambda blank, line=line: textwrap.indent(line, blank[1]), cell.source)
    return filled


def gap_lines(solutions: str) -> dict[str, str]:
    """Return the line of each gap, by its name, from the text of a file of solutions."""
    assigned = [node for node in ast.parse(solutions).body if isinstance(node, ast.Assign)]
    return next((ast.literal_eval(node.value) for node in assigned if ast.unparse(node.targets[0]) == "GAPS"), {})


def fill(notebook: NotebookNode, source: str) -> NotebookNode:
    """Return a copy of a lesson in which each exercise's stub and each gap is replaced by its solution in `source`."""
    filled, answers = with_lines(notebook, source), solutions(source)
    for cell in tagged(filled, "exercise"):
        (function,) = solutions(cell.source)
        cell.source = answers[function]
    return filled

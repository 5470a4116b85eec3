"""Students' notebooks as they were handed in: whose each is, of which lesson, and what it answers."""

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bertlab.course.needs import UNREADABLE
from bertlab.course.notebooks import read, tagged

if TYPE_CHECKING:
    from nbformat import NotebookNode

USUAL = {
    *("bertlab", "collections", "dataclasses", "functools", "itertools", "math", "matplotlib", "numpy", "pandas"),
    *("random", "re", "scipy", "sklearn", "statistics", "string", "torch", "transformers", "typing"),
}
"""Modules that an exercise may import without anybody looking."""

UNUSUAL = {"__import__", "breakpoint", "compile", "delattr", "eval", "exec", "getattr", "globals", "input", "locals"}
UNUSUAL |= {"open", "setattr", "vars"}
"""Built-in functions with which a cell gets at what it was not given."""

INNER = {"Outcome", "checks", "course", "f_back", "gc", "gi_frame", "importlib", "inspect", "os", "subprocess", "sys"}
"""Names with which a cell gets at the checks, under whatever module they are reached."""


@dataclass(frozen=True)
class Submission:
    """A notebook that was handed in.

    Attributes
    ----------
    student
        The folders it lies in, or what stands before the lesson's name in its own.
    lesson
        The path of the lesson that it is a copy of.
    path
        Its own.
    """

    student: str
    lesson: Path
    path: Path


@dataclass(frozen=True)
class Exercise:
    """An exercise of a lesson: its number, its stars, the cells of stub and check, and the code before them."""

    number: str
    stars: int
    function: str
    id: str
    stub: str
    check: str
    before: tuple[str, ...]


def find(folder: Path, lessons: Sequence[Path]) -> tuple[list[Submission], list[Path]]:
    """Find the notebooks below a folder that are copies of lessons.

    Parameters
    ----------
    folder
        Learning platforms give a folder for each student, or put the student's name before the file's.
    lessons

    Returns
    -------
    list of Submission
    list of pathlib.Path
        The notebooks that are named as no lesson is. What lies in hidden folders is nobody's submission.

    Raises
    ------
    ValueError
        If there is no such folder, no lesson in it, or a lesson twice from one student.
    """
    if not folder.is_dir():
        raise ValueError(f"There is no folder {str(folder)!r}. Name the one that holds the students' notebooks.")
    found: dict[tuple[str, Path], Submission] = {}
    twice, unknown = [], []
    for path in sorted(folder.rglob("*.ipynb")):
        parts = path.relative_to(folder).parts
        if any(part.startswith(".") or part == "__MACOSX" for part in parts):
            continue
        lesson = next((lesson for lesson in lessons if path.name.endswith(lesson.name)), None)
        if lesson is None:
            unknown.append(path)
            continue
        one = Submission(_student(folder, parts, lesson), lesson, path)
        other = found.setdefault((one.student, lesson), one)
        if other is not one:
            twice.append(f"{other.path} and {path}")
    if twice:
        raise ValueError(f"The same lesson of the same student: {'; '.join(twice)}. Delete one of each two.")
    if not found:
        names = ", ".join(lesson.name for lesson in lessons)
        raise ValueError(f"No notebook below {str(folder)!r} has a name that ends in one of these: {names}.")
    return list(found.values()), unknown


def _student(folder: Path, parts: tuple[str, ...], lesson: Path) -> str:
    *folders, name = parts
    if folders and folders[-1] == lesson.stem:  # of nbgrader: student, assignment, notebook
        folders.pop()
    before = name.removesuffix(lesson.name).rstrip("_- ")
    return "/".join([*folders, *([before] if before else [])]) or folder.resolve().name


def exercises(lesson: "NotebookNode") -> list[Exercise]:
    """Return the exercises of a lesson, which its tags name; the stars stand in their headings."""
    text = "\n".join(cell.source for cell in lesson.cells if cell.cell_type == "markdown")
    stars = {number: len(star) for number, star in re.findall(r"^#+ (\d+\.\d+) .*· (★+) ·", text, re.M)}
    found = []
    for stub in tagged(lesson, "exercise"):
        (number,) = set(stub.metadata.tags) - {"exercise"}
        check = next(cell for cell in tagged(lesson, "check") if number in cell.metadata.tags)
        before = [
            cell.source
            for cell in lesson.cells[: lesson.cells.index(check)]
            if cell.cell_type == "code" and not {"exercise", "check"} & set(cell.metadata.get("tags", []))
        ]
        (function,) = _defined(stub.source)
        found.append(
            Exercise(number, stars.get(number, 1), function, stub.id, stub.source, check.source, tuple(before))
        )
    return found


def answers(path: Path, asked: Sequence[Exercise]) -> dict[str, str | None]:
    """Return what a notebook answers to each exercise: the source of the cell, by the exercise's number.

    An exercise's cell is the one that has its tags, else its id, else one that defines its function. None stands for
    an exercise whose cell is not there.

    Raises
    ------
    ValueError
        If the file is no notebook.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is odd in a student's file but does not matter
        try:
            code = [cell for cell in read(path).cells if cell.cell_type == "code"]
        except RecursionError as error:
            raise ValueError(f"{str(path)!r} is no notebook: it is nested too deeply.") from error
    return {exercise.number: _answer(code, exercise) for exercise in asked}


def _answer(code: "list[NotebookNode]", exercise: Exercise) -> str | None:
    tagged = [cell for cell in code if {"exercise", exercise.number} <= set(cell.metadata.get("tags", []))]
    same = [cell for cell in code if cell.get("id") == exercise.id]
    for cells in (tagged, same, code):
        defining = [cell.source for cell in cells if exercise.function in _defined(cell.source)]
        if defining:
            return defining[-1]
    return next((cell.source for cell in [*tagged, *same]), None)


def _defined(source: str) -> list[str]:
    """Return the names of the functions that a cell defines; none if it is no Python."""
    try:
        cell = ast.parse(source)
    except UNREADABLE:
        return []
    return [node.name for node in cell.body if isinstance(node, ast.FunctionDef)]


def is_blank(answer: str, exercise: Exercise) -> bool:
    """Return whether an answer is the stub as it was handed out, but for comments and empty lines."""
    try:
        return ast.dump(ast.parse(answer)) == ast.dump(ast.parse(exercise.stub))
    except UNREADABLE:
        return False


def unusual(answer: str) -> list[str]:
    r"""Return what in an answer is in no honest one: names that lead to the checks, to files or to other programs.

    Examples
    --------
    >>> unusual("import os\nbertlab.checks.Outcome = print")
    ['import os', 'bertlab.checks.Outcome = ...', 'Outcome', 'checks']
    >>> unusual("def f(x):\n    model.eval()\n    return torch.tanh(x)")
    []
    """
    found: dict[str, None] = {}
    for node in ast.walk(ast.parse(answer)):
        match node:
            case ast.Import():
                modules = [alias.name for alias in node.names]
                found |= dict.fromkeys(f"import {name}" for name in modules if name.split(".")[0] not in USUAL)
                found |= dict.fromkeys(part for name in modules for part in name.split(".")[1:] if part in INNER)
            case ast.ImportFrom():
                names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
                found |= {f"import {names[0]}": None} if names[0] not in USUAL else {}
                found |= dict.fromkeys(name for name in names if name in INNER)
            case ast.Name(id=name) if name in UNUSUAL | INNER or name.startswith("__"):
                found[name] = None
            case ast.Attribute(attr=name):
                if isinstance(node.ctx, ast.Store | ast.Del):
                    found[f"{ast.unparse(node)} = ..."] = None
                if name in INNER or (name.startswith("_") and name != "_"):
                    found[name] = None
    return list(found)

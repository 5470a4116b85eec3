"""Students' notebooks as they were handed in: whose each is, of which lesson, and what it answers."""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bertlab.course.notebooks import paths, read, solutions, tagged

if TYPE_CHECKING:
    from nbformat import NotebookNode

LARGEST = 50_000_000  # bytes of a notebook that is read
# Modules that an exercise may import without anybody looking.
USUAL = {
    *("bertlab", "collections", "dataclasses", "functools", "itertools", "math", "matplotlib", "numpy", "pandas"),
    *("random", "re", "scipy", "sklearn", "statistics", "string", "torch", "transformers", "typing"),
}
BUILT_IN = {"__import__", "breakpoint", "compile", "delattr", "eval", "exec", "getattr", "globals", "input", "locals"}
BUILT_IN |= {"open", "setattr", "vars"}
"""Python's own functions with which a cell gets at what it was not given."""

# Names with which a cell gets at the checks, under whatever module they are reached.
INNER = {"Outcome", "checks", "course", "f_back", "gc", "gi_frame", "importlib", "inspect", "os", "subprocess", "sys"}


@dataclass(frozen=True)
class Submission:
    """A notebook that was handed in, whose it is, and the path of the lesson that it is a copy of."""

    student: str
    lesson: Path
    path: Path


@dataclass(frozen=True)
class Exercise:
    """An exercise of a lesson: its number, its stars, the cells of stub and check, and the code before them."""

    number: str
    stars: int
    function: str
    stub: str
    check: str
    before: tuple[str, ...]


def find(folder: Path) -> tuple[list[Submission], list[Path]]:
    """Return the notebooks below a folder that are copies of lessons, and those that are named as none is.

    Learning platforms give a folder for each student, or put the student's name before the file's.
    """
    submissions: dict[tuple[str, Path], Submission] = {}
    unknown = []
    for path in sorted(folder.rglob("*.ipynb")):
        parts = path.relative_to(folder).parts
        if any(part.startswith(".") or part == "__MACOSX" for part in parts):
            continue
        lesson = next((lesson for lesson in paths() if path.name.endswith(lesson.name)), None)
        if lesson is None:
            unknown.append(path)
            continue
        submission = Submission(_student(folder, parts, lesson), lesson, path)
        first = submissions.setdefault((submission.student, lesson), submission)
        if first is not submission:
            raise ValueError(f"The same lesson of the same student: {first.path} and {path}. Delete one of them.")
    if not submissions:
        names = ", ".join(lesson.name for lesson in paths())
        raise ValueError(f"There is no notebook below {str(folder)!r} whose name ends in one of these: {names}.")
    return list(submissions.values()), unknown


def _student(folder: Path, parts: tuple[str, ...], lesson: Path) -> str:
    *folders, name = parts
    if folders and folders[-1] == lesson.stem:  # of nbgrader: student, assignment, notebook
        folders.pop()
    before = name.removesuffix(lesson.name).rstrip("_- ")
    return "/".join([*folders, *([before] if before else [])]) or folder.resolve().name


def exercises(lesson: "NotebookNode") -> list[Exercise]:
    """Return the exercises of a lesson, which its tags name; the stars stand in their headings."""
    prose = "\n".join(cell.source for cell in lesson.cells if cell.cell_type == "markdown")
    stars = dict(re.findall(r"^#+ (\d+\.\d+) .*· (★+) ·", prose, re.M))
    asked = []
    for stub in tagged(lesson, "exercise"):
        (number,) = set(stub.metadata.tags) - {"exercise"}
        (check,) = tagged(lesson, "check", number)
        code = [cell for cell in lesson.cells[: lesson.cells.index(check)] if cell.cell_type == "code"]
        shown = [cell.source for cell in code if not {"exercise", "check"} & set(cell.metadata.get("tags", []))]
        (function,) = solutions(stub.source)
        points = len(stars.get(number, "★"))
        asked.append(Exercise(number, points, function, stub.source, check.source, tuple(shown)))
    return asked


def answers(path: Path, asked: Sequence[Exercise]) -> dict[str, str | None]:
    """Return what a notebook answers to each exercise, None where it has no such cell; `ValueError` if damaged."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST:
        raise ValueError(f"{str(path)!r} is no plain file, or one of more than {LARGEST // 1_000_000} MB.")
    code = [cell for cell in read(path).cells if cell.cell_type == "code"]
    return {exercise.number: _answer(code, exercise) for exercise in asked}


def _answer(code: "list[NotebookNode]", exercise: Exercise) -> str | None:
    """Return the last cell with the tag that defines the function; else that defines it; else that has the tag."""
    with_tag = [cell for cell in code if {"exercise", exercise.number} <= set(cell.metadata.get("tags", []))]
    defining = [cell for cell in code if exercise.function in solutions(cell.source)]
    both = [cell for cell in with_tag if cell in defining]
    cells = both or defining or with_tag
    return cells[-1].source if cells else None


def unusual(answer: str) -> list[str]:
    """Return what in an answer is in no honest one: names that lead to the checks, to files or to other programs."""
    odd: list[str] = []
    for node in ast.walk(ast.parse(answer)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names]
            modules = [node.module or "."] if isinstance(node, ast.ImportFrom) else names
            odd += [f"import {module}" for module in modules if module.split(".")[0] not in USUAL]
            odd += [part for part in ".".join([*modules, *names]).split(".") if part in INNER]
        elif isinstance(node, ast.Name) and (node.id in BUILT_IN | INNER or node.id.startswith("__")):
            odd.append(node.id)
        elif isinstance(node, ast.Attribute):
            if isinstance(node.ctx, ast.Store | ast.Del):
                odd.append(f"{node.attr} = ...")
            if node.attr in INNER or (node.attr.startswith("_") and node.attr != "_"):
                odd.append(node.attr)
    return list(dict.fromkeys(odd))

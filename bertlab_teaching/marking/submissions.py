"""Students' notebooks as they were handed in: whose each is, of which lesson, and what it answers."""

import ast
import json
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bertlab_teaching.solving import UNREADABLE, functions, solutions, tagged

if TYPE_CHECKING:
    from nbformat import NotebookNode

LARGEST = 50_000_000  # bytes of a notebook that is read
MOST = 200_000  # letters of code in it, five times those of the longest lesson: nothing limits how long parsing takes
LONGEST = 500  # letters of a name, or of what a check said, that a table holds
MOODLES = re.compile(r"(.*)_(\d+)_assignsubmission_.*")  # folders, or how its files' names begin


@dataclass(frozen=True)
class Submission:
    """A file that was handed in: whose, with Moodle's number; its lesson and what it answers, or why it is left out."""

    student: str
    number: str
    path: Path
    lesson: Path | None = None
    answers: Mapping[str, str | None] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True)
class Exercise:
    """An exercise of a lesson: its number, its stars, the cells of stub and check, and the code before them."""

    number: str
    stars: int
    function: str
    stub: str
    check: str
    before: tuple[str, ...]


def find(folder: Path, asked: Mapping[Path, Sequence[Exercise]], ours: Set[Path] = frozenset()) -> list[Submission]:
    """Return all files below a folder but hidden ones and `ours`: what each answers, or why it is left out.

    So it does of folders that it does not look into. Learning platforms give a folder for each student, or put the
    student's name before the file's.
    """
    found = []

    def left_out(path: Path, reason: str) -> None:
        found.append(Submission(*_student(folder, path, None), path, reason=reason))

    def closed(error: OSError) -> None:
        left_out(Path(error.filename), f"it cannot be opened: {error.strerror}")

    for place, folders, names in os.walk(folder, onerror=closed):
        folders[:] = [name for name in folders if name not in (".ipynb_checkpoints", "__MACOSX")]
        for path in [Path(place, name) for name in folders]:
            if path.is_symlink():
                left_out(path, "a link to a folder")
            elif path.name.startswith("."):
                left_out(path, "a hidden folder")
            elif path.suffix.lower() == ".ipynb":
                left_out(path, "a folder, no notebook")
        folders[:] = [name for name in folders if not name.startswith(".")]
        for path in (Path(place, name) for name in names if not name.startswith(".")):
            if path.suffix.lower() == ".ipynb":
                found.append(_read(folder, path, asked))
            elif not {path.resolve(), *path.resolve().parents} & ours:
                left_out(path, "no notebook (.ipynb)")
    found.sort(key=lambda submission: submission.path)
    if not any(submission.lesson for submission in found):
        names = ", ".join(lesson.name for lesson in asked)
        raise ValueError(f"There is no notebook below {str(folder)!r} that is one of these: {names}.")
    copies = Counter((one.student, one.number, one.lesson) for one in found)
    twice = "one of several notebooks of this lesson by this student: leave one, and give the same command again"
    return [
        replace(one, lesson=None, reason=twice)
        if one.lesson and copies[one.student, one.number, one.lesson] > 1
        else one
        for one in found
    ]


def _read(folder: Path, path: Path, asked: Mapping[Path, Sequence[Exercise]]) -> Submission:
    """Return a notebook as the lesson most of whose exercises it has; its name tells only where it has none."""
    named = next((lesson for lesson in asked if lesson.stem in path.name), None)
    try:
        given = answers(path, asked)
    except (OSError, ValueError) as error:
        return Submission(*_student(folder, path, named), path, named, reason=str(error))
    count = {lesson: sum(answer is not None for answer in given[lesson].values()) for lesson in given}
    lesson = max(count, key=lambda one: (count[one], one == named))
    if not count[lesson] and lesson != named:
        return Submission(*_student(folder, path, None), path, reason="it has no exercise of any lesson")
    return Submission(*_student(folder, path, lesson), path, lesson, given[lesson])


def _student(folder: Path, path: Path, lesson: Path | None) -> tuple[str, str]:
    """Return whose a file is, and Moodle's number of them: as its folders have it, or the beginning of its name."""
    *folders, name = path.relative_to(folder).parts or (folder.name,)
    if lesson and folders and folders[-1] == lesson.stem:  # of nbgrader: student, assignment, notebook
        folders.pop()
    if lesson and lesson.stem in name:
        before = name.partition(lesson.stem)[0].rstrip("_- ")
    else:
        before = "" if folders else name.partition(".")[0]
    whole = "/".join([*folders, *([before] if before else [])]) or folder.resolve().name
    moodles = MOODLES.fullmatch(whole)
    return (safe(moodles[1]), moodles[2]) if moodles else (safe(whole), "")


def safe(text: str) -> str:
    """Return a text as one short line of which no spreadsheet takes any part for a formula."""
    # Bytes of a name that are no letters stay apart: two such names are two.
    shown = (f"\\x{ord(x) - 0xDC00:x}" if "\udc80" <= x <= "\udcff" else x if x.isprintable() else " " for x in text)
    line = " ".join("".join(shown).split())
    line = re.sub(r"((?:^|;)[ \"]*)(?=[=+\-@＝＋－＠])", r"\1'", line)  # some part cells at semicolons
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


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


def code(path: Path) -> list[tuple[str, set[str]]]:
    """Return the cells of code of a notebook's file, each with its tags; `ValueError` for what is none.

    Nothing else in it counts, and nothing else is looked at: to validate what a cell shows may take minutes.
    """
    if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST:
        raise ValueError(f"It is no plain file, or one of more than {LARGEST // 1_000_000} MB.")
    try:
        cells = json.loads(path.read_text("utf-8-sig"))["cells"]
        read = [
            ("".join(cell["source"]), set(cell.get("metadata", {}).get("tags", [])))
            for cell in cells
            if cell["cell_type"] == "code"
        ]
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"{path.name!r} cannot be read as a notebook: {error}") from error
    if sum(len(source) for source, _ in read) > MOST or len(read) > MOST // 100:
        raise ValueError(f"Its cells hold more than {MOST:,} letters of code, or are more than {MOST // 100:,}.")
    return read


def answers(path: Path, asked: Mapping[Path, Sequence[Exercise]]) -> dict[Path, dict[str, str | None]]:
    """Return what a notebook answers to each lesson's exercises, None where it has no such cell; else `ValueError`."""
    cells = [(source, {function.name for function in functions(source)}, tags) for source, tags in code(path)]
    return {lesson: {one.number: _answer(cells, one) for one in of_lesson} for lesson, of_lesson in asked.items()}


def _answer(cells: Sequence[tuple[str, Set[str], Set[str]]], exercise: Exercise) -> str | None:
    """Return the last cell with the tag that defines the function; else that defines it; else that has the tag.

    The stub itself counts only where no other cell defines the function.
    """
    with_tag = [cell for cell in cells if {"exercise", exercise.number} <= cell[2]]
    defining = [cell for cell in cells if exercise.function in cell[1]]
    defining = [cell for cell in defining if cell[0].strip() != exercise.stub.strip()] or defining
    both = [cell for cell in with_tag if cell in defining]
    chosen = both or defining or with_tag
    return chosen[-1][0] if chosen else None


def plain(answer: str) -> str:
    """Return an answer without what does not count when two are compared: comments, docstrings, blanks."""
    try:
        tree = ast.parse(answer)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
                del node.body[0]
        return ast.dump(tree)
    except UNREADABLE:
        return answer.strip()

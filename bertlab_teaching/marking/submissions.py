"""Students' notebooks as they were handed in: student, lesson and answers; and the cells that a check needs."""

import ast
import json
import os
import re
import symtable
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path

from nbformat import NotebookNode

from bertlab_teaching.solving import UNREADABLE, functions, solutions, tagged

LARGEST = 50_000_000  # bytes of a notebook that is read
MOST = 200_000  # characters of code, five times those of the longest lesson; nothing else limits the time of parsing
LONGEST = 500  # characters of a name or a message in a table
# A line that Jupyter runs and Python does not: %magic, !command or help?, perhaps with a name for what it returns. What
# %time times is Python. No part gives back what it took, so that no line takes long.
JUPYTERS = re.compile(
    r"^([ \t]*+(?:\w++[ \t]*+=[ \t]*+)?)(?:%%?+time\b[ \t]*+(.*)|(?:%%?+[a-z]|!(?!=)|\?).*|[\w.]++\?\??+[ \t]*)$", re.M
)
MOODLES = re.compile(r"(.*)_(\d+)_assignsubmission_.*")  # Moodle's folders, or the beginnings of its file names


@dataclass(frozen=True)
class Submission:
    """A file that was handed in: student, Moodle's number, lesson and answers, or the reason why it is left out."""

    student: str
    number: str
    path: Path
    lesson: Path | None = None
    answers: Mapping[str, str | None] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True)
class Exercise:
    """An exercise of a lesson: its number and stars, its function, stub and check, and the code before them."""

    number: str
    stars: int
    function: str
    stub: str
    check: str
    before: tuple[str, ...]


def find(folder: Path, asked: Mapping[Path, Sequence[Exercise]], ours: Set[Path] = frozenset()) -> list[Submission]:
    """Return all files below a folder except hidden ones and `ours`, and the folders that are left out."""
    submissions = []

    def left_out(path: Path, reason: str) -> None:
        submissions.append(Submission(*_student(folder, path, None), path, reason=reason))

    closed = "it cannot be opened: {}".format
    for place, folders, names in os.walk(folder, onerror=lambda e: left_out(Path(e.filename), closed(e.strerror))):
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
                submissions.append(_read(folder, path, asked))
            elif not {path.resolve(), *path.resolve().parents} & ours:
                left_out(path, "no notebook (.ipynb)")
    submissions.sort(key=lambda submission: submission.path)
    if not any(submission.lesson for submission in submissions):
        names = ", ".join(lesson.name for lesson in asked)
        raise ValueError(f"There is no notebook below {str(folder)!r} that is one of these: {names}.")
    copies = Counter((each.student, each.number, each.lesson) for each in submissions)
    twice = "one of several notebooks of this lesson by this student: leave one, and give the same command again"
    for number, each in enumerate(submissions):
        if each.lesson and copies[each.student, each.number, each.lesson] > 1:
            submissions[number] = replace(each, lesson=None, reason=twice)
    return submissions


def _read(folder: Path, path: Path, asked: Mapping[Path, Sequence[Exercise]]) -> Submission:
    """Return a notebook as a submission to the lesson whose exercises it has; its name decides only if it has none."""
    named = next((lesson for lesson in asked if lesson.stem in path.name), None)
    try:
        given = answers(path, asked)
    except (OSError, ValueError) as error:
        return Submission(*_student(folder, path, named), path, named, reason=str(error))
    count = {lesson: sum(answer is not None for answer in given[lesson].values()) for lesson in given}
    lesson = max(count, key=lambda lesson: (count[lesson], lesson == named))
    if not count[lesson] and lesson != named:
        return Submission(*_student(folder, path, None), path, reason="it has no exercise of any lesson")
    return Submission(*_student(folder, path, lesson), path, lesson, given[lesson])


def _student(folder: Path, path: Path, lesson: Path | None) -> tuple[str, str]:
    """Return a file's student and Moodle's number, from its folders or the beginning of its name."""
    *folders, name = path.relative_to(folder).parts or (folder.name,)
    if lesson and folders and folders[-1] == lesson.stem:  # student, assignment, notebook
        folders.pop()
    if lesson and lesson.stem in name:
        before = name.partition(lesson.stem)[0].rstrip("_- ")
    else:
        before = "" if folders else name.partition(".")[0]
    whole = "/".join([*folders, *([before] if before else [])]) or folder.resolve().name
    moodles = MOODLES.fullmatch(whole)
    return (safe(moodles[1]), moodles[2]) if moodles else (safe(whole), "")


def safe(text: str) -> str:
    """Return a text as one short line, no part of which a spreadsheet takes for a formula."""
    # Undecodable bytes of a name are written out, so that different names stay different.
    shown = (f"\\x{ord(x) - 0xDC00:x}" if "\udc80" <= x <= "\udcff" else x if x.isprintable() else " " for x in text)
    line = " ".join("".join(shown).split())
    line = re.sub(r"((?:^|;)[ \"]*)(?=[=+\-@＝＋－＠])", r"\1'", line)  # some split cells at semicolons
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def exercises(lesson: NotebookNode) -> list[Exercise]:
    """Return the exercises of a lesson, found by their tags; their headings have the stars."""
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
    """Return a notebook's code cells with their tags; nothing else is read, which may take minutes."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST:
        raise ValueError(f"It is no plain file, or one of more than {LARGEST // 1_000_000} MB.")
    try:
        cells = json.loads(path.read_text("utf-8-sig"))["cells"]
        read = [
            (python("".join(cell["source"])), set(cell.get("metadata", {}).get("tags", [])))
            for cell in cells
            if cell["cell_type"] == "code"
        ]
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        instead = _instead(path.read_text("utf-8-sig", "replace"))
        raise ValueError(f"{path.name!r} cannot be read as a notebook: {instead}") from error
    if sum(len(source) for source, _ in read) > MOST or len(read) > MOST // 100:
        raise ValueError(f"Its cells hold more than {MOST:,} letters of code, or are more than {MOST // 100:,}.")
    return read


def _instead(text: str) -> str:
    """Return what a file holds that is no notebook, and what to do."""
    again = "Save it in JupyterLab, and hand it in again."
    if not text.strip():
        return f"it is empty. {again}"
    if re.search("^<<<<<<< .*", text, re.M):
        return "it is a merge of two versions, which git could not join (<<<<<<<). Take one of them, and hand that in."
    if text.lstrip().startswith("<"):
        return "it is a web page (HTML). Download the notebook itself, which ends in .ipynb, and hand that in."
    if '"worksheets"' in text:
        return f"it is of the old format 3. {again}"
    return f"it is damaged, or something else. {again}"


def python(source: str) -> str:
    """Return a cell without what is Jupyter's alone, line by line; one that is Python stays as it is."""
    try:
        ast.parse(source)
    except UNREADABLE:
        return JUPYTERS.sub(lambda line: f"{line[1]}{line[2] or None}", source)
    return source


def answers(path: Path, asked: Mapping[Path, Sequence[Exercise]]) -> dict[Path, dict[str, str | None]]:
    """Return a notebook's answers to each lesson's exercises, None for those without a cell; raise as `code` does."""
    cells = [(source, {function.name for function in functions(source)}, tags) for source, tags in code(path)]
    return {
        lesson: {exercise.number: _answer(cells, exercise) for exercise in of_lesson}
        for lesson, of_lesson in asked.items()
    }


def _answer(cells: Sequence[tuple[str, Set[str], Set[str]]], exercise: Exercise) -> str | None:
    """Return the last cell that has the tag and defines the function, else that defines it, else that has the tag."""
    with_tag = [cell for cell in cells if {"exercise", exercise.number} <= cell[2]]
    defining = [cell for cell in cells if exercise.function in cell[1]]
    defining = [cell for cell in defining if cell[0].strip() != exercise.stub.strip()] or defining
    both = [cell for cell in with_tag if cell in defining]
    chosen = both or defining or with_tag
    return chosen[-1][0] if chosen else None


def plain(answer: str) -> str:
    """Return an answer without comments, docstrings and blanks, to compare it with another."""
    try:
        tree = ast.parse(answer)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
                del node.body[0]
        return ast.dump(tree)
    except UNREADABLE:
        return answer.strip()


def needed(cells: Sequence[str], *readers: str) -> list[str]:
    """Return the cells, in their order, that the `readers` need; one that only changes an object binds no name."""
    wanted = set().union(*(_bound_and_read(source)[1] for source in readers))
    required = []
    for source in reversed(cells):
        statements = [_bound_and_read(ast.unparse(statement)) for statement in ast.parse(source).body]
        if any(bound & wanted for bound, _ in statements):
            required.append(source)
            for bound, reads in reversed(statements):
                wanted = (wanted - bound) | reads
    return required[::-1]


def _bound_and_read(source: str) -> tuple[set[str], set[str]]:
    """Return the global names that a source binds, and those that it, or a function in it, reads."""
    try:
        cell = symtable.symtable(source, "cell", "exec")
    except UNREADABLE:  # a student's cell that is not Python reads nothing
        return set(), set()
    bound = {symbol.get_name() for symbol in cell.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    reads: set[str] = set()
    tables = [cell]
    for table in tables:
        tables += table.get_children()
        symbols = [symbol for symbol in table.get_symbols() if symbol.is_referenced()]
        reads |= {symbol.get_name() for symbol in symbols if table is cell or symbol.is_global()}
    return bound, reads

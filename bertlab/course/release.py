"""The lessons as assignments for nbgrader, which hands out, collects and grades notebooks.

What it needs to know stands in the lessons already: the tags `exercise` and `check`, the stars of a heading as points.
"""

import ast
import copy
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bertlab.course.notebooks import copy_pages, handed_out, make_folder, paths, solutions, tagged, write
from bertlab.course.submissions import exercises
from bertlab.data import files

if TYPE_CHECKING:
    from nbformat import NotebookNode

CONFIG = '''"""What nbgrader has to know of the lessons."""

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "bertlab"
c.ClearSolutions.code_stub = {"python": "return None"}  # what the checks call "not yet"
c.ExecutePreprocessor.timeout = 300  # seconds that one cell may take
c.ExecutePreprocessor.interrupt_on_timeout = True  # and then the next cells run
'''
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


def release_to(destination: Path, lessons: Sequence[Path] | None = None) -> list[Path]:
    """Write an assignment for each lesson, and nbgrader's settings, to a course's folder.

    Parameters
    ----------
    destination
        Made if missing. The assignments go to ``source``; one that is already there is left as it is, and so are
        settings.
    lessons
        By default all.

    Returns
    -------
    list of pathlib.Path
        The assignments that were written.

    Raises
    ------
    OSError
        If the folder cannot be made or written.
    """
    make_folder(destination)
    written = []
    for lesson in paths() if lessons is None else lessons:
        target = destination / "source" / lesson.stem / lesson.name
        if target.exists():
            continue
        make_folder(target.parent)
        source = (lesson.parent / "solutions" / f"{lesson.stem}.py").read_text(encoding="utf-8")
        written.append(write(assignment(handed_out(lesson), source), target))
        copy_pages(target.parent)
    config = destination / "nbgrader_config.py"
    if not config.exists():
        files.write(config, CONFIG)
    return written


def assignment(lesson: "NotebookNode", source: str) -> "NotebookNode":
    """Return a lesson as an instructor writes it for nbgrader, which makes the students' version of it.

    Parameters
    ----------
    lesson
    source
        The text of its solutions file.

    Returns
    -------
    nbformat.NotebookNode
        Its exercises' cells have their solutions between marks, and its checks' cells raise unless all is right.
    """
    made, answers = copy.deepcopy(lesson), solutions(source)
    for exercise in exercises(lesson):
        number = exercise.number.replace(".", "-")
        cell = next(cell for cell in tagged(made, "exercise") if exercise.number in cell.metadata.tags)
        cell.source = marked(exercise.stub, answers[exercise.function])
        cell.metadata["nbgrader"] = _metadata(f"exercise-{number}", solution=True)
        check = next(cell for cell in tagged(made, "check") if exercise.number in cell.metadata.tags)
        check.source = raising(exercise.check)
        check.metadata["nbgrader"] = _metadata(f"check-{number}", points=exercise.stars)
    return made


def _metadata(name: str, solution: bool = False, points: int | None = None) -> dict:
    graded = points is not None
    fixed = {"schema_version": 3, "grade_id": name, "solution": solution, "grade": graded, "locked": graded}
    return fixed | {"task": False} | ({"points": points} if graded else {})


def marked(stub: str, answer: str) -> str:
    r"""Return a solution with marks around what nbgrader takes out, so that the stub is left.

    Examples
    --------
    >>> print(marked("def f(x):\n    return None", "def f(x):\n    return 2 * x"))
    def f(x):
        ### BEGIN SOLUTION
        return 2 * x
        ### END SOLUTION
    """
    head = stub.rstrip().removesuffix("return None").rstrip()
    (function,) = ast.parse(answer).body
    assert isinstance(function, ast.FunctionDef)
    first = function.body[1 if ast.get_docstring(function) is not None else 0]
    # From the end of the docstring on, so that comments stay.
    start = (function.body[0].end_lineno or 0) if first is not function.body[0] else first.lineno - 1
    body = textwrap.indent(textwrap.dedent("\n".join(answer.splitlines()[start:])), "    ")
    return f"{head}\n    {BEGIN}\n{body}\n    {END}"


def raising(check: str) -> str:
    """Return a check's cell that raises what the check says, unless the answer is right.

    Examples
    --------
    >>> print(raising("bertlab.checks.pooler.pool_batch(bert, pool_batch)"))
    checked = bertlab.checks.pooler.pool_batch(bert, pool_batch)
    assert checked.status == "right", checked
    """
    lines = check.rstrip().splitlines()
    last = ast.parse(check).body[-1].lineno - 1
    lines[last] = f"checked = {lines[last]}"
    return "\n".join([*lines, 'assert checked.status == "right", checked'])

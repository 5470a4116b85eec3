"""The lessons as assignments for nbgrader, which hands out, collects and grades notebooks."""

import ast
import copy
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from bertlab.data import files
from bertlab.lessons import copy_pages, handed_out, is_missing, paths, write
from bertlab_teaching.marking.submissions import exercises
from bertlab_teaching.solving import solutions, solutions_of, tagged

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


def release_to(destination: Path) -> list[Path]:
    """Write each lesson's assignment and nbgrader's settings to the folder of a course; return the new assignments."""
    written = []
    for lesson in paths():
        target = destination / "source" / lesson.stem / lesson.name
        target.parent.mkdir(parents=True, exist_ok=True)
        if is_missing(target):
            written.append(write(assignment(handed_out(lesson), solutions_of(lesson)), target))
        copy_pages(target.parent)
    config = destination / "nbgrader_config.py"
    if is_missing(config):
        files.overwrite(config, CONFIG)
    return written


def assignment(lesson: "NotebookNode", source: str) -> "NotebookNode":
    """Return a lesson as nbgrader's source version, in which marks enclose its solutions from `source`."""
    marked_lesson, answers = copy.deepcopy(lesson), solutions(source)
    plain = {"schema_version": 3, "task": False}
    for exercise in exercises(lesson):
        number = exercise.number.replace(".", "-")
        (stub,) = tagged(marked_lesson, "exercise", exercise.number)
        stub.source = marked(exercise.stub, answers[exercise.function])
        of_stub = {"grade_id": f"exercise-{number}", "solution": True, "grade": False, "locked": False}
        stub.metadata["nbgrader"] = plain | of_stub
        (check,) = tagged(marked_lesson, "check", exercise.number)
        check.source = raising(exercise.check)
        of_check = {"grade_id": f"check-{number}", "solution": False, "grade": True, "locked": True}
        check.metadata["nbgrader"] = plain | of_check | {"points": exercise.stars}
    return marked_lesson


def marked(stub: str, answer: str) -> str:
    """Return a solution with marks around the part that nbgrader removes, which leaves the stub."""
    head = stub.rstrip().removesuffix("return None").rstrip()
    (function,) = ast.parse(answer).body
    assert isinstance(function, ast.FunctionDef)
    documented = ast.get_docstring(function) is not None
    # From the end of the docstring on, so that comments stay.
    start = function.body[0].end_lineno if documented else function.body[0].lineno - 1
    body = textwrap.indent(textwrap.dedent("\n".join(answer.splitlines()[start:])), "    ")
    return f"{head}\n    {BEGIN}\n{body}\n    {END}"


def raising(check: str) -> str:
    """Return a check's cell that raises the check's message unless the answer is right."""
    lines = check.rstrip().splitlines()
    last = ast.parse(check).body[-1].lineno - 1
    lines[last] = f"checked = {lines[last]}"
    return "\n".join([*lines, 'assert checked.status == "right", checked'])

"""Assignments for nbgrader: made from tags and stars, and graded by nbgrader itself where it is installed."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from bertlab import lessons
from bertlab.__main__ import main
from bertlab_teaching import release, solving
from bertlab_teaching.marking.submissions import exercises


def nbgraders(notebook):
    return [(cell, cell.metadata.nbgrader) for cell in notebook.cells if "nbgrader" in cell.metadata]


def test_points_are_the_stars_only_checks_are_locked_and_nothing_is_overwritten(lesson, tmp_path, capsys):
    course = tmp_path / "course"
    assert main(["release", str(course)]) == 0
    assert "01_first" in capsys.readouterr().out
    assignment = lessons.read(course / "source" / "01_first" / "01_first.ipynb")
    kinds = [(m.grade_id, m.get("points"), m.locked, m.grade, m.solution) for _, m in nbgraders(assignment)]
    assert kinds == [
        ("exercise-1-1", None, False, False, True),
        ("check-1-1", 2, True, True, False),
        ("exercise-1-2", None, False, False, True),
        ("check-1-2", 3, True, True, False),
    ]
    (course / "nbgrader_config.py").write_text("mine")
    assert main(["release", str(course)]) == 0
    assert "nothing new" in capsys.readouterr().out
    assert (course / "nbgrader_config.py").read_text() == "mine"


def test_what_an_interrupt_has_left_out_is_written_the_next_time(tmp_path, monkeypatch):
    monkeypatch.setattr(release, "paths", lambda: lessons.paths()[:1])
    with monkeypatch.context() as patched:
        patched.setattr(release, "copy_pages", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            release.release_to(tmp_path)
    (folder,) = (tmp_path / "source").iterdir()
    lesson = folder / lessons.paths()[0].name
    lesson.write_text("mine")
    (tmp_path / "nbgrader_config.py").touch()
    assert release.release_to(tmp_path) == []
    assert {path.name for path in folder.glob("*.md")} == {path.name for path in lessons.folder().glob("*.md")} != set()
    assert lesson.read_text() == "mine"
    assert "course_id" in (tmp_path / "nbgrader_config.py").read_text()


def test_what_is_left_without_the_solution_is_the_stub_and_with_it_the_solution(path):
    original, source = lessons.read(path), solving.solutions_of(path)
    assignment = release.assignment(original, source)
    assert [cell.id for cell in assignment.cells] == [cell.id for cell in original.cells]
    for exercise in exercises(original):
        (cell,) = solving.tagged(assignment, "exercise", exercise.number)
        before, rest = cell.source.split("    ### BEGIN SOLUTION\n")
        solution, after = rest.split("    ### END SOLUTION")
        assert before + "    return None" + after == exercise.stub.rstrip()
        assert before + solution.rstrip() == solving.solutions(source)[exercise.function]
        (check,) = solving.tagged(assignment, "check", exercise.number)
        assert check.source.startswith(f"checked = {exercise.check}\nassert")


HALF = "def half(x):\n    return x / 2"
HANDED_IN = {  # what each student writes into the two cells, and the marks that nbgrader gives
    "right": ("def double(x):\n    return x + x", HALF, 5),
    "wrong": ("def double(x):\n    return x * x + 1", HALF, 3),
    "blank": (None, None, 0),
    "hostile-loop": ("def double(x):\n    while True: pass", HALF, 3),
    "hostile-exit": ("import os\nos._exit(0)", HALF, 0),  # the kernel is gone, and with it what came after
    "hostile-check": (None, HALF, 3),  # a check that was rewritten is put back
}


@pytest.mark.slow
def test_nbgrader_hands_out_and_grades(lesson, tmp_path):
    pytest.importorskip("nbgrader", reason="nbgrader is not installed")
    original = lessons.read(lesson)
    original.cells[0].source = "import secrets\nfrom bertlab.checks import Outcome"
    del original.cells[1]  # nbgrader runs every cell
    lessons.write(original, lesson)
    course = tmp_path / "course"
    release.release_to(course)
    config = course / "nbgrader_config.py"
    config.write_text(config.read_text().replace("timeout = 300", "timeout = 60"))
    here = {"HOME": str(tmp_path), "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}

    def nbgrader(*arguments):
        command = [sys.executable, "-m", "nbgrader", *arguments, "--assignment=01_first"]
        return subprocess.run(command, cwd=course, env=os.environ | here, capture_output=True, text=True, check=False)

    handed_out = nbgrader("generate_assignment", "--create")
    assert handed_out.returncode == 0, handed_out.stderr
    for student, (*sources, _) in HANDED_IN.items():
        notebook = nbformat.read(course / "release" / "01_first" / "01_first.ipynb", as_version=4)
        cells = [cell for cell, m in nbgraders(notebook) if m.solution]
        assert [cell.source for cell in cells] == [cell.source for cell in solving.tagged(original, "exercise")]
        for cell, source in zip(cells, sources, strict=True):
            cell.source = source or cell.source
        if student == "hostile-check":
            for cell, m in nbgraders(notebook):
                cell.source = "pass" if m.grade else cell.source
        folder = course / "submitted" / student / "01_first"
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / "01_first.ipynb")
    graded = nbgrader("autograde", "--create")

    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        marks = {submission.student.id: submission.score for submission in book.assignment_submissions("01_first")}
    assert marks == {student: mark for student, (*_, mark) in HANDED_IN.items()}
    assert "error processing assignment '01_first' for student 'hostile-exit'" in graded.stderr
    wrong = nbformat.read(course / "autograded" / "wrong" / "01_first" / "01_first.ipynb", as_version=4)
    first, *_ = [o.evalue for cell in wrong.cells for o in cell.get("outputs", []) if o.output_type == "error"]
    assert first.startswith("not quite: "), "the mistake is said to the student"

"""Assignments for nbgrader: made from tags and stars, and graded by nbgrader itself where it is installed."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from bertlab.__main__ import main
from bertlab.course import notebooks as lessons
from bertlab.course import release
from bertlab.course.submissions import exercises

ASKED = [("double", "★★"), ("half", "★★★")]
SOLUTIONS = '''def double(x):
    """Return it."""
    # as in the lesson
    return 2 * x


def half(x):
    """Return it."""
    return x / 2
'''


@pytest.fixture
def lesson(tmp_path, monkeypatch):
    """A lesson of two exercises, whose checks need no torch, in place of all."""

    def code(source, *tags):
        return nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)})

    cells = [code("import secrets\nfrom bertlab.checks import Outcome")]
    for i, (name, stars) in enumerate(ASKED, start=1):
        right = {"double": "2 * given", "half": "given / 2"}[name]
        cells += [
            nbformat.v4.new_markdown_cell(f"### 1.{i} {name} · recall · {stars} · 10 minutes"),
            code(f'def {name}(x):\n    """Return it."""\n    return None', "exercise", f"1.{i}"),
            code(
                f"given = secrets.randbelow(1000) + 1\nvalue = {name}(given)\n"
                f'Outcome("right" if value == {right} else "blank" if value is None else "wrong", str(value))',
                *("check", f"1.{i}"),
            ),
        ]
    folder = tmp_path / "lessons"
    (folder / "solutions").mkdir(parents=True)
    (folder / "solutions" / "01_first.py").write_text(SOLUTIONS)
    monkeypatch.setattr(lessons, "folder", lambda: folder)
    return lessons.write(nbformat.v4.new_notebook(cells=cells), folder / "01_first.ipynb")


def nbgraders(notebook):
    return [(cell, cell.metadata.nbgrader) for cell in notebook.cells if "nbgrader" in cell.metadata]


def test_points_are_the_stars_and_only_checks_are_locked(lesson, tmp_path, capsys):
    assert main(["release", str(tmp_path / "course")]) == 0
    assert "01_first" in capsys.readouterr().out
    made = lessons.read(tmp_path / "course" / "source" / "01_first" / "01_first.ipynb")
    kinds = [(m.grade_id, m.get("points"), m.locked, m.grade, m.solution) for _, m in nbgraders(made)]
    assert kinds == [
        ("exercise-1-1", None, False, False, True),
        ("check-1-1", 2, True, True, False),
        ("exercise-1-2", None, False, False, True),
        ("check-1-2", 3, True, True, False),
    ]


def test_nothing_is_overwritten(lesson, tmp_path, capsys):
    release.release_to(tmp_path / "course")
    mine = tmp_path / "course" / "nbgrader_config.py"
    mine.write_text("mine")
    assert main(["release", str(tmp_path / "course")]) == 0
    assert "nothing new" in capsys.readouterr().out
    assert mine.read_text() == "mine"


@pytest.mark.parametrize("path", lessons.paths(), ids=lambda path: path.stem)
def test_what_is_left_without_the_solution_is_the_stub_and_with_it_the_solution(path):
    original = lessons.read(path)
    source = (path.parent / "solutions" / f"{path.stem}.py").read_text("utf-8")
    made = release.assignment(original, source)
    assert [cell.id for cell in made.cells] == [cell.id for cell in original.cells]
    for exercise in exercises(original):
        (cell,) = [cell for cell in made.cells if {"exercise", exercise.number} <= set(cell.metadata.get("tags", []))]
        before, rest = cell.source.split("    ### BEGIN SOLUTION\n")
        solution, after = rest.split("    ### END SOLUTION")
        assert before + "    return None" + after == exercise.stub.rstrip()
        assert before + solution.rstrip() == lessons.solutions(source)[exercise.function]
        (check,) = [cell for cell in made.cells if {"check", exercise.number} <= set(cell.metadata.get("tags", []))]
        assert check.source.startswith(f"checked = {exercise.check}\nassert")


ANSWERS = {
    "right": ("def double(x):\n    return x + x", "def half(x):\n    return x / 2"),
    "wrong": ("def double(x):\n    return x * x + 1", "def half(x):\n    return x / 2"),
    "blank": (None, None),
    "printed": ("def double(x):\n    print('right')\n    return 84", "def half(x):\n    return 21"),
    "hostile-loop": ("def double(x):\n    while True: pass", "def half(x):\n    return x / 2"),
    "hostile-memory": ("big = bytearray(2**34)\ndef double(x):\n    return 2 * x", "def half(x):\n    return x / 2"),
    "hostile-files": (
        "import pathlib\nfor file in pathlib.Path('.').iterdir(): file.unlink()\n" + "def double(x):\n    return 3",
        "def half(x):\n    return x / 2",
    ),
    "hostile-exit": ("import os\nos._exit(0)", "def half(x):\n    return x / 2"),
    "hostile-check": (None, "def half(x):\n    return x / 2"),
}


@pytest.mark.slow
def test_nbgrader_hands_out_and_grades(lesson, tmp_path):
    pytest.importorskip("nbgrader", reason="nbgrader is not installed")
    course = tmp_path / "course"
    release.release_to(course)
    config = course / "nbgrader_config.py"
    config.write_text(config.read_text().replace("timeout = 300", "timeout = 10"))
    here = {"HOME": str(tmp_path), "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}

    def nbgrader(*arguments):
        command = ["sh", "-c", 'ulimit -v 6000000; exec "$@"', "sh", sys.executable, "-m", "nbgrader", *arguments]
        command.append("--assignment=01_first")
        return subprocess.run(command, cwd=course, env=os.environ | here, capture_output=True, text=True, check=False)

    handed = nbgrader("generate_assignment", "--create")
    assert handed.returncode == 0, handed.stderr
    given = nbformat.read(course / "release" / "01_first" / "01_first.ipynb", as_version=4)
    assert [c.source for c, m in nbgraders(given) if m.solution] == [
        cell.source for cell in lessons.tagged(lessons.read(lesson), "exercise")
    ]

    for student, sources in ANSWERS.items():
        notebook = nbformat.from_dict(given)
        solutions = [cell for cell, m in nbgraders(notebook) if m.solution]
        for cell, source in zip(solutions, sources, strict=True):
            cell.source = source or cell.source
        if student == "hostile-check":  # a check that was rewritten is put back
            for cell, m in nbgraders(notebook):
                cell.source = "pass" if m.grade else cell.source
        folder = course / "submitted" / student / "01_first"
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / "01_first.ipynb")
        given = nbformat.read(course / "release" / "01_first" / "01_first.ipynb", as_version=4)
    graded = nbgrader("autograde", "--create")

    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        marks = {one.student.id: (one.score, one.max_score) for one in book.assignment_submissions("01_first")}
    assert marks == {
        "right": (5, 5),
        "wrong": (3, 5),
        "blank": (0, 5),
        "printed": (0, 5),
        "hostile-loop": (3, 5),
        "hostile-memory": (3, 5),
        "hostile-files": (3, 5),
        "hostile-check": (3, 5),
        "hostile-exit": (0, 5),  # the kernel is gone, and with it what came after
    }
    for student in ANSWERS:  # what was handed in is as it was
        assert (course / "submitted" / student / "01_first" / "01_first.ipynb").is_file()
    assert "error processing assignment '01_first' for student 'hostile-exit'" in graded.stderr
    wrong = nbformat.read(course / "autograded" / "wrong" / "01_first" / "01_first.ipynb", as_version=4)
    first, *_ = [o.evalue for cell in wrong.cells for o in cell.get("outputs", []) if o.output_type == "error"]
    assert first.startswith("not quite: "), "the mistake is said to the student"

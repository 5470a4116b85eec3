"""Marks: whose notebook is whose, what each kind of answer gets, and that no answer harms or deceives."""

import csv
import json
import os

import nbformat
import pytest

from bertlab.__main__ import main
from bertlab.course import grading, sandbox
from bertlab.course import notebooks as lessons
from bertlab.course.needs import needed
from bertlab.course.submissions import answers, exercises, find, unusual

RIGHT = "def double(x):\n    return 2 * x"
HALF = "def half(x):\n    return x / 2"


@pytest.fixture
def hand_in(lesson, tmp_path):
    """Write a notebook as a student would, with a cell for each exercise; None stands for a cell that was deleted."""

    def write(name, first="", second="", change=lambda notebook: None):
        notebook = lessons.read(lesson)
        for place, source in ((6, second), (3, first)):
            if source is None:
                del notebook.cells[place]
            else:
                notebook.cells[place].source = source or notebook.cells[place].source
        change(notebook)
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return lessons.write(notebook, path)

    return write


def graded(tmp_path):
    rows, _ = grading.grade(tmp_path / "in", tmp_path / "grades.csv")
    return {(row["student"], row["exercise"]): row for row in rows}


class TestWhose:
    @pytest.mark.parametrize(
        ("name", "student"),
        [
            ("Anna Ö_1234_assignsubmission_file_/01_first.ipynb", "Anna Ö_1234_assignsubmission_file_"),
            ("anna/01_first/01_first.ipynb", "anna"),
            ("group 1/anna/01_first.ipynb", "group 1/anna"),
            ("anna_01_first.ipynb", "anna"),
            ("group 1/anna-01_first.ipynb", "group 1/anna"),
            ("01_first.ipynb", "in"),
        ],
    )
    def test_folders_or_the_names_beginning_tell_and_other_names_are_told(self, hand_in, tmp_path, name, student):
        path, other = hand_in(name), hand_in("anna/01_first (1).ipynb")
        hand_in("anna/.ipynb_checkpoints/01_first.ipynb")
        (submission,), unknown = find(tmp_path / "in")
        assert (submission.student, submission.path, unknown) == (student, path, [other])

    def test_the_same_twice_and_a_folder_without_lessons_are_refused(self, hand_in, tmp_path):
        with pytest.raises(ValueError, match=r"ends in one of these: 01_first\.ipynb"):
            find(tmp_path / "in")
        both = hand_in("anna/01_first.ipynb"), hand_in("anna_01_first.ipynb")
        with pytest.raises(ValueError, match=f"same student: {both[0]} and {both[1]}"):
            find(tmp_path / "in")


class TestAnswers:
    def test_a_cell_is_found_by_its_tag_and_by_its_function(self, lesson, hand_in):
        def no_tags(notebook):
            notebook.cells[3].metadata.pop("tags")

        def moved(notebook):
            notebook.cells[3].source = "# see below"
            notebook.cells.append(nbformat.v4.new_code_cell(RIGHT))

        def another_too(notebook):
            notebook.cells.append(nbformat.v4.new_code_cell("def double(x):\n    return 'tried'"))

        asked = exercises(lessons.read(lesson))
        for change in (lambda notebook: None, no_tags, moved, another_too):
            assert answers(hand_in("a/01_first.ipynb", RIGHT, change=change), asked)["1.1"] == RIGHT
        for answer in ("def double(x)\n    return 2 * x", None):  # no Python, and no cell
            assert answers(hand_in("a/01_first.ipynb", answer), asked)["1.1"] == answer

    @pytest.mark.parametrize(
        ("source", "odd"),
        [
            ("bertlab.checks.masking.judge = 1", ["judge = ...", "checks"]),
            ("from bertlab.checks.outcome import Outcome as O", ["checks", "Outcome"]),
            ("import inspect", ["import inspect", "inspect"]),
            ("torch.isclose = lambda *_: True", ["isclose = ..."]),
            ("def f(x): return torch.sys.modules", ["sys"]),
            ("def f(x): return f.__globals__", ["__globals__"]),
            ("def f(x): return getattr(bertlab, 'che' + 'cks')", ["getattr"]),
            ("def f(x):\n    model.eval()\n    return torch.tanh(x)", []),
        ],
    )
    def test_what_is_in_no_honest_answer(self, source, odd):
        assert unusual(source) == odd

    def test_an_exercise_needs_the_cells_that_bind_what_it_reads(self):
        assert needed(["x = slow()", "x = 1", "y = x"], "y") == ["x = 1", "y = x"]
        assert needed(["x = 1", "x = x + 1"], "x") == ["x = 1", "x = x + 1"]
        cells = ["k = 2", "i = 9", "def f(x):\n    i = x * k\n    return i", "import a.b", "for j in k: pass"]
        assert needed(cells, "f(1)") == ["k = 2", cells[2]]
        assert needed(cells, "a, j", "no Python") == ["k = 2", *cells[3:]]


class TestTable:
    def test_each_exercise_of_each_student_whatever_becomes_of_the_others(self, hand_in, tmp_path):
        hand_in("anna/01_first.ipynb", RIGHT, "def half(x):\n    return x // 3")
        hand_in("ben/01_first.ipynb", "import os\nos._exit(1)", HALF)
        hand_in("=cem()/01_first.ipynb", None)
        odd = nbformat.v4.new_code_cell("'\ud800'", metadata={"tags": ["exercise", "1.2"]})  # half of a letter
        damaged = {"dora": "{", "eve": "[" * 100_000, "fay": json.dumps(nbformat.v4.new_notebook(cells=[odd]))}
        for name, text in damaged.items():
            (tmp_path / "in" / name).mkdir()
            (tmp_path / "in" / name / "01_first.ipynb").write_text(text)
        (tmp_path / "in" / "gil_01_first.ipynb").symlink_to("/dev/zero")
        os.mkfifo(tmp_path / "in" / "ida_01_first.ipynb")
        rows = graded(tmp_path)
        unreadable = [(name, number) for name in ("dora", "eve", "gil", "ida") for number in ("1.1", "1.2")]
        assert {key: (row["outcome"], row["points"]) for key, row in rows.items()} == {
            ("anna", "1.1"): ("right", "2"),
            ("anna", "1.2"): ("not quite", "0"),
            ("ben", "1.1"): ("raised", "0"),
            ("ben", "1.2"): ("right", "3"),
            ("'=cem()", "1.1"): ("missing", "0"),
            ("'=cem()", "1.2"): ("not yet", "0"),
            ("fay", "1.1"): ("missing", "0"),
            ("fay", "1.2"): ("raised", "0"),
            **dict.fromkeys(unreadable, ("unreadable", "0")),
        }
        with (tmp_path / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
            assert list(csv.DictReader(file)) == list(rows.values())

    def test_what_is_said_is_one_line_and_no_formula(self, hand_in, tmp_path):
        hand_in("a/01_first.ipynb", "class Ä(Exception): pass\nraise Ä('x\\n\\x1b[31m,\"y\"' + 'z' * 9999)")
        said = graded(tmp_path)["a", "1.1"]["said"]
        assert said.startswith('Ä: x [31m,"y"zzz')
        assert len(said) == 500
        assert [grading._safe(text) for text in (" @x", "+1", "\t-1", "1=1")] == ["'@x", "'+1", "'-1", "1=1"]

    def test_a_second_run_does_only_what_is_new_and_leaves_points_given_by_hand(self, hand_in, tmp_path, monkeypatch):
        for name in ("NA", "ben"):
            hand_in(f"{name}/01_first.ipynb", RIGHT)
        monkeypatch.setattr(grading, "judged", lambda *_: ("right", "yes"))
        graded(tmp_path)
        table = tmp_path / "grades.csv"
        table.write_text(table.read_text("utf-8-sig").replace("NA,01_first,1.1,2,2", "NA,01_first,1.1,2,0.5"), "utf-8")
        asked = []
        monkeypatch.setattr(grading, "judged", lambda answer, *_: asked.append(answer) or ("too long", "now"))
        hand_in("ben/01_first.ipynb", RIGHT + "  # better")
        for _ in range(2):  # what was too long is tried again
            rows = graded(tmp_path)
        assert asked == [RIGHT + "  # better"] * 2
        assert (rows["NA", "1.1"]["points"], rows["ben", "1.1"]["said"]) == ("0.5", "now")
        assert grading.summary(list(rows.values())).splitlines()[1].split() == ["NA", "right", "right", "3.5"]

    def test_what_was_finished_stays_when_interrupted(self, hand_in, tmp_path, monkeypatch):
        def interrupted(answer, exercise, *_):
            if exercise.number == "1.2":
                raise KeyboardInterrupt
            return "right", ""

        hand_in("anna/01_first.ipynb")
        monkeypatch.setattr(grading, "judged", interrupted)
        with pytest.raises(KeyboardInterrupt):
            graded(tmp_path)
        assert (tmp_path / "grades.csv").read_text("utf-8-sig").count("right") == 1

    @pytest.mark.parametrize("table", [b"name,mark\nanna,1\n", ";".join(grading.COLUMNS).encode(), b"\n", b"\xff\xfe"])
    def test_another_table_is_not_overwritten(self, hand_in, tmp_path, table):
        hand_in("anna/01_first.ipynb")
        (tmp_path / "grades.csv").write_bytes(table)
        with pytest.raises(ValueError, match="is no table of this command"):
            graded(tmp_path)
        assert (tmp_path / "grades.csv").read_bytes() == table

    def test_command_line_warns_without_bubblewrap_and_keeps_the_limits(self, hand_in, tmp_path, monkeypatch, capsys):
        monkeypatch.setattr(sandbox, "possible", lambda: False)
        hand_in("anna/01_first.ipynb", "big = bytearray(2**34)\n" + RIGHT, HALF)
        hand_in("anna/mine.ipynb")
        assert main(["grade", str(tmp_path / "in"), "--into", str(tmp_path / "g.csv"), "--memory", "1"]) == 0
        said = capsys.readouterr()
        head, row = (line.split() for line in said.out.splitlines()[:2])
        assert head == ["01_first", "1.1", "1.2", "points", "of", "5"]
        assert row == ["anna", "too", "much", "memory", "right", "3"]
        assert said.err.count("WARNING: bubblewrap") == 1
        assert "mine.ipynb" in said.err


class TestLessons:
    def test_no_solution_looks_odd(self, path):
        assert unusual(lessons.solutions_of(path)) == []

    @pytest.mark.slow
    def test_every_solution_is_right_with_no_more_cells_than_are_needed(self, path):
        solved = lessons.solutions(lessons.solutions_of(path))
        for exercise in exercises(lessons.read(path)):
            outcome = grading.judged(f"import torch\n\n{solved[exercise.function]}", exercise, 5, 6)
            assert outcome[0] == "right", (exercise.number, outcome)

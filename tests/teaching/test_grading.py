"""Marks: what each kind of answer gets, what a second run leaves alone, and that no answer ends the run of a class."""

import csv
import json
import os

import nbformat
import pytest

from bertlab import lessons
from bertlab.__main__ import main
from bertlab_teaching import solving
from bertlab_teaching.marking import grading, marks, sandbox, worker
from bertlab_teaching.marking.submissions import exercises, needed, safe
from bertlab_teaching.marking.usual import unusual

RIGHT = "def double(x):\n    return 2 * x"
HALF = "def half(x):\n    return x / 2"


def graded(tmp_path, **options):
    rows = grading.grade(tmp_path / "in", tmp_path / "grades.csv", **options)
    return {(row["student"], row["exercise"] or row["lesson"]): row for row in rows}


def right(monkeypatch, outcome="right"):
    """Let all answers have an outcome without running them; return what is asked for."""
    asked = []
    monkeypatch.setattr(grading, "judged", lambda answer, *_: asked.append(answer) or (outcome, "yes"))
    return asked


class TestTable:
    def test_each_exercise_of_each_student_whatever_becomes_of_the_others(self, hand_in, tmp_path):
        hand_in("anna/01_first.ipynb", f"%matplotlib inline\n{RIGHT}", "def half(x):\n    return x // 3")
        hand_in("ben/01_first.ipynb", "import os\nos._exit(1)", HALF)
        hand_in("=cem()/01_first.ipynb", None)
        odd = nbformat.v4.new_code_cell("'\ud800'", metadata={"tags": ["exercise", "1.2"]})  # half of a letter
        damaged = {"dora": "{", "eve": "[" * 100_000, "hal": " \n", "jan": "\n<!DOCTYPE html>"}
        damaged |= {"kim": '{"cells": [\n<<<<<<< HEAD\n', "lea": nbformat.writes(nbformat.v4.new_notebook(), 3)}
        whats = ("damaged", "damaged", "empty. Save", "a web page (HTML). Download", "a merge", "of the old format 3")
        for name, text in (damaged | {"fay": json.dumps(nbformat.v4.new_notebook(cells=[odd]))}).items():
            (tmp_path / "in" / name).mkdir()
            (tmp_path / "in" / name / "01_first.ipynb").write_text(text)
        (tmp_path / "in" / "gil_01_first.ipynb").symlink_to("/dev/zero")
        os.mkfifo(tmp_path / "in" / "ida_01_first.ipynb")
        rows = graded(tmp_path)
        unreadable = [(name, number) for name in (*damaged, "gil", "ida") for number in ("1.1", "1.2")]
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
        for name, what in zip(damaged, whats, strict=True):
            assert f"'01_first.ipynb' cannot be read as a notebook: it is {what}" in rows[name, "1.1"]["said"]
        with (tmp_path / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
            assert list(csv.DictReader(file)) == list(rows.values())

    def test_each_file_and_folder_that_is_left_out_has_its_reason(self, hand_in, tmp_path, monkeypatch):
        right(monkeypatch)
        for name in ("anna/01_first.ipynb", "ben/01_first.ipynb", "ben\u200b/01_first (1).ipynb"):
            hand_in(name, RIGHT)
        for name in (".gil/01_first.ipynb", "hal/.git/01_first.ipynb"):
            hand_in(name)
        hand_in("carl/02.ipynb", None, None)
        for name in ("dora/01_first.ipynb.txt", "dora/all.zip", "=eve/\x1b[31mnotes.pdf"):
            (tmp_path / "in" / name).parent.mkdir(exist_ok=True)
            (tmp_path / "in" / name).write_bytes(b"")
        (tmp_path / "in" / "carl" / "04.ipynb").write_text("{")
        (tmp_path / "in" / "fay").symlink_to(tmp_path / "in" / "anna")
        (tmp_path / "in" / "ida" / "01_first.ipynb").mkdir(parents=True)
        rows = graded(tmp_path)
        several = "one of several notebooks of this lesson by this student: leave one, and give the same command again"
        left_out = {name: row["said"] for (_, name), row in rows.items() if row["outcome"] == "left out"}
        assert left_out.pop("carl/04.ipynb").startswith("'04.ipynb' cannot be read as a notebook")
        assert left_out == {
            "ben/01_first.ipynb": several,
            "ben /01_first (1).ipynb": several,
            "carl/02.ipynb": "it has no exercise of any lesson",
            "dora/01_first.ipynb.txt": "no notebook (.ipynb)",
            "dora/all.zip": "no notebook (.ipynb)",
            "'=eve/ [31mnotes.pdf": "no notebook (.ipynb)",
            "fay": "a link to a folder",
            ".gil": "a hidden folder",
            "hal/.git": "a hidden folder",
            "ida/01_first.ipynb": "a folder, no notebook",
        }
        assert [key for key, row in rows.items() if row["points"] == "2"] == [("anna", "1.1")]
        (tmp_path / "in" / "ben" / "01_first.ipynb").unlink()
        rows = graded(tmp_path)
        assert ("ben", "ben/01_first.ipynb") not in rows
        assert rows["ben", "1.1"]["points"] == "2"
        summary = marks.summary(list(rows.values())).splitlines()
        assert summary[1].split() == ["anna", "right", "right", "5"]
        assert "carl/02.ipynb: it has no exercise of any lesson" in summary

    def test_a_folder_without_lessons_is_refused(self, lesson, tmp_path):
        (tmp_path / "in").mkdir()
        (tmp_path / "in" / "notes.txt").write_text("")
        with pytest.raises(ValueError, match=r"that is one of these: 01_first\.ipynb"):
            graded(tmp_path)
        assert not (tmp_path / "grades.csv").exists()

    def test_what_is_said_is_one_line_and_no_formula(self, hand_in, tmp_path):
        hand_in("a/01_first.ipynb", "class Ä(Exception): pass\nraise Ä('x\\n\\x1b[31m,\"y\"' + 'z' * 9999)")
        said = graded(tmp_path)["a", "1.1"]["said"]
        assert said.startswith('Ä: x [31m,"y"zzz')
        assert len(said) == 500
        texts = (" @x", "+1", "\t-1", "＝1", "x;=1;y", 'x; "=1', "1=1", "a; b")
        assert [safe(text) for text in texts] == ["'@x", "'+1", "'-1", "'＝1", "x;'=1;y", "x; \"'=1", "1=1", "a; b"]
        names = [os.fsdecode(name) for name in (b"bad\xff", b"bad\xfe")]
        assert [safe(name) for name in names] == ["bad\\xff", "bad\\xfe"], "two names stay two"

    def test_a_second_run_does_only_what_is_new_and_leaves_points_given_by_hand(self, hand_in, tmp_path, monkeypatch):
        for name in ("NA", "ben"):
            hand_in(f"{name}/01_first.ipynb", RIGHT, None)
        right(monkeypatch)
        graded(tmp_path)
        table = tmp_path / "grades.csv"
        text = table.read_text("utf-8-sig").replace(",", ";")  # as some spreadsheets save it
        text = text.replace("NA;;01_first;1.1;2;2", "NA;;01_first;1.1;2;0.5")
        table.write_text(text.replace("NA;;01_first;1.2;3;3", "NA;;01_first;1.2;3;1,5"), "utf-8")
        asked = right(monkeypatch, "too long")
        hand_in("ben/01_first.ipynb", RIGHT + "  # better", None)
        for _ in range(2):  # what was too long is tried again
            graded(tmp_path)
        assert asked == [RIGHT + "  # better"] * 2
        table.write_text(table.read_text("utf-8-sig").replace("1.1,2,,too long", "1.1,2,0,too long"), "utf-8")
        rows = graded(tmp_path)  # but not once it has points, none for one
        assert len(asked) == 2
        assert (rows["NA", "1.1"]["points"], rows["ben", "1.1"]["outcome"]) == ("0.5", "too long")
        assert all(row["answer"][0].isalpha() for row in rows.values())  # 12e4 is a number to a spreadsheet
        assert marks.summary(list(rows.values())).splitlines()[1].split() == ["NA", "right", "right", "2"]

    def test_an_interrupt_ends_all_that_run_at_a_time_and_what_was_finished_stays(self, hand_in, tmp_path, monkeypatch):
        def write(into, rows, before):
            if [row["outcome"] for row in rows.values()].count("raised") == 3:  # beside those that sleep
                raise KeyboardInterrupt
            return real(into, rows, before)

        real = marks.write
        monkeypatch.setattr(marks, "write", write)
        for name in ("anna", "ben", "carl"):
            hand_in(f"{name}/01_first.ipynb", f"import time\ntime.sleep(600)\n{RIGHT}", "1 / 0\n" + HALF)
        with pytest.raises(KeyboardInterrupt):
            graded(tmp_path, jobs=4)
        assert (tmp_path / "grades.csv").read_text("utf-8-sig").count("raised") == 2

    def test_one_students_cell_never_ends_the_run(self, hand_in, tmp_path, monkeypatch):
        deep = f"if False:\n    a{'.b' * 420} = 1\n{RIGHT}"
        hand_in("anna/01_first.ipynb", deep, HALF)
        real = grading.judged
        monkeypatch.setattr(grading, "judged", lambda answer, *rest: 1 / 0 if answer == HALF else real(answer, *rest))
        rows = graded(tmp_path)
        assert rows["anna", "1.1"]["outcome"] in ("look at it", "raised")
        assert rows["anna", "1.2"]["said"] == "it could not be judged: ZeroDivisionError: division by zero"

    def test_equal_answers_name_each_other(self, hand_in, tmp_path, monkeypatch):
        right(monkeypatch)
        hand_in("anna/01_first.ipynb", RIGHT, HALF)
        hand_in("ben/01_first.ipynb", 'def double(x):\n    """Mine."""\n\n    return (2*x)  # I think', "def half(x")
        hand_in("carl/01_first.ipynb", "def double(x):\n    return x + x", "def half(x")
        hand_in("dora/01_first.ipynb")
        rows = graded(tmp_path)
        assert {key: row["same as"] for key, row in rows.items() if row["same as"]} == {
            ("anna", "1.1"): "the solution, ben",
            ("ben", "1.1"): "the solution, anna",
            ("anna", "1.2"): "the solution",
            ("ben", "1.2"): "carl",
            ("carl", "1.2"): "ben",
        }
        hand_in("ben/01_first.ipynb", "def double(x):\n    return x * 2", HALF)
        assert graded(tmp_path)["anna", "1.1"]["same as"] == "the solution", "though it was not graded again"

    def test_what_another_run_or_a_teacher_wrote_meanwhile_is_not_lost(self, hand_in, tmp_path, monkeypatch):
        def judged(*_):
            (tmp_path / "grades.csv").write_text("student,points\nanna,1\n")
            return "right", ""

        hand_in("anna/01_first.ipynb", RIGHT)
        monkeypatch.setattr(grading, "judged", judged)
        with pytest.raises(ValueError, match="was changed while this command ran"):
            graded(tmp_path)
        assert (tmp_path / "grades.csv").read_text() == "student,points\nanna,1\n"

    @pytest.mark.parametrize("row", ["1.1,2,two", "1.1,2,nan", "01. Jan,2,2"])
    def test_another_table_is_not_overwritten(self, hand_in, tmp_path, row):
        hand_in("anna/01_first.ipynb")
        head = ",".join(marks.COLUMNS)
        for table in (f"{head}\na,,01_first,{row},right,,0,\n", head.replace("student", "who"), "\n", "\udcff\udcfe"):
            (tmp_path / "grades.csv").write_text(table, "utf-8", "surrogateescape")
            with pytest.raises(ValueError, match="is no table of this command"):
                graded(tmp_path)
            assert (tmp_path / "grades.csv").read_text("utf-8", "surrogateescape") == table

    def test_command_line_refuses_without_bubblewrap_unless_told_and_keeps_the_limits(
        self, hand_in, tmp_path, monkeypatch, capsys
    ):
        monkeypatch.setattr(sandbox, "seal", lambda: None)
        monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
        hand_in("anna/01_first.ipynb", "big = bytearray(2**34)\n" + RIGHT, HALF)
        hand_in("anna/mine.ipynb", None, None)
        command = ["grade", str(tmp_path / "in"), "--into", str(tmp_path / "g.csv"), "--memory", "1"]
        assert main(["grade", str(tmp_path / "gone")]) == 1
        assert "There is no folder" in capsys.readouterr().err
        assert main(command) == 1
        assert "--unsafe" in capsys.readouterr().err
        assert not (tmp_path / "g.csv").exists()
        assert main([*command, "--unsafe"]) == 0
        said = capsys.readouterr()
        head, row = (line.split() for line in said.out.splitlines()[:2])
        assert head == ["01_first", "1.1", "1.2", "points", "of", "5"]
        assert row == ["anna", "too", "much", "memory", "right", "3", "+", "2", "to", "look", "at"]
        assert said.err.count("WARNING: submissions run with all your rights, AND YOU ARE ROOT") == 1
        assert "mine.ipynb: it has no exercise" in said.out


def test_a_row_and_a_page_for_each_student(hand_in, tmp_path, monkeypatch):
    outcomes = {RIGHT: ("right", "yes"), HALF: ("look at it", "import os, and: yes")}
    monkeypatch.setattr(grading, "judged", lambda answer, *_: outcomes.get(answer, ("not quite", "=1 is not 2")))
    hand_in("Anna Ö_12_assignsubmission_file_/01_first.ipynb", RIGHT, HALF)
    hand_in("Anna Ö_13_assignsubmission_file_/01_first.ipynb", "def double(x): return 1", "def half(x): pass\n" + RIGHT)
    hand_in("\u200b../01_first.ipynb", RIGHT)
    (tmp_path / "in" / "ben").mkdir()
    (tmp_path / "in" / "ben" / "a.doc").write_bytes(b"")
    folder = tmp_path / "in"
    command = [str(folder), "--unsafe", "--into", str(folder / "g.csv"), "--wide", str(folder / "w.csv")]
    assert main(["grade", *command, "--feedback", str(folder / "pages"), "--jobs", "2"]) == 0
    assert (folder / "w.csv").read_text("utf-8-sig").splitlines() == [
        "student,number,1.1,1.2,points,to look at",
        "..,,2,0,2,",
        "Anna Ö,12,2,,2,01_first 1.2: look at it",
        "Anna Ö,13,0,0,0,",
        "ben,,,,,ben/a.doc: left out",
    ]
    pages = {str(path.relative_to(folder / "pages")): path for path in (folder / "pages").rglob("*.txt")}
    anna = "Anna Ö_12_assignsubmission_file_/feedback.txt"
    assert set(pages) == {anna, anna.replace("12", "13"), "ben/feedback.txt", "feedback.txt"}
    assert pages[anna].read_text() == (
        "Anna Ö\nbertlab, 01_first\n\nEach answer was run again with other inputs than in the notebook. Where it says "
        '"not quite", read the reason, change the\nanswer, and run its check; the hints below each exercise lead to it '
        "step by step.\n\n01_first, exercise 1.1: 2 of 2 points\n    right. yes\n\n"
        "01_first, exercise 1.2: not yet decided\n    your teacher reads it first: import os\n\n"
        "So far 2 of 5 points; 3 are not decided yet.\n"
    )
    by_hand = (folder / "g.csv").read_text("utf-8-sig").replace("1.2,3,,look at it", "1.2,3,0,look at it")
    (folder / "g.csv").write_text(by_hand, "utf-8")
    command[-1:] = [str(folder / "w2.csv"), "--feedback", str(folder / "pages2")]
    assert main(["grade", *command]) == 0
    assert (folder / "w2.csv").read_text("utf-8-sig").splitlines()[2] == "Anna Ö,12,2,0,2,"
    told = (folder / "pages2" / anna).read_text()
    assert "1.2: 0 of 3 points\n    your teacher has read it\n" in told
    assert told.endswith("Together 2 of 5 points.\n")
    assert "no notebook" in pages["ben/feedback.txt"].read_text()


def test_feedback_never_goes_where_a_student_may_have_put_a_link(hand_in, tmp_path, capsys):
    hand_in("anna/01_first.ipynb")
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "in" / "anna" / "feedback.txt").symlink_to(tmp_path / "mine")
    for folder in (tmp_path / "in", tmp_path):
        assert main(["grade", str(tmp_path / "in"), "--feedback", str(folder)]) == 1
        assert "Name another --feedback" in capsys.readouterr().err
    assert (tmp_path / "mine").read_text() == "mine"


class TestLessons:
    def test_no_solution_looks_odd(self, path):
        assert unusual(solving.solutions_of(path)) == []

    @pytest.mark.slow
    def test_every_solution_is_right_with_no_more_cells_than_are_needed(self, path):
        for exercise in exercises(lessons.read(path)):
            cells = needed(exercise.before, exercise.check, solution(path, exercise))
            outcome = worker.judge(cells, solution(path, exercise), exercise.function, exercise.check)
            assert outcome[0] == "right", (exercise.number, outcome)

    @pytest.mark.slow
    def test_apart_a_solution_has_all_that_it_needs(self):
        path = lessons.paths()[0]
        *_, exercise = exercises(lessons.read(path))
        outcome = grading.judged(solution(path, exercise), exercise, 60, 6)
        assert outcome[0] == "right", outcome


def solution(path, exercise):
    return f"import torch\n\n{solving.solutions(solving.solutions_of(path))[exercise.function]}"

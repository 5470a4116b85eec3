"""The table of marks in its other forms: a row and a page for each student."""

from bertlab.__main__ import main
from bertlab_teaching.marking import grading

RIGHT = "def double(x):\n    return 2 * x"
HALF = "def half(x):\n    return x / 2"


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

"""A class of forty: each hands in one file, honest or not, named as people name files; each has an outcome."""

import json

import nbformat
import pytest

from bertlab import lessons
from bertlab_teaching.marking import grading, sandbox
from bertlab_teaching.marking.submissions import exercises, find

SECRET = "what nobody may read"
RIGHT = "def double(x):\n    return 2 * x"
LATER = "def double(x):\n    return twice(x)"
MOODLE = "_assignsubmission_file_/"
CATCH = (
    "def double(x):\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass"
)
FRAMES = """import os, sys
frame = sys._getframe()
while "task" not in frame.f_locals:
    frame = frame.f_back
os.write(frame.f_locals["answer"], ("\\n" + frame.f_locals["task"]["word"] + {line!r} + "\\n").encode())
os._exit(0)"""


def reads(path):
    return f"raise ValueError(open({str(path)!r}).read())"


def forms(path):
    """Return a class: the name of each file, its cell or its text, the outcome, and words of what is said."""
    other, table = path / "in" / "ben.ipynb", path / "grades.csv"
    solutions = lessons.paths()[0].with_suffix(".solutions.py")
    outside = f"import os\nos.unlink({str(path / 'home')!r})"
    children = "big = bytearray(b'x') * (700 * 2**20)\nfor _ in range(3):\n    os.fork()\ntime.sleep(600)"
    return {
        # honest, and named as people name files
        "anna/01_first.ipynb": (RIGHT, "right", "is not"),
        "ben.ipynb": (f"# {SECRET}\ndef double(x):\n    return 2.0 * x", "right", ""),
        f"Søren Ångström-Nguyễn_101{MOODLE}01_first.ipynb": (RIGHT + "  # ø", "right", ""),
        f"李雷_102{MOODLE}01_first (1).ipynb": ("def double(x):\n    return x * 2", "right", ""),
        "O'Neil, Ada-Copy1.ipynb": ("def double(x):\n    return x + x", "right", ""),
        "fritz/lesson1_final_v2.IPYNB": (RIGHT, "right", ""),
        "week 1/greta_01_first.ipynb": (RIGHT, "right", ""),
        "=1+1/01_first.ipynb": (RIGHT, "right", ""),
        "heidi/01_first.ipynb": (None, "missing", "no cell of exercise 1.1"),
        "ida/01_first.ipynb": ("", "not yet", "handed out"),
        "jan/01_first.ipynb": ("def double(x):\n    return x * x + 1", "not quite", "is not"),
        "kim/01_first.ipynb": ("def double(x)\n    return 2 * x", "raised", "SyntaxError: expected ':'"),
        "lena/01_first.ipynb": ("%timeit 1\n" + RIGHT, "raised", "SyntaxError"),
        "max/01_first.ipynb": (LATER, "raised", "which is taken alone"),
        "nora/01_first.ipynb": ("def double(x):\n    return math.prod([2, x])", "raised", "taken alone"),
        "olga/01_first.ipynb": ("import math\ndef double(x):\n    return math.prod([2, x])", "right", ""),
        "paul/01_first.ipynb": ("print('x' * 10**8)\n" + RIGHT, "right", ""),
        # no notebooks, or no plain ones
        "quin/01_first.ipynb": ("{", "unreadable", "cannot be read as a notebook"),
        "rosa/01_first.ipynb": ("[" * 100_000, "unreadable", "cannot be read as a notebook"),
        "sam/essay.pdf": ("%PDF", "left out", "no notebook"),
        "tina/01_first.ipynb.txt": ("{}", "left out", "no notebook"),
        "udo/R.ipynb": (json.dumps(nbformat.v4.new_notebook()), "left out", "no exercise of any lesson"),
        "vera/01_first.ipynb": (json.dumps({"nbformat": 4, "cells": 7}), "unreadable", "cannot be read"),
        # hostile
        "will/01_first.ipynb": (reads(other), "raised", "No such file"),
        "xena/01_first.ipynb": (reads(table), "raised", "No such file"),
        "yuri/01_first.ipynb": (reads(solutions), "raised", "No such file"),
        "zoe/01_first.ipynb": (reads(path / "home"), "raised", "No such file"),
        "abe/01_first.ipynb": (reads("/etc/shadow"), "raised", "No such file"),
        "bea/01_first.ipynb": ("while True:\n    pass", "too long", "not come to an end"),
        "cleo/01_first.ipynb": (CATCH, "too long", "not come to an end"),
        "dan/01_first.ipynb": ("big = bytearray(2**34)\n" + RIGHT, "too much memory", ""),
        "ella/01_first.ipynb": ("import os, time\n" + children, "too much memory", "the system ended it"),
        "finn/01_first.ipynb": ("import os\nos._exit(0)", "raised", "ended Python"),
        "gabi/01_first.ipynb": (FRAMES.format(line="[7"), "raised", "of its own"),
        "hans/01_first.ipynb": (FRAMES.format(line='["lesson", "it is broken"]'), "raised", "it is broken"),
        "inga/01_first.ipynb": (f"if False:\n    a{'.b' * 420} = 1\n{RIGHT}", None, ""),
        "jon/01_first.ipynb": (f"x = {'-' * 100_000}1\n{RIGHT}", None, ""),
        "kai/01_first.ipynb": ("import os\n" + RIGHT, "look at it", "import os"),
        "lou/01_first.ipynb": ("raise ValueError('x;=1+1;\\x1b[31m')", "raised", "x;'=1+1;"),
        "mia/01_first.ipynb": (outside, "raised", "No such file"),
    }


@pytest.mark.slow
@pytest.mark.skipif(sandbox.seal() is None, reason="bubblewrap is not here, or does not work")
def test_forty_submissions_each_have_their_outcome(lesson, tmp_path, monkeypatch):
    def judged(answer, exercise, _minutes, memory):
        return real(answer, exercise, 0.05 if "while True" in (answer or "") else 5, memory)

    real = grading.judged
    monkeypatch.setattr(grading, "judged", judged)  # so that a slow machine changes nothing
    handed_in = forms(tmp_path)
    (tmp_path / "home").write_text(SECRET)
    for name, (source, *_) in handed_in.items():
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if source and source[0] in "{[%" and "double" not in source:
            path.write_text(source)
            continue
        notebook = lessons.read(lesson)
        notebook.cells[3].source = source or notebook.cells[3].source
        notebook.cells.insert(3, nbformat.v4.new_code_cell("import math\ntwice = lambda x: 2 * x"))
        if source is None:
            del notebook.cells[4]
        lessons.write(notebook, path)
    rows = grading.grade(tmp_path / "in", tmp_path / "grades.csv", memory=1, jobs=2)
    outcomes = {(row["student"], row["number"]): row for row in rows if row["exercise"] != "1.2"}
    assert len(outcomes) == len(handed_in) == 40
    for one in find(tmp_path / "in", {path: exercises(lessons.read(path)) for path in lessons.paths()}):
        row, name = outcomes[one.student, one.number], str(one.path.relative_to(tmp_path / "in"))
        _, outcome, said = handed_in[name]
        print(f"| {name} | {row['outcome']} | {row['said'][:70]} | {row['same as']} |")
        assert row["outcome"] in ([outcome] if outcome else ["look at it", "raised", "too much memory"]), (name, row)
        assert said in row["said"]
        assert SECRET not in row["said"]
    assert (tmp_path / "home").read_text() == SECRET

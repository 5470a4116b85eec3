"""What each kind of answer gets: an outcome, and the reason in words."""

import pytest

from bertlab import lessons
from bertlab_teaching.marking import grading
from bertlab_teaching.marking.submissions import exercises

RIGHT = "def double(x):\n    return 2 * x"


def judged(lesson, source, minutes=5):
    return grading.judged(source, exercises(lessons.read(lesson))[0], minutes, 1.0)


FORGE = """import os, sys
frame = sys._getframe()
while "task" not in frame.f_locals:
    frame = frame.f_back
os.write(frame.f_locals["answer"], ("\\n" + frame.f_locals["task"]["word"] + {line!r} + "\\n").encode())
os._exit(0)"""


@pytest.mark.parametrize(
    ("source", "outcome", "said"),
    [
        (RIGHT, "right", " is not "),
        ("def double(x):\n    return x * x + 1", "not quite", " is not "),
        ("def double(x):\n    return 84", "not quite", "is not 84"),
        ("def double(x):\n    return None  # I do not know", "not yet", "is not None"),
        ("def double(x)\n    return 2 * x", "raised", "SyntaxError: expected ':'"),
        ("1 / 0\n" + RIGHT, "raised", "ZeroDivisionError"),
        ("twice = lambda x: 2 * x", "raised", "no double, which the check calls. Give your function this name."),
        ("print('right: yes')\nprint('\\n[\"right\", \"yes\"]')\nimport os\nos._exit(0)", "raised", ""),
        ("big = bytearray(2**34)\n" + RIGHT, "too much memory", "MemoryError"),
        ("import os\nos.kill(os.getpid(), 9)", "too much memory", "the system ended it"),
        ("def double(x):\n    return twice(x)", "raised", "name 'twice' is not defined. What it needs of your own"),
        # Forged: another Outcome in the cell changes nothing; what reaches for the checks is looked at.
        ("Outcome = lambda *_: 'right'\nsecrets = None\ndef double(x):\n    return 3", "not quite", "is not"),
        ("import sys\n" + RIGHT, "look at it", "import sys"),
        (FORGE.format(line='["lesson", "your machine is broken"]'), "raised", "your machine is broken"),
        (FORGE.format(line="[" * 100_000), "raised", "of its own"),
    ],
)
def test_each_kind_of_answer(lesson, source, outcome, said):
    reason, message = judged(lesson, source)
    assert (reason, said in message) == (outcome, True), message


def test_a_cell_that_no_parser_gets_through(lesson):
    assert judged(lesson, f"x = {'-' * 100_000}1\n{RIGHT}")[0] in ("raised", "too much memory")


@pytest.mark.parametrize(
    "source",
    [
        "while True:\n    pass",
        "def double(x):\n    while True:\n        try:\n            while True: pass\n"
        "        except BaseException: pass",
        "import os, time\nif os.fork():\n    time.sleep(60)\ntime.sleep(60)",
    ],
    ids=["in the cell", "catching all", "in a child"],
)
def test_a_loop_without_end_is_ended(lesson, source):
    assert judged(lesson, source, minutes=0.8 / 60)[0] == "too long"


def test_a_lesson_that_fails_is_no_students_fault(lesson):
    notebook = lessons.read(lesson)
    notebook.cells[0].source = "import secrets\nfrom bertlab.checks import Outcom as Outcome"
    lessons.write(notebook, lesson)
    with pytest.raises(RuntimeError, match="the lesson itself fails here, without anything of a student's: Import"):
        judged(lesson, RIGHT)

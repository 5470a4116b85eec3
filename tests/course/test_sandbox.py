"""Submissions are programs: what each kind of answer gets, and what none of them can read, reach or leave behind."""

import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from bertlab.course import grading, sandbox
from bertlab.course import notebooks as lessons
from bertlab.course.submissions import exercises

RIGHT = "def double(x):\n    return 2 * x"


def judged(lesson, source, minutes=0.5, memory=1.0):
    return grading.judged(source, exercises(lessons.read(lesson))[0], minutes, memory)


FORGE = """import os, sys
frame = sys._getframe()
while "task" not in frame.f_locals:
    frame = frame.f_back
os.write(frame.f_locals["answer"], ("\\n" + frame.f_locals["task"]["word"] + {line!r} + "\\n").encode())
os._exit(0)"""


class TestOutcomes:
    @pytest.mark.parametrize(
        ("source", "outcome", "said"),
        [
            (RIGHT, "right", " is not "),
            ("def double(x):\n    return x * x + 1", "not quite", " is not "),
            ("def double(x):\n    return 84", "not quite", "is not 84"),
            ("def double(x):\n    return None  # I do not know", "not yet", "is not None"),
            ("def double(x)\n    return 2 * x", "raised", "SyntaxError: expected ':'"),
            ("1 / 0\n" + RIGHT, "raised", "ZeroDivisionError"),
            ("twice = lambda x: 2 * x", "raised", "defines no double"),
            ("def double(x):\n    raise KeyboardInterrupt", "raised", "KeyboardInterrupt"),
            ("import os\nos._exit(0)", "raised", "status 0"),
            ("'\ud800'\n" + RIGHT, "raised", "UnicodeEncodeError"),
            ("print('right: yes')\nprint('\\n[\"right\", \"yes\"]')\nimport os\nos._exit(0)", "raised", ""),
            ("big = bytearray(2**34)\n" + RIGHT, "too much memory", "MemoryError"),
            ("import os\nos.kill(os.getpid(), 9)", "too much memory", "the system ended it"),
            # Forged: another Outcome in the cell changes nothing; what reaches for the checks is looked at.
            ("Outcome = lambda *_: 'right'\nsecrets = None\ndef double(x):\n    return 3", "not quite", "is not"),
            ("import sys\n" + RIGHT, "look at it", "import sys"),
            (FORGE.format(line='["lesson", "your machine is broken"]'), "raised", "your machine is broken"),
            (FORGE.format(line="[7"), "raised", "of its own"),
            (FORGE.format(line="[" * 100_000), "raised", "of its own"),
        ],
    )
    def test_each_kind_of_answer(self, lesson, source, outcome, said):
        reason, message = judged(lesson, source)
        assert (reason, said in message) == (outcome, True), message

    def test_a_cell_that_no_parser_gets_through(self, lesson):
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
    def test_a_loop_without_end_is_ended(self, lesson, source):
        assert judged(lesson, source, minutes=0.8 / 60)[0] == "too long"

    def test_a_lesson_that_fails_is_no_students_fault(self, lesson):
        notebook = lessons.read(lesson)
        notebook.cells[0].source = "import secrets\nfrom bertlab.checks import Outcom as Outcome"
        lessons.write(notebook, lesson)
        with pytest.raises(RuntimeError, match="the lesson itself fails here, without anything of a student's: Import"):
            judged(lesson, RIGHT)


@pytest.mark.skipif(not sandbox.possible(), reason="bubblewrap is not here, or does not work")
class TestSandbox:
    def probe(self, lesson, line):
        """Return what a student's cell finds out: the value of a line, in the name of an error."""
        return judged(lesson, f"import os, pathlib, socket, subprocess\nraise KeyError({line})")[1]

    def test_marks_homes_other_submissions_solutions_and_passwords_are_not_there(self, lesson, tmp_path):
        (tmp_path / "grades.csv").write_text("marks")
        (tmp_path / "bens").mkdir()
        theirs = shutil.copy(lesson, tmp_path / "bens")
        solutions = lesson.with_suffix(".solutions.py")
        paths = [tmp_path / "grades.csv", theirs, solutions, Path("/etc/passwd")]
        paths += [Path(__file__), *Path.home().glob(".*rc"), Path("/run"), Path("/var")]
        shown = [str(path) for path in paths]
        assert all(os.path.exists(path) for path in shown)  # noqa: PTH110 (as in the probe)
        assert self.probe(lesson, f"[path for path in {shown!r} if os.path.exists(path)]") == "KeyError: []"
        assert self.probe(lesson, "pathlib.os.environ.get('HOME')") == "KeyError: '/tmp'"

    def test_the_solutions_of_an_installed_package_are_hidden(self, tmp_path, monkeypatch):
        (tmp_path / "bertlab" / "notebooks").mkdir(parents=True)
        (tmp_path / "bertlab" / "notebooks" / "01_first.solutions.py").write_text("answers")
        monkeypatch.setattr(sandbox, "PACKAGE", tmp_path / "bertlab")
        listing = subprocess.run(
            sandbox.sealed(["ls", "-R", str(tmp_path)]), capture_output=True, text=True, check=True
        )
        assert "notebooks" in listing.stdout
        assert "01_first" not in listing.stdout

    def test_nothing_can_be_written_but_an_empty_folder_of_its_own(self, lesson):
        bound = {str(path).split("/")[2] for path in (sandbox.PACKAGE, sys.prefix) if str(path).startswith("/tmp/")}
        own = f"({{*os.listdir('.')}} - {bound!r}, pathlib.Path('a').write_text('b'), os.path.exists('/tmp/a'))"
        assert self.probe(lesson, own) == "KeyError: (set(), 1, True)"
        for folder in ("/", "/dev/shm", sys.prefix, str(sandbox.PACKAGE)):
            assert "Read-only file system" in self.probe(lesson, f"pathlib.Path({folder!r}, 'new').touch()")
        remount = "subprocess.run(['mount', '-o', 'remount,bind,rw', '/'], stderr=-1).returncode"
        assert self.probe(lesson, remount) != "KeyError: 0"

    def test_nobody_can_be_reached(self, lesson):
        assert "unreachable" in self.probe(lesson, "socket.create_connection(('192.0.2.1', 443), timeout=5)")
        running = "[name for name in os.listdir('/proc') if name.isdigit() and int(name) > 2]"
        assert self.probe(lesson, running) == "KeyError: []", "bubblewrap and the worker themselves"

    def test_what_it_has_started_does_not_outlive_the_grader(self):
        seconds = f"60.{time.time_ns()}"  # tells this process from all others
        cell = f"import subprocess\nsubprocess.Popen(['sleep', '{seconds}'], start_new_session=True).wait()"
        task = json.dumps({"word": "", "memory": 1, "cells": [], "answer": cell, "function": "f", "check": ""})
        grader = f"from bertlab.course import sandbox\nsandbox.run('bertlab.course.worker', {task!r}, 600)"
        process = subprocess.Popen([sys.executable, "-c", grader], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(True, seconds)
        process.kill()
        process.wait()
        wait_until(False, seconds)


def wait_until(running, argument):
    """Wait until a process of this argument runs, or no more; what outlives this test ends soon by itself."""
    until = time.monotonic() + 20
    commands = None
    while commands is None or (f"sleep\0{argument}\0".encode() in commands) is not running:
        assert time.monotonic() < until
        time.sleep(0.05)
        commands = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):  # it has just ended
                commands.append(path.read_bytes())

"""Marks: whose notebook is whose, what each kind of answer gets, and that no answer harms or deceives."""

import csv
import json
import time

import nbformat
import pytest

from bertlab.__main__ import main
from bertlab.checks import runner
from bertlab.course import grading, sealed
from bertlab.course import notebooks as lessons
from bertlab.course.needs import needed
from bertlab.course.submissions import answers, exercises, find, unusual

STUB = 'def double(x):\n    """Return twice x."""\n    return None\n'
CHECK = """given = secrets.randbelow(10**9) + 1
result = double(given)
said = {None: ("blank", "write it"), 2 * given: ("right", "yes"), given * given: ("wrong", "that is the square")}
Outcome(*said.get(result, ("wrong", f"your function raised no error, and {result} is not {2 * given}")))"""
SECOND = STUB.replace("double", "half")

RIGHT = "def double(x):\n    return 2 * x"


@pytest.fixture
def lesson(tmp_path):
    """A lesson of two exercises, whose checks need no torch."""

    def code(source, *tags):
        return nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)})

    cells = [
        code("import secrets\nfrom bertlab.checks import Outcome"),
        code("raise RuntimeError('a cell that no check needs')"),
        nbformat.v4.new_markdown_cell("### 1.1 Twice · recall · ★★ · 10 minutes"),
        code(STUB, "exercise", "1.1"),
        code(CHECK, "check", "1.1"),
        nbformat.v4.new_markdown_cell("### 1.2 Half · modify · ★★★ · 10 minutes"),
        code(SECOND, "exercise", "1.2"),
        code('Outcome("right" if half(8) == 4 else "blank", "half")', "check", "1.2"),
    ]
    (tmp_path / "lessons").mkdir()
    return lessons.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "lessons" / "01_first.ipynb")


@pytest.fixture
def hand_in(lesson, tmp_path):
    """Write a notebook as a student would, with a cell for each exercise; None stands for a cell that was deleted."""

    def write(name, first=STUB, second=SECOND, change=lambda notebook: None):
        notebook = lessons.read(lesson)
        for place, source in ((6, second), (3, first)):
            if source is None:
                del notebook.cells[place]
            else:
                notebook.cells[place].source = source
        change(notebook)
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return lessons.write(notebook, path)

    return write


def judged(lesson, source, minutes=0.5, memory=1.0, **more):
    return grading.judged(source, exercises(lessons.read(lesson))[0], minutes, memory, **more)


def graded(lesson, tmp_path, **limits):
    rows, unknown = grading.grade(tmp_path / "in", tmp_path / "grades.csv", lessons=[lesson], **limits)
    return {(row["student"], row["exercise"]): row for row in rows}, unknown


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
    def test_folders_or_the_names_beginning_tell(self, lesson, hand_in, tmp_path, name, student):
        path = hand_in(name)
        hand_in("anna/.ipynb_checkpoints/01_first.ipynb")
        (one,), unknown = find(tmp_path / "in", [lesson])
        assert (one.student, one.path, unknown) == (student, path, [])

    def test_other_names_are_told_and_left_out(self, lesson, hand_in, tmp_path):
        hand_in("anna/01_first.ipynb")
        other = hand_in("anna/01_first (1).ipynb")
        found, unknown = find(tmp_path / "in", [lesson])
        assert (len(found), unknown) == (1, [other])

    def test_the_same_twice_is_refused_with_both_names(self, lesson, hand_in, tmp_path):
        both = hand_in("anna/01_first.ipynb"), hand_in("anna_01_first.ipynb")
        with pytest.raises(ValueError, match="same lesson of the same student") as refused:
            find(tmp_path / "in", [lesson])
        assert all(str(path) in str(refused.value) for path in both)

    def test_a_folder_without_lessons_or_none_at_all(self, lesson, hand_in, tmp_path):
        with pytest.raises(ValueError, match="There is no folder"):
            find(tmp_path / "in", [lesson])
        hand_in("anna/mine.ipynb")
        with pytest.raises(ValueError, match=r"ends in one of these: 01_first\.ipynb"):
            find(tmp_path / "in", [lesson])


class TestAnswers:
    def found(self, lesson, path):
        return answers(path, exercises(lessons.read(lesson)))["1.1"]

    def test_an_exercise_has_the_number_stars_and_function_of_its_lesson(self, lesson):
        first, second = exercises(lessons.read(lesson))
        assert (first.number, first.stars, first.function, first.check) == ("1.1", 2, "double", CHECK)
        assert (second.number, second.stars, second.function) == ("1.2", 3, "half")

    def test_a_cell_is_found_by_tag_by_id_and_by_its_function(self, lesson, hand_in):
        def no_tags(notebook):
            notebook.cells[3].metadata.pop("tags")

        def nothing(notebook):
            no_tags(notebook)
            notebook.cells[3].id = "another"

        def moved(notebook):
            notebook.cells[3].source = "# see below"
            notebook.cells.append(nbformat.v4.new_code_cell(RIGHT))

        assert self.found(lesson, hand_in("a/01_first.ipynb", RIGHT)) == RIGHT
        for change in (no_tags, nothing, moved):
            assert self.found(lesson, hand_in("a/01_first.ipynb", RIGHT, change=change)) == RIGHT, change

    def test_a_cell_with_a_slip_of_the_pen_is_still_the_students(self, lesson, hand_in):
        assert self.found(lesson, hand_in("a/01_first.ipynb", "def double(x)\n")) == "def double(x)\n"
        assert self.found(lesson, hand_in("a/01_first.ipynb", None)) is None

    def test_what_is_in_no_honest_answer(self):
        for source in (
            "bertlab.checks.masking.judge = 1",
            "from bertlab import checks",
            "from bertlab.checks.outcome import Outcome as O",
            "import inspect",
            "torch.isclose = lambda *_: True",
            "def f(x): return torch.sys.modules",
            "def f(x): return f.__globals__",
            "def f(x): return getattr(bertlab, 'che' + 'cks')",
            "def f(x): return open('answers').read()",
        ):
            assert unusual(source), source

    @pytest.mark.parametrize("path", lessons.paths(), ids=lambda path: path.stem)
    def test_no_solution_looks_odd(self, path):
        assert unusual((path.parent / "solutions" / f"{path.stem}.py").read_text("utf-8")) == []


class TestNeeds:
    def test_a_rebound_name_does_not_bring_back_what_it_was(self):
        assert needed(["x = slow()", "x = 1", "y = x"], "y") == ["x = 1", "y = x"]
        assert needed(["x = 1", "x = x + 1"], "x") == ["x = 1", "x = x + 1"]

    def test_what_a_function_reads_and_what_changes_an_object_belong_to_it(self):
        cells = ["k = 2", "i = 9", "def f(x):\n    i = x * k\n    return i", "seen = []", "seen.append(f)", "seen[0]"]
        assert needed(cells, "f(1)") == ["k = 2", cells[2]]
        assert needed(cells, "seen") == ["k = 2", cells[2], "seen = []", "seen.append(f)"]


class TestOutcomes:
    @pytest.mark.parametrize(
        ("source", "outcome", "said"),
        [
            (RIGHT, "right", "yes"),
            ("def double(x):\n    return x * x", "not quite", "that is the square"),
            (STUB + "\n# I do not know", "not yet", "as it was handed out"),
            ("def double(x)\n    return 2 * x", "raised", "SyntaxError: expected ':'"),
            ("1 / 0\n" + RIGHT, "raised", "ZeroDivisionError"),
            ("twice = lambda x: 2 * x", "raised", "defines no double"),
            ("raise SystemExit\n" + RIGHT, "raised", "SystemExit"),
            ("def double(x):\n    raise KeyboardInterrupt", "raised", "KeyboardInterrupt"),
            ("import os\nos._exit(0)", "raised", "status 0"),
            ("'\ud800'\n" + RIGHT, "raised", "UnicodeEncodeError"),
            ("x = '\0'\n" + RIGHT, "raised", "null bytes"),
            ('print(\'right: yes\')\nprint(\'\\n["check", "right", "yes"]\')\nimport os\nos._exit(0)', "raised", ""),
            ("big = bytearray(2**34)\n" + RIGHT, "too much memory", "MemoryError"),
            # Forged: another Outcome in the cell changes nothing, and one in the checks' own module is looked at.
            ("Outcome = lambda *_: 'right'\nsecrets = None\ndef double(x):\n    return 3", "not quite", "is not"),
            (
                "import bertlab.checks.outcome as o\no.Outcome.__init__.__defaults__ = ('',)\n" + RIGHT,
                "look at it",
                "checks",
            ),
        ],
    )
    def test_each_kind_of_answer(self, lesson, source, outcome, said):
        got = judged(lesson, source)
        assert got[0] == outcome
        assert said in got[1]

    def test_a_cell_that_no_parser_gets_through(self, lesson):
        assert judged(lesson, f"x = {'-' * 100_000}1\n{RIGHT}")[0] in ("raised", "too much memory")

    def test_fresh_inputs_so_that_an_answer_learnt_by_heart_does_not_pass(self, lesson):
        assert judged(lesson, "def double(x):\n    return 84")[0] == "not quite"

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
        start = time.monotonic()
        assert judged(lesson, source, minutes=0.8 / 60)[0] == "too long"
        assert time.monotonic() - start < 20

    def test_what_the_runner_of_checks_says_of_errors_and_memory(self):
        def error(x):
            raise KeyError(x)

        def memory(x):
            return bytearray(2**62)

        for answer, expected in [(error, "raised"), (memory, "too much memory")]:
            said = runner.judge(answer, [(1,)], lambda x: x, {}, "")
            assert grading._named(said.status, said.message, "")[0] == expected

    def test_a_lesson_that_fails_is_no_students_fault(self, lesson):
        notebook = lessons.read(lesson)
        notebook.cells[0].source = "import secrets\nfrom bertlab.checks import Outcom as Outcome"
        lessons.write(notebook, lesson)
        with pytest.raises(RuntimeError, match="the lesson itself fails here, without anything of a student's: Import"):
            judged(lesson, RIGHT)


@pytest.mark.skipif(not sealed.possible(), reason="no namespaces here")
class TestSealed:
    def probe(self, lesson, line, **more):
        """Return what a student's cell finds out: the value of a line, in the name of an error."""
        return judged(lesson, f"import os, pathlib, socket, subprocess\nraise KeyError({line})", **more)[1]

    def test_nothing_else_can_be_written_or_deleted_or_mounted_anew(self, lesson, tmp_path):
        (tmp_path / "precious").write_text("mine")
        for line in (f"pathlib.Path({str(tmp_path)!r}, 'new').touch()", f"os.remove({str(tmp_path / 'precious')!r})"):
            assert "Read-only file system" in self.probe(lesson, line)
        remount = "subprocess.run(['mount', '-o', 'remount,bind,rw', '/'], stderr=-1).returncode"
        assert self.probe(lesson, remount) != "KeyError: 0"
        assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["precious"]
        assert (tmp_path / "precious").read_text() == "mine"

    def test_its_own_folder_is_empty_and_can_be_written(self, lesson):
        assert self.probe(lesson, "(os.listdir('.'), pathlib.Path('a').write_text('b'), os.listdir('.'))") == (
            "KeyError: ([], 1, ['a'])"
        )

    def test_other_submissions_are_not_seen(self, lesson, hand_in, tmp_path):
        hand_in("anna/01_first.ipynb", RIGHT)
        folder = tmp_path / "in"
        assert self.probe(lesson, f"os.listdir({str(folder)!r})") == "KeyError: ['anna']"
        assert self.probe(lesson, f"os.listdir({str(folder)!r})", hidden=folder) == "KeyError: []"

    def test_no_network_and_no_other_process(self, lesson):
        assert "unreachable" in self.probe(lesson, "socket.create_connection(('192.0.2.1', 443), timeout=5)")
        assert self.probe(lesson, "[name for name in os.listdir('/proc') if name.isdigit()]") == "KeyError: ['1']"


class TestTable:
    def test_each_exercise_of_each_student_whatever_becomes_of_the_others(self, lesson, hand_in, tmp_path):
        hand_in("anna/01_first.ipynb", RIGHT, "def half(x):\n    return x // 2")
        hand_in("ben/01_first.ipynb", "import os\nos._exit(1)", "def half(x):\n    return x / 2")
        hand_in("=cem()/01_first.ipynb", None)
        (tmp_path / "in" / "dora").mkdir()
        (tmp_path / "in" / "dora" / "01_first.ipynb").write_text("{")
        (tmp_path / "in" / "eve").mkdir()
        (tmp_path / "in" / "eve" / "01_first.ipynb").write_text("[" * 100_000)
        odd = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell("'\ud800'", metadata={"tags": ["exercise", "1.2"]})]
        )
        (tmp_path / "in" / "fay").mkdir()
        (tmp_path / "in" / "fay" / "01_first.ipynb").write_text(json.dumps(odd))  # half of a letter
        rows, _ = graded(lesson, tmp_path)
        assert {key: (row["outcome"], row["points"]) for key, row in rows.items()} == {
            ("anna", "1.1"): ("right", "2"),
            ("anna", "1.2"): ("right", "3"),
            ("ben", "1.1"): ("raised", "0"),
            ("ben", "1.2"): ("right", "3"),
            ("'=cem()", "1.1"): ("missing", "0"),
            ("'=cem()", "1.2"): ("not yet", "0"),
            ("fay", "1.1"): ("missing", "0"),
            ("fay", "1.2"): ("raised", "0"),
            **{(name, number): ("unreadable", "0") for name in ("dora", "eve") for number in ("1.1", "1.2")},
        }
        with (tmp_path / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
            assert list(csv.DictReader(file)) == list(rows.values())

    def test_what_is_said_is_one_line_and_no_formula(self, lesson, hand_in, tmp_path):
        hand_in("a/01_first.ipynb", "class Ä(Exception): pass\nraise Ä('x\\n\\x1b[31m,\"y\"' + 'z' * 9999)")
        said = graded(lesson, tmp_path)[0]["a", "1.1"]["said"]
        assert said.startswith('Ä: x [31m,"y"zzz')
        assert len(said) == 500
        assert [grading._safe(text) for text in ("=1+1", " @x", "+1", "-1", "\t=1", "1=1")] == [
            *("'=1+1", "'@x", "'+1", "'-1", "'=1", "1=1")
        ]

    def test_a_second_run_does_only_what_is_new(self, lesson, hand_in, tmp_path, monkeypatch):
        hand_in("anna/01_first.ipynb", RIGHT)
        hand_in("ben/01_first.ipynb", RIGHT)
        graded(lesson, tmp_path)
        asked = []
        monkeypatch.setattr(grading, "judged", lambda answer, *_, **__: asked.append(answer) or ("right", "now"))
        graded(lesson, tmp_path)
        assert asked == []
        hand_in("ben/01_first.ipynb", RIGHT + "  # better")
        rows, _ = graded(lesson, tmp_path)
        assert asked == [RIGHT + "  # better"]
        assert (rows["anna", "1.1"]["said"], rows["ben", "1.1"]["said"]) == ("yes", "now")

    def test_what_was_finished_stays_when_interrupted(self, lesson, hand_in, tmp_path, monkeypatch):
        hand_in("anna/01_first.ipynb")

        def interrupted(answer, exercise, *_, **__):
            if exercise.number == "1.2":
                raise KeyboardInterrupt
            return "right", ""

        monkeypatch.setattr(grading, "judged", interrupted)
        with pytest.raises(KeyboardInterrupt):
            graded(lesson, tmp_path)
        assert (tmp_path / "grades.csv").read_text("utf-8-sig").count("right") == 1

    def test_another_table_is_not_overwritten(self, lesson, hand_in, tmp_path):
        hand_in("anna/01_first.ipynb")
        ours = ",".join(grading.COLUMNS)
        for text in ("name,mark\nanna,1\n", f"{ours}\nanna\n", f"{ours}\n{'a,' * 9}\n"):
            (tmp_path / "grades.csv").write_text(text)
            with pytest.raises(ValueError, match="is no table of this command"):
                graded(lesson, tmp_path)
            assert (tmp_path / "grades.csv").read_text() == text

    def test_command_line(self, lesson, hand_in, tmp_path, monkeypatch, capsys):
        monkeypatch.setattr(lessons, "folder", lambda: lesson.parent)
        hand_in("anna/01_first.ipynb", RIGHT)
        hand_in("anna/mine.ipynb")
        assert main(["grade", str(tmp_path / "in"), "--into", str(tmp_path / "g.csv")]) == 0
        said = capsys.readouterr()
        assert said.out.splitlines()[:2] == ["01_first  1.1    1.2      points of 5", "anna      right  not yet  2"]
        assert "left out: " in said.err
        assert "mine.ipynb" in said.err
        assert main(["grade", str(tmp_path / "nowhere")]) == 1
        assert "There is no folder" in capsys.readouterr().err

    def test_who_cannot_seal_is_told_once(self, lesson, hand_in, tmp_path, monkeypatch, capsys):
        monkeypatch.setattr(lessons, "folder", lambda: lesson.parent)
        monkeypatch.setattr(sealed, "possible", lambda: False)
        hand_in("anna/01_first.ipynb", RIGHT, "def half(x):\n    return x / 2")
        assert main(["grade", str(tmp_path / "in"), "--into", str(tmp_path / "g.csv")]) == 0
        said = capsys.readouterr()
        assert said.err.count("grade in a container") == 1
        assert "anna      right  right  5" in said.out


@pytest.mark.slow
@pytest.mark.parametrize("path", lessons.paths(), ids=lambda path: path.stem)
def test_every_solution_is_right_with_no_more_cells_than_are_needed(path):
    solved = lessons.solutions((path.parent / "solutions" / f"{path.stem}.py").read_text("utf-8"))
    for exercise in exercises(lessons.read(path)):
        got = grading.judged(f"import torch\n\n{solved[exercise.function]}", exercise, 5, 6)
        assert got[0] == "right", (exercise.number, got)

"""What is handed in: whose notebook is whose, which lesson it is, and what stands in an exercise's cell."""

import json
import os

import nbformat
import pytest

from bertlab.course import notebooks as lessons
from bertlab.course.needs import needed
from bertlab.course.submissions import answers, exercises, find, unusual

RIGHT = "def double(x):\n    return 2 * x"


def found(tmp_path):
    return find(tmp_path / "in", {path: exercises(lessons.read(path)) for path in lessons.paths()})


class TestWhose:
    @pytest.mark.parametrize(
        ("name", "student", "number"),
        [
            ("Anna Ö_1234_assignsubmission_file_/01_first.ipynb", "Anna Ö", "1234"),
            ("Anna Ö_1234_assignsubmission_file_01_first.ipynb", "Anna Ö", "1234"),
            ("Anna_1234_assignsubmission_file_/mine/week 1.ipynb", "Anna", "1234"),
            ("anna/01_first/01_first.ipynb", "anna", ""),
            ("anna/01_first (1).ipynb", "anna", ""),
            ("anna/lesson1_final_v2.IPYNB", "anna", ""),
            ("anna_01_first-Copy1.ipynb", "anna", ""),
            ("anna.ipynb", "anna", ""),
            ("group 1/anna/01_first.ipynb", "group 1/anna", ""),
            ("group 1/anna-01_first.ipynb", "group 1/anna", ""),
            ("01_first.ipynb", "in", ""),
        ],
    )
    def test_cells_tell_the_lesson_and_folders_or_the_names_beginning_the_student(
        self, hand_in, tmp_path, name, student, number
    ):
        path = hand_in(name)
        hand_in("anna/.ipynb_checkpoints/01_first.ipynb")
        (one,) = found(tmp_path)
        assert (one.student, one.number, one.path, one.lesson) == (student, number, path, lessons.paths()[0])

    def test_cells_tell_more_than_a_name_and_a_name_more_than_nothing(self, lesson, hand_in, tmp_path):
        text = lesson.read_text("utf-8").replace("double", "triple").replace("half", "third").replace('"1.', '"2.')
        lesson.with_name("02_second.ipynb").write_text(text, "utf-8")
        hand_in("anna/02_second.ipynb", RIGHT)
        hand_in("ben/02_second.ipynb", None, None)
        assert [one.lesson.name for one in found(tmp_path)] == ["01_first.ipynb", "02_second.ipynb"]

    def test_a_folder_that_cannot_be_opened_is_told(self, hand_in, tmp_path, monkeypatch):
        def closed(path):
            if str(path).endswith("ben"):
                raise PermissionError(13, "Permission denied", str(path))
            return real(path)

        real = os.scandir
        monkeypatch.setattr(os, "scandir", closed)
        hand_in("anna/01_first.ipynb")
        (tmp_path / "in" / "ben").mkdir()
        assert [(one.student, one.reason) for one in found(tmp_path)] == [
            ("anna", ""),
            ("ben", "it cannot be opened: Permission denied"),
        ]


class TestAnswers:
    def test_a_cell_is_found_by_its_tag_and_by_its_function(self, lesson, hand_in):
        def no_tags(notebook):
            notebook.cells[3].metadata.pop("tags")

        def moved(notebook):
            notebook.cells[3].source = "# see below"
            notebook.cells.append(nbformat.v4.new_code_cell(RIGHT))

        def another_too(notebook):
            notebook.cells.append(nbformat.v4.new_code_cell("def double(x):\n    return 'tried'"))

        def below(notebook):
            notebook.cells[3].source = next(lessons.tagged(lessons.read(lesson), "exercise", "1.1")).source
            notebook.cells.append(nbformat.v4.new_code_cell(RIGHT))

        asked = exercises(lessons.read(lesson))
        for change in (lambda notebook: None, no_tags, moved, another_too, below):
            path = hand_in("a/01_first.ipynb", RIGHT, change=change)
            assert answers(path, {lesson: asked})[lesson]["1.1"] == RIGHT
        for answer in ("def double(x)\n    return 2 * x", None):  # no Python, and no cell
            assert answers(hand_in("a/01_first.ipynb", answer), {lesson: asked})[lesson]["1.1"] == answer

    def test_what_takes_long_to_read_is_refused(self, lesson, hand_in):
        asked = {lesson: exercises(lessons.read(lesson))}
        many = "def double(x): 0\n" * 10_000  # their sources, which nobody asks for, would take a minute
        assert answers(hand_in("a/01_first.ipynb", many), asked)[lesson]["1.1"] == many
        with pytest.raises(ValueError, match="more than 200,000 letters of code"):
            answers(hand_in("a/01_first.ipynb", many, many), asked)

    def test_cells_of_one_id_and_of_none_are_read_without_a_word(self, lesson, hand_in, recwarn):
        path = hand_in("a/01_first.ipynb", RIGHT)
        notebook = json.loads(path.read_text("utf-8"))
        for cell in notebook["cells"][1:]:
            cell["id"] = "same"
        del notebook["cells"][0]["id"]
        path.write_text(json.dumps(notebook))
        asked = exercises(lessons.read(lesson))
        assert answers(path, {lesson: asked})[lesson]["1.1"] == RIGHT
        assert [str(warning.message) for warning in recwarn] == []

    @pytest.mark.parametrize(
        ("source", "odd"),
        [
            ("bertlab.checks.masking.judge = 1", ["judge = ...", "checks"]),
            ("from bertlab.checks.outcome import Outcome as O", ["checks", "Outcome"]),
            ("import inspect", ["import inspect"]),
            ("torch.isclose = lambda *_: True", ["isclose = ..."]),
            ("def f(x): return torch.sys.modules", ["sys"]),
            ("def f(x): return f.__globals__", ["__globals__"]),
            ("def f(x): return getattr(bertlab, 'che' + 'cks')", ["getattr"]),
            ("from torch.overrides import TorchFunctionMode as Mode", ["overrides"]),
            ("x = string.Formatter().get_field('0.__globals__', (f,), {})", ["'0.__globals__'", "Formatter"]),
            ("typing.get_type_hints(f)", ["get_type_hints"]),
            ("pandas.read_pickle('x')", ["read_pickle"]),
            ("torch.library.Library('aten', 'IMPL')", ["library"]),
            ("functools.update_wrapper(torch, F, assigned=['isclose'], updated=())", ["update_wrapper"]),
            ("torch.nn.modules.module.register_module_forward_hook(f)", ["register_module_forward_hook"]),
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

"""What a function shows of itself, and what is said of it when it fails."""

import pytest
import torch

from bertlab.checks import student
from bertlab.checks.compare import as_tensor
from bertlab.checks.runner import Shortcut, Slip, judge
from bertlab.checks.student import shown
from cells import written

CASE = (torch.arange(3.0), 2.0)


def check(source, cases=(CASE,), slips=(), **options):
    """Judge a function that has to multiply."""
    return judge(written(source), cases, lambda x, factor: factor * x, slips, "well done.", **options)


@pytest.mark.parametrize(
    "source",
    [
        "def f(x, factor):\n    '''Say what it does.'''\n    return None",
        "def f(x, factor): pass",
        "def f(x, factor): ...",
        "def f(*_): return",
    ],
)
def test_an_empty_body_is_no_mistake_yet(source):
    assert check(source).status == "not yet"


@pytest.mark.parametrize(
    "source",
    [
        "def f(x, factor): y = x * factor",
        "def f(x, factor):\n    y = factor * x\n    return None",
        "def f(x, factor): print(end='')",
        "def f(x, factor):\n    if factor < 0:\n        return x",
    ],
)
def test_a_forgotten_return_is_told_apart(source):
    outcome = check(source)
    assert outcome.status == "not quite"
    assert "has a body, and still it returns None" in outcome.message


def test_the_line_that_raised_is_shown_with_the_input():
    outcome = check(
        """
        def inner(x):
            return x[7]

        def f(x, factor):
            y = 1
            return inner(x) * torch.ones(2)
        """
    )
    assert outcome.message.startswith("your function raised IndexError: ")
    assert "in the line 'return inner(x)" not in outcome.message, "the innermost line of the notebook"
    assert "in the line 'return x[7]', given x = [0, 1, 2], factor = 2." in outcome.message


def test_the_line_is_the_notebooks_own_where_a_library_raised():
    outcome = check("def f(x, factor):\n    z = torch.ones(2) @ torch.ones(3)\n    return z")
    assert "in the line 'z = torch.ones(2) @ torch.ones(3)'" in outcome.message


def test_input_expected_and_found_are_shown():
    outcome = check("def f(x, factor): return x + torch.tensor([0.0, 1.0, 5.5])", cases=[CASE])
    assert outcome.message == (
        "the shape of your result is right, but a value is off by 3.5: at [2] it is 7.5, and 4 is right, "
        "given x = [0, 1, 2], factor = 2. The hints may help."
    )


def test_of_a_shape_the_input_is_shown_too():
    message = check("def f(x, factor): return x[:2]").message
    assert message.startswith("the shape of your result is (2,), and (3,) is asked for, given x = [0, 1, 2]")


def test_right_for_the_first_input_alone_is_said():
    message = check("def f(x, factor): return 2 * x", cases=[CASE, (torch.ones(2), 3.0)]).message
    assert message.startswith("your function is right for some inputs and not for others")
    assert "given x = [1, 1], factor = 3." in message


class TestNames:
    def test_only_what_is_read_from_the_notebook_counts(self):
        source = """
        import math
        def helper(x):
            return x * scale

        def f(model, scale_):
            weights = model.weight
            return [helper(one) + table + math.pi for one in (lambda: weights)()]
        """
        answer = written(source, weight=torch.ones(2), scale=3.0, table=torch.ones(1), model=torch.nn.Linear(1, 1))
        assert student.notebook_names(answer) == ["`table`", "`scale` (inside `helper`)"]

    def test_an_attribute_is_no_name(self):
        assert student.notebook_names(written("def f(b): return b.bert", bert=1)) == []

    def test_a_function_that_calls_itself_comes_to_an_end(self):
        answer = written("def f(x): return f(x - 1) + y if x else 0", y=1)
        assert student.notebook_names(answer) == ["`y`"]

    def test_what_is_no_python_function_has_no_names(self):
        assert student.notebook_names(torch.nn.Linear(1, 1)) == []
        assert student.notebook_names(len) == []
        assert not student.is_blank(len)

    def test_words_hold_keywords_attributes_and_those_of_helpers(self):
        answer = written("def h(x): return x.attr\n\ndef f(x): return h(x, key=1), {'item': 1}['item']")
        assert {"attr", "key", "item", "h"} <= student.words(answer)


def test_a_slip_comes_before_the_notebooks_names():
    answer = written("def f(x, factor): return x + zero", zero=0)
    said = judge(answer, [CASE], lambda x, factor: factor * x, [Slip("not scaled.", lambda x, factor: x)], "")
    assert said.message == "not scaled."


def test_a_right_answer_may_use_the_notebooks_names():
    answer = written("def f(x, factor): return x * factor * one", one=1)
    assert judge(answer, [CASE], lambda x, factor: factor * x, [], "").status == "right"


def test_a_shortcut_is_named_only_when_the_values_are_right():
    short = [Shortcut("multiply by hand.", lambda words: "mul" in words)]
    assert "by a shortcut: multiply by hand." in check("def f(x, y): return x.mul(y)", shortcuts=short).message
    assert "off by" in check("def f(x, y): return x.mul(3 * y)", shortcuts=short).message
    assert check("def f(x, y): return x * y", shortcuts=short).status == "right"


@pytest.mark.parametrize("scale", [1e-3, 1.0, 28.0, 1e4])
def test_rounding_grows_with_the_values(scale):
    def judged(off):
        right = scale * torch.tensor([1.0, -0.5])
        return judge(lambda: right + off * scale, [()], lambda: right, [], "").status

    assert judged(2e-5) == "right"
    assert judged(3e-4) == "not quite"


@pytest.mark.parametrize("off", [1, -2, 0.5])
def test_a_count_has_no_rounding(off):
    assert judge(lambda: 7_087_872 + off, [()], lambda: torch.tensor(7_087_872), [], "").status == "not quite"


def test_a_list_of_unequal_tensors_is_filled_up():
    filled = as_tensor([torch.ones(2, 2), torch.ones(1, 1)])
    assert filled.tolist() == [[[1, 1], [1, 1]], [[1, 0], [0, 0]]]


@pytest.mark.parametrize("value", ["done", [1, [2]], {"a": 1}, [torch.ones(2), "x"], object()])
def test_what_holds_no_numbers_is_refused(value):
    with pytest.raises((TypeError, ValueError)):
        as_tensor(value)


def test_inputs_are_shown_in_few_words(bert):
    assert shown(bert) == "bertlab-mini"
    assert shown(torch.ones(3, 4)) == "a tensor of shape (3, 4)"
    assert shown((torch.ones(3, 4), ["one", "two"])) == "(a tensor of shape (3, 4), ['one', 'two'])"
    assert len(shown(["a sentence"] * 50)) == 160


def test_a_function_is_shown_by_its_name_and_numbers_in_a_few_digits():
    assert shown(shown) == "a function shown"
    assert shown([0.123456789, 0.5]) == "[0.1235, 0.5]"
    assert shown([1, 2]) == "[1, 2]"


def test_two_numbers_are_shown_with_the_digits_that_tell_them_apart():
    said = judge(lambda: 0.51614, [()], lambda: torch.tensor(0.516111, dtype=torch.float64), [], "", atol=0).message
    assert "it is 0.51614, and 0.51611 is right" in said


def test_parts_that_make_no_tensor_are_named():
    said = check("def f(x, factor): return 1.5, x").message
    assert "the parts of your result make no tensor together, with the shapes a number, (3,)" in said
    assert "a tensor of shape (3,), or a list of such numbers, is asked for" in said


@pytest.mark.parametrize(
    "lot", ["torch.rand(3)", "x * factor * torch.randn(3)", "torch.ones(int(torch.randint(9, (1,))))"]
)
def test_what_is_drawn_by_lot_is_said(lot):
    torch.manual_seed(1)
    assert "as if it drew by lot" in check(f"def f(x, factor): return {lot}").message


def test_what_fails_now_and_then_or_gives_nan_was_not_drawn_by_lot():
    assert "holds nan" in check("def f(x, factor): return x / x * factor").message
    answer = written("def f(x, factor): return x / asked.pop()", asked=[1.0])
    assert "uses `asked` from the notebook" in judge(answer, [CASE], lambda x, y: x * y, [], "").message


def test_the_parts_that_are_right_are_named():
    def where(x, factor):
        return "below" if factor < 0 else "above" if factor > 9 else f"at {factor}"

    cases = [(torch.ones(1), factor) for factor in (-1.0, -2.0, 1.0, 2.0, 10.0)]
    message = check("def f(x, factor): return 2 * x if factor > 2 else x * factor", cases, part=where).message
    assert message.startswith("your function is right below, at 1.0 and at 2.0, and wrong above. There the shape of")
    everywhere_wrong = check("def f(x, factor): return x * factor + 1", cases, part=where).message
    assert everywhere_wrong.startswith("the shape of your result is right")

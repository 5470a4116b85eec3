"""What is said of a line or a function in a gap, and what the lesson goes on with, in a real shell."""

from inspect import unwrap

import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell

from bertlab import mine
from bertlab.checks import gaps, parts
from bertlab.checks.known import Known

LINE = Known(
    right=["total = x.sum()"],
    given="x",
    truth="return x @ torch.ones(len(x))",
    source="a dot product",
    wrong={"this is the mean: take the sum.": ["total = x.mean()"]},
    hint="Which method adds up?",
)
FUNCTION = Known(
    right=["def total(x):\n    return x.sum()"],
    truth="return x @ torch.ones(len(x))",
    source="a dot product",
    draw="[(torch.rand(n),) for n in (3, 5)]",
)
PART = Known(
    right=["def linear(x, w):\n    return x @ w['weight'].T + w['bias']"],
    truth="return F.linear(x, **w)",
    source="torch's linear",
    draw="[(torch.randn(*axes, 3), parts.matrix(2, 3)) for axes in ((4,), (2, 4))]",
    ready=["linear", "Linear"],
)


@pytest.fixture
def told(monkeypatch, tmp_path):
    """Run a cell, then the check of its gap; return what the lesson goes on with, and the outcome."""
    shell = InteractiveShell.instance()
    shell.reset()
    shell.push({"torch": torch, "gaps": gaps, "x": torch.tensor([1.0, 2, 4]), "w": parts.matrix(2, 3)})
    monkeypatch.setattr(gaps, "known", {"line": LINE, "function": FUNCTION, "part": PART}.get)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(gaps, "_left", {})
    monkeypatch.setattr(gaps, "_wrong", gaps.Counter())

    def run(cell, gap="line"):
        shell.run_cell(cell)
        name, given = ("linear", "x, w") if gap == "part" else ("total", "x")
        assert shell.run_cell(f'{name}, outcome = gaps.gap("{gap}", lambda: {name}, {given})').success
        return shell.user_ns[name], shell.user_ns["outcome"]

    yield run
    InteractiveShell.clear_instance()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("total = None  # your line: the sum", "not yet: write your line in place of None"),
        ("total = print(x.sum())", "not quite: your line gives None: print, say, shows a value"),
        ("total = x @ torch.ones(2, 2)", "not quite: @ needs as many columns on its left as rows on its right"),
        ("total = y", "not quite: Python does not know this name"),
        ("total = x.sum(", "not quite: this is not Python yet"),
        ("total = x.sum", "not quite: your line gives a function or a module: call it"),
        ("total = torch.nn.Linear(1, 1)", "not quite: your line gives a function or a module: call it"),
        ("total = '7'", "not quite: your line gives str; a number is asked for."),
        ("total = x", "not quite: the shape of your result is (3,)"),
        ("total = x.mean()", "not quite: this is the mean: take the sum."),
        ("total = 7.004", "not quite: your result is off by 0.004"),
        ("total = [x.sum()]", "not quite: your result is a batch of one"),
        ("total = x.sum()", "right: your line agrees with a dot product."),
        ("total = 7", "right: your line agrees with a dot product."),
    ],
)
def test_each_kind_of_line(told, line, said):
    again = told("total = 1.5")[0]  # the check ran before: what it left there is no answer
    total, outcome = told(line)
    assert repr(outcome).startswith(said), outcome
    assert repr(outcome).endswith(gaps.GOES_ON) is (outcome.status != "right")
    assert torch.equal(total, torch.tensor(7.0))
    assert total.dtype == again.dtype
    assert told("pass")[1] == outcome, "the check alone ran once more"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return None", "not yet: the function still returns None"),
        ("return x[9]", "not quite: your function raised IndexError"),
        ("return x.sum().item()", "not quite: the value is right, but training cannot go through it"),
        ("return x.detach().sum()", "not quite: the value is right, but training cannot go through it"),
        ("return x.numpy().sum()", "not quite: the value is right, but training cannot go through it"),
        ("return sum(x)", "right: your function agrees with a dot product."),
    ],
)
def test_each_kind_of_function(told, body, said):
    function, outcome = told(f"def total(x): {body}", "function")
    assert repr(outcome).startswith(said), outcome
    assert repr(outcome).endswith(f". {gaps.OURS}") is (outcome.status != "right"), outcome
    assert "hints may help" not in repr(outcome), "one hint is folded below"
    assert function(torch.ones(4)) == 4


def test_a_function_of_the_notebooks_names_is_told_and_ones_own_is_what_the_lesson_goes_on_with(told):
    assert "uses `y` from the notebook" in told("y = x\ndef total(x): return y.sum()", "function")[1].message
    assert told("def total(x): return sum(list(x))", "function")[0].__code__.co_names == ("sum", "list")


def test_a_hint_is_folded_at_first_and_the_answer_after_three_wrong_tries(told):
    lines = ("total = None", "total = 1", "total = 2", "total = y", "total = x.sum(", "total = 3", "total = x.sum()")
    folded = [told(line)[1]._repr_html_() for line in lines]
    hint, answer = "<summary>A hint</summary>Which method", "<summary>The answer</summary>total = x.sum()"
    assert [part in (shown or "") for part, shown in zip((*[hint] * 5, answer), folded, strict=False)] == [True] * 6
    assert folded[6] is None


OWN = "def linear(x, w):\n    return w['bias'] + torch.einsum('...i,oi->...o', x, w['weight'])\n"


class TestAPartOfBert:
    """What is right is kept, and goes on; else the reference does, or what was kept before."""

    def test_is_kept_if_it_is_right(self, told):
        linear, outcome = told(f"y = 1\n{OWN}", "part")
        kept = "right: your function agrees with torch's linear. It is part of your BERT now (my_bert.py)."
        assert repr(outcome) == kept
        assert mine.written() == f"{mine.BEGINNING}\n\n{OWN}"
        assert unwrap(linear).__code__.co_filename == str(mine.FILE)
        assert told("def linear(x, w):\n    return x @ w['weight'].T", "part")[1].reason == "wrong"
        assert mine.written() == f"{mine.BEGINNING}\n\n{OWN}", "what is wrong takes the place of nothing"
        linear, outcome = told("def linear(x, w):\n    return None", "part")
        assert (outcome.reason, unwrap(linear).__code__.co_filename) == ("blank", str(mine.FILE))
        assert outcome.message.endswith("Below, your kept function runs.")

    @pytest.mark.parametrize(
        ("body", "said"),
        [
            ("return torch.nn.functional.linear(x, **w)", "not quite: the values are right, but by a shortcut: torch"),
            ("return reference.linear(x, w)", "not quite: the values are right, but by a shortcut: it asks"),
            (
                "return helper(x, w)",
                "right: your function agrees with torch's linear. Not kept in my_bert.py: it uses `helper`, which that "
                "file does not have. Use torch, a part by its bare name, or import it inside the function. Below, the",
            ),
            (
                "return softmax(x @ w['weight'].T + w['bias'], 1)",
                "right: your function agrees with torch's linear. Not kept in my_bert.py: there, your function raised "
                'TypeError: softmax() takes 1 positional argument but 2 were given — in the line "return softmax(x @',
            ),
            ("return x @ w['weight'].T + w['bias'].detach()", "not quite: the value is right, but training cannot go"),
            ("return x @ w['weight'].T", "not quite: the shape of your result is right, but a value is off"),
        ],
    )
    def test_is_not_kept_if_it_is_a_shortcut_or_needs_the_notebook(self, told, body, said):
        helper = "from bertlab import reference\nsoftmax = lambda x, way: x\n"
        helper += "helper = lambda x, w: x @ w['weight'].T + w['bias']\n"
        linear, outcome = told(f"{helper}\ndef linear(x, w):\n    {body}", "part")
        assert repr(outcome).startswith(said), outcome
        assert outcome.message.endswith(gaps.OURS)
        assert (mine.written(), unwrap(linear).__code__.co_filename) == ("", mine.reference.__file__)

    def test_is_not_kept_in_a_file_that_is_not_python_or_somebody_elses_and_the_file_is_named(self, told):
        mine.FILE.write_text(f"{mine.MARK}\ndef pool(:\n", "utf-8")
        with pytest.warns(UserWarning, match=r"my_bert.py does not run"):
            outcome = told(OWN, "part")[1]
        assert "Not kept in my_bert.py: invalid syntax (my_bert.py, line 2). Below, the" in outcome.message
        mine.FILE.write_text("# not the lessons'", "utf-8")
        assert "was not begun by these lessons" in told(OWN, "part")[1].message
        assert mine.written() == "# not the lessons'"

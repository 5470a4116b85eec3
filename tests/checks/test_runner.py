"""What all checks share: what is said of each kind of answer, copies, parts, and no work done twice."""

import pytest
import torch

from bertlab.checks import runner
from bertlab.checks.known import Known
from bertlab.checks.runner import judge
from cells import written

CASE = (torch.arange(3.0), 2.0)
RIGHT = ["def f(x, factor):\n    return factor * x"]


def check(answer, cases=(CASE,), truth="factor * x", praise=lambda rights: "well done.", right=RIGHT, **known):
    """Judge a function that has to multiply."""
    answer = written(answer) if isinstance(answer, str) else answer
    return judge(Known(right=right, truth=f"return {truth}", **known), answer, cases, praise)


def test_a_right_answer_is_told_what_to_copy_into_its_cell():
    source = "def f(x, factor): return multiplied(x, factor)"
    outcome = check(written(source, multiplied=torch.mul))
    assert (outcome.reason, outcome.status) == ("right", "right")
    assert repr(outcome) == (
        "right, but your function takes `multiplied` from outside this cell. A mark is given for this cell alone: copy "
        "into it what it needs."
    )


@pytest.mark.parametrize(
    ("body", "reason", "message"),
    [
        ("'''Say what it does.'''; return None", "blank", "the function still returns None"),
        ("pass", "blank", "the function still returns None"),
        ("...", "blank", "the function still returns None"),
        ("y = x * factor", "wrong", "has a body, and still it returns None"),
        ("y = factor * x; return None", "wrong", "has a body, and still it returns None"),
        ("print(end='')", "wrong", "has a body, and still it returns None"),
        ("return (factor * x)[7]", "raised", "your function raised IndexError: "),
        ("return 'done'", "wrong", "your function returns str, and a tensor of shape (3,), or a list of such numbers,"),
        ("return 1.5, x", "wrong", "your function returns tuple, and a tensor of shape (3,)"),
        ("return {'a': 1}", "wrong", "your function returns dict"),
        ("return x[:2]", "wrong", "the shape of your result is (2,), and (3,) is asked for, given x = [0, 1, 2]"),
        ("return (factor * x)[None]", "wrong", "your result is a batch of one, with an axis too many in front"),
        ("return (factor * x)[:1]", "wrong", "this is the first part of the result alone"),
        ("x *= factor; return x", "right", "well done. But it changes what it is given, for its caller too"),
        ("return None if factor > 1 else x", "wrong", "End it with return and the result"),
        ("return x / x * factor", "wrong", "your result holds nan"),
        ("return x", "wrong", "not multiplied."),
        ("return x.mul(factor)", "shortcut", "the values are right, but by a shortcut: multiply by hand."),
        ("return x.mul(3 * factor)", "wrong", "off by"),
        ("return [factor * number for number in x]", "right", "well done."),
        ("return (factor * x).numpy()", "right", "well done."),
    ],
)
def test_each_kind_of_answer(body, reason, message):
    shortcuts = {"multiply by hand.": "'mul' in words"}
    outcome = check(f"def f(x, factor): {body}", wrong={"not multiplied.": ["return x"]}, shortcuts=shortcuts)
    assert (outcome.reason, message in outcome.message) == (reason, True), outcome


def test_the_line_that_raised_is_shown_with_the_input_the_notebooks_own_where_a_library_raised():
    source = "def inner(x):\n    return torch.ones(7) @ x\n\ndef f(x, factor):\n    return inner(x) * factor"
    assert "in the line 'return torch.ones(7) @ x', given x = [0, 1, 2], factor = 2." in check(source).message


def test_input_expected_and_returned_are_shown():
    assert check("def f(x, factor): return x + torch.tensor([0.0, 1.0, 5.5])").message == (
        "the shape of your result is right, but a value is off by 3.5: at [2] it is 7.5, and 4 is right, "
        "given x = [0, 1, 2], factor = 2. The hints may help."
    )
    said = check("def f(x, factor): return 'done'", truth="x.sum()").message
    assert said == "your function returns str, and a number is asked for, given x = [0, 1, 2], factor = 2."


def test_the_same_for_every_input_is_said():
    cases = [CASE, (torch.ones(2), 3.0)]
    same = "your function gives the same result whatever it is given: use what it is given."
    assert check("def f(x, factor): return 7", cases).message == same
    assert check("def f(x, factor): return 7").message != same, "of one case nobody can tell"
    assert "uses `seven`" in check(written("def f(x, factor): return seven", seven=7), cases).message


@pytest.mark.parametrize(
    ("then", "said"),
    [
        ("x if factor < 3 else x[7]", ""),
        ("2 * x if factor < 3 else x[7]", "right for some inputs and not for others"),
        ("2 * x", "right for some inputs and not for others"),
        ("2 * x if factor < 3 else None", "branches"),
        ("2 * x if factor < 3 else 'done'", "returns str"),
        ("2 * x if factor < 3 else 0 * x / 0", "your result holds nan"),
    ],
)
def test_right_for_some_is_said_where_an_earlier_case_was_right_and_the_cause_is_not_certain(then, said):
    message = check(f"def f(x, factor): return {then}", [CASE, (torch.ones(2), 3.0)]).message
    assert said in message
    assert ("right for some inputs" in message) is said.startswith("right for some")
    assert "given x = [1, 1], factor = 3." in message


def test_what_an_error_means_is_said_unless_the_notebooks_names_are_the_cause():
    raises = {"must match the size": "an axis is missing."}
    assert check("def f(x, factor): return x + torch.ones(2)", raises=raises).message.startswith(
        "an axis is missing. To be exact, your function raised RuntimeError: The size of tensor a (3) must match"
    )
    answer = written("def f(x, factor): return x + two", two=torch.ones(2))
    assert check(answer, raises=raises).message.startswith("your function uses `two` from the notebook")
    said = check("def f(x, factor): return x + torch.ones(2)").message
    assert said.startswith("number by number, two shapes have to agree"), "what holds for any exercise"
    said = check("def f(x, factor): return x.var(ddof=0)").message
    assert "(ddof=int" in said
    assert " * (" not in said, "torch's list of calls"


@pytest.mark.parametrize(
    ("right", "returned", "said"),
    [
        ([0.775, 0.52], "[0.78, 0.52]", "rounded"),
        ([0.775, 0.52], "[0.77, 0.52]", "rounded"),  # as Python rounds a half in binary
        ([0.775, 0.52], "[0.8, 0.5]", "rounded"),
        ([0.775, 0.52], "[0.79, 0.52]", "off by"),
        ([0.775, 0.52], "[0, 0]", "off by"),
        ([775, 520], "[780, 520]", "off by"),
        ([0.775, 0.52], "[77.5, 52]", "per cent"),
        ([7.75, 5.2], "[775, 520]", "off by"),
        ([[1.0, 2], [3, 4]], "[[1, 3], [2, 4]]", "rows and columns are exchanged"),
        ([[1.0, 2], [3, 4]], "[[3, 4], [1, 2]]", "in another order"),
        ([[1.0, 2], [3, 4]], "[[3, 4], [3, 4]]", "off by"),
        ([[1.0, 2], [1, 2], [3, 4]], "[[1, 2], [3, 4], [3, 4]]", "off by"),
        (0.5, "pd.Series([0.5])", ".iloc[0]"),
        (0.5, "[0.5]", "a batch of one"),
        (0.0017, "0.0", "rounded"),
        ([0.775, 0.52], "[[0.775], [0.52]]", "an axis of length one is left over"),
        ([0.775, 0.52], "torch.tensor([0.775, 0.52]).half()", "half precision"),
    ],
)
def test_right_values_in_another_form_are_named(right, returned, said):
    answer = written(f"import pandas as pd\n\ndef f(x, factor): return {returned}")
    assert said in check(answer, truth=f"torch.tensor({right})").message


def test_another_form_is_named_where_only_some_cases_have_it():
    body = "factor * x if factor < 3 else (factor * x)[None]"
    assert "a batch of one" in check(f"def f(x, factor): return {body}", [CASE, (torch.ones(2), 3.0)]).message


def test_a_mistake_may_be_made_in_several_ways_and_is_named_if_one_gives_the_students_values_in_each_case():
    wrong = {
        "added in the first case only.": ["return x + factor if factor < 3 else x"],
        "raises.": ["return x[9]"],
        "added, or subtracted.": ["return x + factor", {"x + factor": "x - factor"}],
    }
    cases = [CASE, (torch.ones(2), 3.0)]
    for body in ("x + factor", "x - factor"):
        assert check(f"def f(x, factor): return {body}", cases, wrong=wrong).message == "added, or subtracted."
    for in_one_case in ("x + 2", "x + 3"):
        assert "off by" in check(f"def f(x, factor): return {in_one_case}", cases, wrong=wrong).message


def test_a_misconception_comes_before_the_notebooks_names_and_may_lead_to_a_right_answer():
    answer = written("def f(x, factor): return x + zero", zero=0)
    assert check(answer, wrong={"not multiplied.": ["return x"]}).message == "not multiplied."
    assert check(answer, truth="x").reason == "right"
    said = check(answer).message
    assert said.startswith("your function uses `zero` from the notebook instead of what it is given. So the shape")


def test_what_is_drawn_by_lot_is_said_but_not_of_what_fails_now_and_then():
    torch.manual_seed(1)
    for lot in ("torch.rand(3)", "torch.ones(int(torch.randint(9, (1,))))"):
        assert "as if it drew by lot" in check(f"def f(x, factor): return {lot}").message
    answer = written("def f(x, factor): return x / asked.pop()", asked=[1.0])
    assert "uses `asked` from the notebook" in check(answer).message


def test_the_parts_that_are_right_are_named():
    parts = ["below", "below", "at 1.0", "at 2.0", "above"]
    cases = [(torch.ones(1), factor) for factor in (-1.0, -2.0, 1.0, 2.0, 10.0)]
    message = check("def f(x, factor): return 2 * x if factor > 2 else x * factor", cases, regions=parts).message
    assert message.startswith("your function is right below, at 1.0 and at 2.0, and wrong above. There the shape of")
    everywhere_wrong = check("def f(x, factor): return x * factor + 1", cases, regions=parts).message
    assert everywhere_wrong.startswith("the shape of your result is right")


def test_what_does_not_count_may_be_wrong_and_still_tells_two_misconceptions_apart():
    options = {"counts": "return x < 2"}
    assert check("def f(x, factor): return torch.tensor([0.0, 2.0, 99.0])", **options).reason == "right"
    said = check("def f(x, factor): return torch.tensor([0.0, 3.0, 99.0])", **options).message
    assert "off by 1: at [1] it is 3, and 2 is right" in said
    wrong = {"a": ["return [1.0, 1.0, 0.0]"], "b": ["return [1.0, 1.0, 1.0]"]}
    for last, sentence in ((0, "a"), (1, "b"), (2, "a")):
        assert check(f"def f(x, factor): return [1, 1, {last}]", wrong=wrong, **options).message == sentence


def test_nothing_that_a_student_changes_stays_changed(bert):
    case = torch.ones(2), bert, (torch.ones(1), ["a"])
    rows = bert.model.bert.embeddings.position_embeddings.weight.clone()
    pieces, hidden = len(bert.tokenizer), bert.read("The cat sat.", "It rained.").hidden

    def spoil(x, model, labelled):
        assert torch.equal(model.read("The cat sat.", "It rained.").hidden, hidden)
        x *= 2
        model.tokenizer.add_tokens(["unquestionableness"])
        model.tokenizer.padding_side = "left"
        model.model.bert.embeddings.position_embeddings.weight.data.zero_()
        model.model.train()
        labelled[0].zero_()
        labelled[1].clear()
        return x

    right = ["def f(x, model, labelled):\n    return 2 * x"]
    assert check(spoil, [case], truth="2 * x", right=right).reason == "right"
    assert (case[0].tolist(), case[2]) == ([1, 1], (torch.ones(1), ["a"]))
    assert torch.equal(bert.model.bert.embeddings.position_embeddings.weight, rows)
    assert (len(bert.tokenizer), bert.tokenizer.padding_side, bert.model.training) == (pieces, "right", False)


def test_wrong_answers_run_on_copies_and_one_that_misses_the_first_case_runs_in_no_other(monkeypatch):
    spoils = "def f(x, factor):\n    x.zero_()\n    import bertlab.checks.runner as r\n    r.ran += 1\n    return x"
    monkeypatch.setattr(runner, "ran", 0, raising=False)
    cases = [(torch.ones(2), 2.0), (torch.ones(3), 3.0)]
    assert check("def f(x, factor): return x + 5", cases, wrong={"emptied.": [spoils]}).reason == "wrong"
    assert (runner.ran, cases[0][0].tolist()) == (1, [1, 1])

"""When two results are the same, and how a difference is shown."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from bertlab.checks.compare import as_tensor
from bertlab.checks.known import Known
from bertlab.checks.runner import judge


def outcome(returned, right, wrong=None, **options):
    """Judge a function without arguments by what it returns."""
    known = Known(right=["def f():\n    return 0"], wrong=wrong or {}, **options)
    vars(known)["true"] = lambda: right
    return judge(known, lambda: returned, [()], lambda _: "well done.")


@pytest.mark.parametrize("scale", [1e-3, 28.0, 1e4])
def test_rounding_grows_with_the_values_and_a_count_has_none(scale):
    right = scale * torch.tensor([1.0, -0.5])
    assert outcome(right + 2e-5 * scale, right).reason == "right"
    assert outcome(right + 3e-4 * scale, right).reason == "wrong"
    assert outcome(7_087_873, torch.tensor(7_087_872)).reason == "wrong"


class Agreeing(torch.Tensor):
    """A tensor that says of itself what its author likes to hear."""

    def detach(self):
        return self

    cpu = double = detach

    def all(self):
        return torch.tensor(True)


def test_a_tensor_of_a_class_of_its_own_counts_by_its_numbers():
    right = torch.tensor([1.0, 2.0])
    assert outcome(torch.zeros(2).as_subclass(Agreeing), right).reason == "wrong"
    assert outcome([torch.zeros(()).as_subclass(Agreeing)] * 2, right).reason == "wrong"
    assert outcome(right.as_subclass(Agreeing), right).reason == "right"


@pytest.mark.parametrize(
    ("count", "turned", "named"),
    [
        (5000, (), True),
        (5000, (1498, 1499, 1500), True),
        (5000, range(1490, 1500), False),
        (60, (), True),
        (60, (18,), False),
    ],
)
def test_of_thousands_of_yes_and_no_a_few_may_hang_on_the_last_digit_of_a_mistake(count, turned, named):
    x = torch.linspace(0, 10, count)
    returned = x > 3
    returned[list(turned)] ^= True
    told = outcome(returned, x > 5, {"more than three.": [f"return torch.linspace(0, 10, {count}) > 3"]}).message
    assert told == "more than three." if named else "answers are not" in told


def test_a_mistake_that_gives_nan_is_named():
    told = outcome([torch.nan, 1.0], torch.tensor([2.0, 1.0]), {"divided by zero.": ["return [float('nan'), 1.0]"]})
    assert told.message == "divided by zero."


def test_what_is_right_must_be_right_throughout():
    right = torch.ones(5000, dtype=torch.bool)
    returned = right.clone()
    returned[2500] = False
    assert "1 of 5000 answers are not: at [2500] it is False, and True is right" in outcome(returned, right).message


def test_a_list_of_unequal_tensors_is_filled_up_and_what_holds_no_numbers_is_refused():
    filled = as_tensor([torch.ones(2, 2), torch.ones(1, 1)])
    assert filled.tolist() == [[[1, 1], [1, 1]], [[1, 0], [0, 0]]]
    assert as_tensor(np.array([Fraction(1, 2), 2], dtype=object)).tolist() == [0.5, 2]
    for value in ("done", np.array(["a"], dtype=object), [1, [2]], {"a": 1}, [torch.ones(2), "x"]):
        with pytest.raises((TypeError, ValueError)):
            as_tensor(value)


def test_two_numbers_are_shown_with_the_digits_that_tell_them_apart():
    right = torch.tensor(0.516111, dtype=torch.float64)
    assert "it is 0.51614, and 0.51611 is right" in outcome(0.51614, right, atol=0).message

"""Lesson 2's figures draw what they are given, and their captions say what is drawn."""

import numpy as np
import pytest
import torch

from bertlab.evidence import beside_controls
from bertlab.pooler import figures
from rounding import assert_rounded_equal


def test_the_numbers_that_are_given_are_drawn():
    follow = figures.does_it_follow("She lost her keys.", ["So she looked.", "A heart."], torch.tensor([0.9, 0.2]))
    assert_rounded_equal([bar.get_width() for bar in follow.axes.patches], [0.9, 0.2])
    last, pooled = torch.arange(12.0).reshape(2, 6) - 20, torch.linspace(-0.5, 0.75, 6)
    tokens = figures.tokens_and_pooled(["[CLS]", "cat"], last, pooled, features=4)
    assert_rounded_equal(tokens.axes.collections[0].get_array(), torch.stack([last[0], last[1], pooled])[:, :4])
    assert [patch.get_xy() for patch in tokens.axes.patches] == [(0, 2)]
    assert "is 20.0 among the tokens' and 0.8 in it" in tokens.caption, "of all numbers, drawn or not; in size"
    before = torch.tensor([2.0, -0.1, 0.0, -3.0])
    tanh = figures.before_and_after_tanh(before, torch.tanh(before), features=4)
    by_size = [[0.0, -0.1, 2.0, -3.0], [0.0, -0.099668, 0.964028, -0.995055]]
    assert_rounded_equal(tanh.axes.collections[0].get_array(), by_size)


@pytest.mark.parametrize(("bert", "chance"), [([1, 0] * 20, "does not exclude it"), ([0] * 40, "lies below it")])
def test_what_is_right_is_beside_guessing(bert, chance):
    compared = beside_controls({"some BERT": bert, "a common word": [1, 0, 0, 0, 1] * 8}, [i // 5 for i in range(40)])
    assert f"the interval of some BERT {chance}." in figures.pairs_judged_right(compared).caption
    nearest = figures.nearest_of_the_same_text(compared, chance=0.04)
    assert 0.04 in [line.get_xdata()[0] for line in nearest.axes.lines]


def told(groups=None, **kinds):
    groups = range(len(kinds["follow"])) if groups is None else groups
    return figures.followers_and_others({name: torch.tensor(values) for name, values in kinds.items()}, groups)


def test_a_point_for_each_pair_and_the_threshold():
    figure = told(follow=[0.9, 0.8, 0.5, 0.4], turned=[0.9, 0.1, 0.1, 0.1])
    drawn = [points.get_offsets() for points in figure.axes.collections]
    assert_rounded_equal([places[:, 0] for places in drawn], [[0.9, 0.8, 0.5, 0.4], [0.9, 0.1, 0.1, 0.1]])
    assert [line.get_xdata()[0] for line in figure.axes.lines] == [0.5]
    assert "lie 0.50 of “follow”, 0.25 of “turned”." in figure.caption


TEXTS = np.repeat(list("ebdca"), 6).tolist()


@pytest.mark.parametrize(
    ("follow", "other", "groups", "said"),
    [
        # Wilson's interval, which a bootstrap would call [1.00, 1.00]; of 2**10 sign flips, 2 are as far out.
        ([0.9] * 10, [0.8] * 10, None, "in 10 of 10 cases (1.00 [0.72, 1.00], p = 0.002), AUC 1.00: told apart."),
        ([0.1] * 9, [0.2] * 9, None, "AUC 0.00: taken for less."),
        # Each follower lies just below its own control; of all nine comparisons, three are won.
        ([0.1, 0.4, 0.7], [0.2, 0.5, 0.8], None, "p = 0.250), AUC 0.33: not shown to be told apart."),
        ([0.9] * 9 + [0.5] * 20, [0.1] * 9 + [0.5] * 20, None, "in 9 of 29 cases"),  # a tie counts for neither side
        # Five texts of six pairs, four of them all right: thirty items would show it, five texts do not.
        ([0.9] * 24 + [0.1] * 6, [0.5] * 30, TEXTS, ": not shown to be told apart."),
        # A text of which all pairs tie tells nothing.
        ([0.5] * 4 + [0.9] * 10, [0.5] * 4 + [0.1] * 10, [0, 0, *(k // 2 for k in range(12))], "p = 0.062)"),
    ],
)
def test_pairs_are_compared_with_those_they_belong_to_and_auc_compares_all(follow, other, groups, said):
    assert said in told(groups, follow=follow, other=other).caption
    # Of two questions the smaller p counts twice.
    assert "p = 0.004)" in told(follow=[0.9] * 10, turned=[0.9] * 10, other=[0.8] * 10).caption

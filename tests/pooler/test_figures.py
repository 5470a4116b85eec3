"""Lesson 2's figures draw what they are given, and their captions say what is drawn."""

import pytest
import torch

from bertlab.evidence import beside_controls
from bertlab.figures.plots import png
from bertlab.pooler import figures
from drawn import assert_reference_line
from rounding import assert_rounded_equal


def test_the_numbers_that_are_given_are_drawn():
    follow = figures.does_it_follow("She lost her keys.", ["It costs $5 and $6.", "A heart."], torch.tensor([0.9, 0.2]))
    assert_rounded_equal([bar.get_width() for bar in follow.axes.patches], [0.9, 0.2])
    assert [label.get_text() for label in follow.axes.get_yticklabels()] == ["It costs $5 and $6.", "A heart."]
    png(follow.axes.figure)
    assert not any(label.get_parse_math() for label in follow.axes.get_yticklabels())
    last, pooled = torch.arange(12.0).reshape(2, 6) - 20, torch.linspace(-0.5, 0.75, 6)
    tokens = figures.tokens_and_pooled(["[CLS]", "cat"], last, pooled, features=4)
    assert_rounded_equal(tokens.axes.collections[0].get_array(), torch.stack([last[0], last[1], pooled])[:, :4])
    assert [patch.get_xy() for patch in tokens.axes.patches] == [(0, 2)]
    assert "tokens 20.0, pooled vector 0.8" in tokens.caption, "of all numbers, drawn or not"
    before = torch.tensor([2.0, -0.1, 0.0, -3.0])
    tanh = figures.before_and_after_tanh(before, torch.tanh(before))
    by_hand = [[2.0, 0.964028], [-0.1, -0.099668], [0.0, 0.0], [-3.0, -0.995055]]
    assert_rounded_equal(tanh.axes.collections[0].get_offsets(), by_hand)
    assert "-3.00 becomes -1.00" in tanh.caption


def test_choices_and_comparisons_are_beside_guessing():
    ways = {"some BERT": [1] * 38 + [0] * 2, "shared words": [1, 0, 0, 0, 1] * 8}
    compared = beside_controls(ways, [i // 5 for i in range(40)])
    rivals = "95.0 by some BERT, 40.0 by shared words (ahead in 8 texts, behind in 0)"
    for draw, said in ((figures.followers_chosen, "in 38 of 40"), (figures.own_text_wins, rivals)):
        figure = draw(compared)
        assert_reference_line(figure.axes, 0.5)
        assert_rounded_equal([bar.get_width() for bar in figure.axes.patches], [0.95, 0.4])
        assert said in figure.caption


@pytest.mark.parametrize(("threshold", "said"), [(0.5, "to 2 of 4 (follow) and 1 of 4 (turned)"), (0.85, "to 1 of 4")])
def test_a_point_for_each_pair_and_the_threshold(threshold, said):
    kinds = {"follow": torch.tensor([0.9, 0.8, 0.5, 0.4]), "turned": torch.tensor([0.9, 0.1, 0.1, 0.1])}
    figure = figures.followers_and_others(kinds, threshold)
    drawn = [points.get_offsets() for points in figure.axes.collections]
    assert_rounded_equal([places[:, 0] for places in drawn], list(kinds.values()))
    assert_reference_line(figure.axes, threshold)
    assert said in figure.caption

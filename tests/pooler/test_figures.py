"""Lesson 2's figures draw what they are given, and their captions say what is drawn."""

import re

import numpy as np
import pytest
import torch

from bertlab.evidence import beside_controls
from bertlab.pooler import figures
from rounding import assert_rounded_equal


def names(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


class TestDoesItFollow:
    def shown(self, values):
        seconds = ["She looked for them everywhere, in every room of the house.", "A heart is a muscle.", "It rained."]
        return figures.does_it_follow("She lost her keys.", seconds[: len(values)], torch.tensor(values))

    def test_a_bar_for_each_sentence_from_the_top(self):
        ax = self.shown([0.9, 0.2, 0.4]).axes
        assert_rounded_equal([bar.get_width() for bar in ax.patches], [0.9, 0.2, 0.4])
        assert [text.get_text() for text in ax.texts] == ["0.90", "0.20", "0.40"]
        assert ax.yaxis_inverted()
        assert [name.replace("\n", " ") for name in names(ax)][1:] == ["A heart is a muscle.", "It rained."]
        assert max(len(line) for line in names(ax)[0].split("\n")) <= 36, "a long sentence leaves room for its bar"

    def test_the_caption_names_the_highest_and_the_lowest(self):
        caption = self.shown([0.4, 0.9, 0.2]).caption
        assert "“She lost her keys.” What comes next?" in caption
        assert "“A heart is a muscle.” the highest probability, 0.90" in caption
        assert "“It rained.” the lowest, 0.20" in caption


def test_tokens_and_pooled_draws_the_first_numbers_with_the_pooled_vector_framed_at_the_bottom():
    last, pooled = torch.arange(12.0).reshape(2, 6) - 20, torch.linspace(-0.5, 0.75, 6)
    figure = figures.tokens_and_pooled(["[CLS]", "cat"], last, pooled, features=4)
    drawn = figure.axes.collections[0].get_array().reshape(3, -1)
    assert_rounded_equal(drawn, torch.stack([last[0], last[1], pooled])[:, :4])
    assert names(figure.axes) == ["[CLS]", "cat", "pooled"]
    assert [patch.get_xy() for patch in figure.axes.patches] == [(0, 2)]
    assert figure.caption.startswith("The first 4 of 6 numbers")
    assert "is 20.0 among the tokens' and 0.8 in it" in figure.caption, "of all numbers, drawn or not; in size"


def test_more_features_than_there_are_draws_them_all():
    figure = figures.tokens_and_pooled(["[CLS]"], torch.ones(1, 5), torch.ones(5), features=48)
    assert figure.caption.startswith("The first 5 of 5 numbers")


def test_tanh_is_drawn_from_the_smallest_in_size_to_the_largest():
    before = torch.tensor([2.0, -0.1, 0.0, -3.0])
    figure = figures.before_and_after_tanh(before, torch.tanh(before), features=4)
    drawn = figure.axes.collections[0].get_array().reshape(2, -1)
    assert_rounded_equal(drawn, [[0.0, -0.1, 2.0, -3.0], [0.0, -0.099668, 0.964028, -0.995055]])
    assert "in 4 of 4 features" in figure.caption
    assert "the largest was -3.00 and is -1.00 now" in figure.caption


def judged(bert, control, per_text=5):
    """Compare two ways on 8 texts of so many pairs."""
    texts = [i // per_text for i in range(len(bert))]
    return beside_controls({"some BERT": bert, "a common word": control}, texts)


CASES = [
    ([1] * 38 + [0] * 2, [1, 0, 0, 0, 1] * 8, "more often than a common word (0.40, p = ", "lies above it"),
    ([1, 0] * 20, [0, 1] * 20, "Not shown: more often than a common word (0.50)", "does not exclude it"),
    ([0] * 38 + [1] * 2, [1] * 38 + [0] * 2, "Less often than a common word (0.95, p = ", "lies below it"),
]


@pytest.mark.parametrize(("bert", "control", "compared", "chance"), CASES)
def test_pairs_judged_right(bert, control, compared, chance):
    figure = figures.pairs_judged_right(judged(bert, control))
    assert [bar.get_width() for bar in figure.axes.patches] == [np.mean(bert), np.mean(control)]
    assert names(figure.axes) == ["some BERT", "a common word"]
    assert compared in figure.caption
    assert f"the interval of some BERT {chance}." in figure.caption
    assert "over 8 texts" in figure.caption
    assert "of 40 pairs" in figure.caption


@pytest.mark.parametrize(("bert", "control", "compared", "_"), CASES)
def test_nearest_of_the_same_text(bert, control, compared, _):
    figure = figures.nearest_of_the_same_text(judged(bert, control), chance=0.04)
    dashed = [line.get_xdata()[0] for line in figure.axes.lines if line.get_linestyle() == "--"]
    assert dashed == [0.04]
    assert compared in figure.caption
    assert "Guessing would reach 0.04." in figure.caption
    assert "of 40 sentences" in figure.caption


class TestFollowersAndOthers:
    def shown(self, groups=None, **kinds):
        return figures.followers_and_others({name: torch.tensor(values) for name, values in kinds.items()}, groups)

    def test_a_point_for_each_pair_and_the_threshold(self):
        ax = self.shown(follow=[0.9, 0.8], turned=[0.3, 0.6]).axes
        drawn = [points.get_offsets() for points in ax.collections]
        assert_rounded_equal([places[:, 0] for places in drawn], [[0.9, 0.8], [0.3, 0.6]])
        assert [set(np.round(places[:, 1])) for places in drawn] == [{0.0}, {1.0}]
        assert names(ax) == ["follow", "turned"]
        assert ax.yaxis_inverted()
        assert [line.get_xdata()[0] for line in ax.lines] == [0.5]

    def test_the_caption_counts_what_lies_above_the_threshold(self):
        caption = self.shown(follow=[0.9, 0.8, 0.5, 0.4], turned=[0.9, 0.1, 0.1, 0.1]).caption
        assert "lie 0.50 of “follow”, 0.25 of “turned”." in caption

    def test_a_head_that_says_yes_to_all_may_still_tell_them_apart(self):
        caption = self.shown(follow=[0.9] * 10, other=[0.8] * 10).caption
        assert "1.00 of “other”" in caption
        assert "“follow” beside “other”: the higher probability in 10 of 10 cases" in caption
        # Wilson's interval, which a bootstrap would call [1.00, 1.00]; of 2**10 sign flips, 2 are as far out.
        assert "(1.00 [0.72, 1.00], p = 0.002), AUC 1.00: told apart." in caption

    def test_pairs_are_compared_with_those_they_belong_to_and_auc_compares_all(self):
        # each follower lies just below its own control; of all nine comparisons, three are won
        caption = self.shown(follow=[0.1, 0.4, 0.7], other=[0.2, 0.5, 0.8]).caption
        assert "in 0 of 3 cases" in caption
        assert re.search(r"AUC 0\.33: not shown to be told apart\.", caption)

    def test_the_wrong_way_round(self):
        assert "AUC 0.00: taken for less." in self.shown(follow=[0.1] * 9, other=[0.2] * 9).caption

    def test_each_other_kind_has_its_sentence(self):
        caption = self.shown(follow=[0.9] * 9, turned=[0.9] * 9, other=[0.1] * 9).caption
        assert "“follow” beside “turned”: all probabilities are the same, AUC 0.50: not told apart." in caption
        # Nine flips have p = 2 / 2**9, and of two questions the smaller p counts twice.
        assert (
            "“follow” beside “other”: the higher probability in 9 of 9 cases (1.00 [0.70, 1.00], p = 0.008)" in caption
        )

    def test_ties_count_for_neither_side(self):
        caption = self.shown(follow=[0.9] * 9 + [0.5] * 20, other=[0.1] * 9 + [0.5] * 20).caption
        assert "“follow” beside “other”: the higher probability in 9 of 9 cases" in caption
        assert ": told apart." in caption

    def test_pairs_of_a_text_count_together(self):
        # Five texts of six pairs, four of them all right: thirty items would show it, five texts do not.
        follow, groups = [0.9] * 24 + [0.1] * 6, np.repeat(list("ebdca"), 6).tolist()
        alone = self.shown(follow=follow, other=[0.5] * 30).caption
        together = self.shown(groups, follow=follow, other=[0.5] * 30).caption
        assert "belongs to it (intervals and p over 5 texts)." in together
        assert re.search(r"p = 0\.001\), AUC 0\.80: told apart", alone)
        # Of 2**5 sign flips of five texts, 12 are as far out as four against one.
        assert re.search(r"24 of 30 cases \(0\.80 \[0\.40, 1\.00\], p = 0\.375\), AUC 0\.80: not shown", together)

    def test_a_text_whose_pairs_are_all_ties_is_left_out(self):
        follow, groups = [0.5] * 4 + [0.9] * 10, [0, 0, *(k // 2 for k in range(12))]
        caption = self.shown(groups, follow=follow, other=[0.5] * 4 + [0.1] * 10).caption
        assert "in 10 of 10 cases (1.00 [0.57, 1.00], p = 0.062)" in caption

    def test_where_a_single_text_differs_nothing_is_shown(self):
        follow, groups = [0.9] * 4 + [0.5] * 8, [k // 4 for k in range(12)]
        caption = self.shown(groups, follow=follow, other=[0.1] * 4 + [0.5] * 8).caption
        assert "all probabilities are the same but in one text, AUC 0.78: not shown to be told apart." in caption

    def test_most_of_a_few_is_not_shown_yet(self):
        caption = self.shown(follow=[0.9, 0.9, 0.9, 0.1], other=[0.5] * 4).caption
        assert "in 3 of 4 cases" in caption
        assert caption.endswith("not shown to be told apart.")

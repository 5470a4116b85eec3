"""Lesson 6's figures are tested on the data they draw, and their captions on values whose right words are known."""

import pandas as pd
import torch
from matplotlib.colors import to_rgba

from bertlab.figures import PALETTE
from bertlab.figures.plots import TWIN
from bertlab.masking import figures
from rounding import assert_rounded_equal


def test_right_answers_are_counts_berts_in_blue_a_rules_in_orange_and_a_twins_in_grey():
    counts = {"mini, cut": 12, "mini, whole": 1011, "a rule": 7, "untrained twin": 0}
    shown = figures.right_answers(counts, 1200, "gaps")
    bars = shown.axes.patches
    assert [bar.get_width() for bar in bars] == [12, 1011, 7, 0]
    assert [bar.get_facecolor() for bar in bars] == [to_rgba(c) for c in (PALETTE[0], PALETTE[0], PALETTE[1], TWIN)]
    assert shown.caption == "mini, cut: 12 of 1,200 gaps are right; mini, whole: 1,011; a rule: 7; untrained twin: 0."


def test_bars_for_a_students_words_are_empty_and_named_once_the_words_are_written():
    shown = figures.empty_bars(["cat", ""], "The [MASK] sat.")
    assert [label.get_text() for label in shown.axes.get_yticklabels()] == ["cat", "your word 2"]
    assert [bar.get_fill() for bar in shown.axes.patches] == [False, False]


def test_numbers_are_drawn_as_given_and_the_caption_names_where_two_texts_differ_most():
    answers = pd.DataFrame({"token_str": ["cat", "dog"], "score": [0.3, 0.15]})
    shown = figures.most_probable(answers, "The [MASK] sat on the mat.", vocabulary=1002)
    assert [bar.get_width() for bar in shown.axes.patches] == [0.3, 0.15]
    scores = [torch.tensor([-1.0, -2.0]), torch.tensor([-1.5, -6.0])]
    shown = figures.piece_scores(["It was.", "It were."], [["it", "was"], ["it", "were"]], scores)
    assert_rounded_equal(shown.axes.collections[0].get_array(), [[-1, -2], [-1.5, -6]])
    assert shown.caption.endswith("They differ most at 'was / were'.")

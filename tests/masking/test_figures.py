"""Lesson 6's bars are the counts, and each method has its colour."""

from matplotlib.colors import to_rgba

from bertlab.figures import PALETTE
from bertlab.figures.plots import TWIN
from bertlab.masking import figures


def test_right_answers_are_counts_berts_in_blue_a_rules_in_orange_and_a_twins_in_grey():
    counts = {"mini, cut": 12, "mini, whole": 1011, "a rule": 7, "untrained twin": 0}
    shown = figures.right_answers(counts, 1200, "gaps")
    bars = shown.axes.patches
    assert [bar.get_width() for bar in bars] == [12, 1011, 7, 0]
    assert [bar.get_facecolor() for bar in bars] == [to_rgba(c) for c in (PALETTE[0], PALETTE[0], PALETTE[1], TWIN)]
    assert shown.caption == "mini, cut: 12 of 1,200 gaps are right; mini, whole: 1,011; a rule: 7; untrained twin: 0."

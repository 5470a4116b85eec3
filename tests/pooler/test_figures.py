"""Lesson 2's figures draw what they are given, and their captions say what is drawn."""

import pytest
import torch
from matplotlib.colors import to_rgba

from bertlab.figures.plots import PALETTE, TWIN
from bertlab.pooler import figures
from drawn import assert_reference_line
from rounding import assert_rounded_equal


def test_each_sentence_has_a_bar_with_its_probability_or_an_empty_one_to_guess_at():
    asked = ("She lost her keys.", ["It costs $5.", "A heart."])
    follow, empty = figures.does_it_follow(*asked, torch.tensor([0.9, 0.2])), figures.does_it_follow(*asked)
    assert_rounded_equal([bar.get_width() for bar in follow.axes.patches], [0.9, 0.2])
    assert [label.get_text() for label in follow.axes.get_yticklabels()] == asked[1]
    assert [text.get_text() for text in follow.axes.texts] == ["0.90", "0.20"]
    assert follow.caption.endswith("probabilities: “It costs $5.” 0.90 and “A heart.” 0.20.")
    assert [(bar.get_width(), bar.get_facecolor()[:3]) for bar in empty.axes.patches] == [(1, (1, 1, 1))] * 2


def test_what_is_right_is_beside_guessing_and_a_twin_is_grey():
    figure = figures.beside_guessing("Right choices", {"some BERT": 1300, "words": 900.5, "a twin": 760}, 1520)
    assert_reference_line(figure.axes, 760)
    assert_rounded_equal([bar.get_width() for bar in figure.axes.patches], [1300, 900.5, 760])
    colours = [bar.get_facecolor() for bar in figure.axes.patches]
    assert colours == [to_rgba(colour) for colour in (*PALETTE[:2], TWIN)]
    assert "of 1,520: some BERT 1,300, words 900.5 and a twin 760." in figure.caption


@pytest.mark.parametrize(("threshold", "said"), [(0.5, "to 2 of 4 (follow) and 1 of 4 (turned)"), (0.85, "to 1 of 4")])
def test_a_point_for_each_pair_and_the_threshold(threshold, said):
    kinds = {"follow": torch.tensor([0.9, 0.8, 0.5, 0.4]), "turned": torch.tensor([0.9, 0.1, 0.1, 0.1])}
    figure = figures.followers_and_others(kinds, threshold)
    drawn = [points.get_offsets() for points in figure.axes.collections]
    assert_rounded_equal([places[:, 0] for places in drawn], list(kinds.values()))
    assert_reference_line(figure.axes, threshold)
    assert said in figure.caption

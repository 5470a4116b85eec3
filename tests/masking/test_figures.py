"""Lesson 6's figures are tested on the data they draw, and their captions on values whose right words are known."""

import pandas as pd
import pytest
import torch

from bertlab.evidence import beside_controls, verdict
from bertlab.masking import figures
from drawn import assert_reference_line
from rounding import assert_rounded_equal


@pytest.mark.parametrize("chance", [0.5, None])
def test_right_answers_are_told_by_the_verdict_beside_chance_where_it_is_drawn(chance):
    compared = beside_controls({"BERT": [1] * 12, "a rule": [1] * 11 + [0]}, list("aaaabbbbcccc"))
    shown = figures.right_answers(compared, "pairs", groups="exchanges", chance=chance)
    if chance is None:
        assert not [line for line in shown.axes.lines if line.get_linestyle() == "--"]
    else:
        assert_reference_line(shown.axes, chance)
    assert shown.caption == verdict(compared, "pairs", "exchanges")


def test_numbers_are_drawn_as_given_and_texts_of_different_length_are_refused():
    answers = pd.DataFrame({"token_str": ["cat", "dog"], "score": [0.3, 0.15]})
    shown = figures.most_probable(answers, "The [MASK] sat on the mat.", vocabulary=1002)
    assert [bar.get_width() for bar in shown.axes.patches] == [0.3, 0.15]
    scores = [torch.tensor([-1.0, -2.0]), torch.tensor([-1.5, -6.0])]
    shown = figures.piece_scores(["It was.", "It were."], [["it", "was"], ["it", "were"]], scores)
    assert_rounded_equal(shown.axes.collections[0].get_array(), [[-1, -2], [-1.5, -6]])
    assert shown.caption.endswith("They differ most at 'was / were'.")
    with pytest.raises(ValueError, match=r"'It was\.' has 2 pieces and 'So it was\.' has 3; only texts"):
        figures.piece_scores(["It was.", "So it was."], [["it", "was"], ["so", "it", "was"]], [])

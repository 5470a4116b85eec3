"""Lesson 6's figures are tested on the data they draw, and their captions on values whose right words are known."""

import pandas as pd
import pytest
import torch

from bertlab.evidence import beside_controls
from bertlab.masking import figures
from rounding import assert_rounded_equal


@pytest.mark.parametrize(
    ("others", "changed"),
    [(["a", "b"], "only the numbers"), (["b", "a"], "their order"), (["a", "c"], "the words")],
)
def test_what_changes_in_the_answers_is_said(others, changed):
    before, after = (pd.DataFrame({"token_str": w, "score": [0.5, 0.25]}) for w in (["a", "b"], others))
    said = f"'a' has 0.50 with it, '{others[0]}' has 0.50 without."
    assert figures.change_of_answers(before, after) == (changed, said)


@pytest.mark.parametrize(
    ("chance", "groups", "said"),
    [
        (0.5, None, "95 % intervals."),
        (0.5, list("aaaabbbbcccc"), "95 % intervals over 3 exchanges."),
        (1 / 16000, None, "95 % intervals. Guessing is right in one of 16,000."),
    ],
)
def test_right_answers_are_told_by_the_verdict_and_a_chance_of_nearly_nothing_is_said_and_not_drawn(
    chance, groups, said
):
    compared = beside_controls({"BERT": [1] * 12, "a rule": [1] * 11 + [0]}, groups)
    shown = figures.right_answers(compared, "pairs", chance=chance, groups="exchanges")
    dashed = [line.get_xdata()[0] for line in shown.axes.lines if line.get_linestyle() == "--"]
    assert dashed == ([0.5] if chance == 0.5 else [])
    assert "Not shown: more often than a rule (0.92). The lines are" in shown.caption
    assert shown.caption.endswith(said)


def test_numbers_are_drawn_as_given_and_texts_of_different_length_are_refused():
    answers = pd.DataFrame({"token_str": ["cat", "dog"], "score": [0.3, 0.15]})
    shown = figures.most_probable(answers, "The [MASK] sat on the mat.", vocabulary=1002)
    assert [bar.get_width() for bar in shown.axes.patches] == [0.3, 0.15]
    scores = [torch.tensor([-1.0, -2.0]), torch.tensor([-1.5, -6.0])]
    shown = figures.piece_scores(["It was.", "It were."], [["it", "was"], ["it", "were"]], scores)
    assert_rounded_equal(shown.axes.collections[0].get_array(), [[-1, -2], [-1.5, -6]])
    assert shown.caption.endswith("The largest difference is at 'was / were'.")
    with pytest.raises(ValueError, match=r"'It was\.' has 2 pieces and 'So it was\.' has 3; only texts"):
        figures.piece_scores(["It was.", "So it was."], [["it", "was"], ["so", "it", "was"]], [])


def test_leans_stand_in_the_order_of_their_means_and_each_sentence_is_a_dot():
    values = torch.tensor([[0.5, 0.75, 0.25], [-1.0, -0.5, 0.5], [1.0, 2.0, 1.5], [-2.0, -1.0, -3.0]])
    shown = figures.leans(["a", "b", "c", "d"], values, "mini")
    left, right = shown.axes.figure.axes
    rows = [[label.get_text() for label in ax.get_yticklabels()] for ax in (left, right)]
    assert rows == [["a", "c"], ["d", "b"]], "the upper half is read first"
    dots = [line.get_xydata().tolist() for line in right.lines if line.get_marker() == "o"]
    assert dots == [[[-2, 0], [-1, 0], [-3, 0]], [[-1, 1], [-0.5, 1], [0.5, 1]]]
    assert left.get_xlim() == right.get_xlim()
    assert "one of 3 sentences. For 3 occupations all dots lie on one side" in shown.caption

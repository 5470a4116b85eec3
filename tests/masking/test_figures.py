"""Lesson 6's figures are tested on the data they draw, and their captions on values whose right words are known."""

import pandas as pd
import pytest
import torch

from bertlab.evidence import beside_controls
from bertlab.masking import figures
from rounding import assert_rounded_equal

MAT = "The [MASK] sat on the mat."


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_the_most_probable_piece_is_the_longest_bar_on_top():
    answers = pd.DataFrame({"token_str": ["cat", "dog"], "score": [0.3, 0.15]})
    shown = figures.most_probable(answers, MAT, vocabulary=1002)
    assert [bar.get_width() for bar in shown.axes.patches] == [0.3, 0.15]
    assert labels(shown.axes) == ["cat", "dog"]
    assert shown.axes.yaxis_inverted()
    assert shown.caption.endswith("have 0.45 together; the other 1,000 pieces of the vocabulary share the rest.")


@pytest.mark.parametrize(
    ("others", "changed"),
    [(["a", "b"], "only the numbers"), (["b", "a"], "their order"), (["a", "c"], "the words")],
)
def test_what_changes_in_the_answers_is_said(others, changed):
    before, after = (pd.DataFrame({"token_str": w, "score": [0.5, 0.25]}) for w in (["a", "b"], others))
    assert figures.change_of_answers(before, after) == (
        changed,
        f"'a' has 0.50 with it, '{others[0]}' has 0.50 without.",
    )


class TestRightAnswers:
    @pytest.mark.parametrize(("groups", "said"), [(None, "intervals."), (list("aaaabbbbcccc"), "over 3 exchanges.")])
    def test_the_caption_is_the_verdict_and_says_what_was_drawn_in_groups(self, groups, said):
        compared = beside_controls({"BERT": [1] * 12, "a rule": [1] * 11 + [0]}, groups)
        shown = figures.right_answers(compared, "pairs", chance=0.5, groups="exchanges")
        assert 0.5 in [line.get_xdata()[0] for line in shown.axes.lines]
        assert "Not shown: more often than a rule (0.92). The lines are 95 % intervals" in shown.caption
        assert shown.caption.endswith(said)

    def test_guessing_that_is_nearly_never_right_is_said_and_not_drawn(self):
        compared = beside_controls({"BERT": [1, 1, 0], "its twin": [0, 0, 0]})
        shown = figures.right_answers(compared, "words", chance=1 / 16000, groups="")
        assert not [line for line in shown.axes.lines if line.get_linestyle() == "--"]
        assert "chance" not in [text.get_text() for text in shown.axes.texts]
        assert "intervals. Guessing is right in one of 16,000." in shown.caption


class TestPieceScores:
    def test_scores_stand_below_each_other_and_exchanged_pieces_share_a_column(self):
        scores = [torch.tensor([-1.0, -2.0]), torch.tensor([-1.5, -6.0])]
        shown = figures.piece_scores(["It was.", "It were."], [["it", "was"], ["it", "were"]], scores)
        drawn = shown.axes.collections[0].get_array().reshape(2, 2)
        assert_rounded_equal(drawn, [[-1, -2], [-1.5, -6]])
        assert labels(shown.axes) == ["It was.", "It were."]
        assert [label.get_text() for label in shown.axes.get_xticklabels()] == ["it", "was / were"]
        assert "add up to -3.0 for the first sentence and -7.5 for the second" in shown.caption
        assert shown.caption.endswith("The largest difference is at 'was / were'.")

    def test_texts_of_different_length_are_refused(self):
        with pytest.raises(ValueError, match=r"'It was\.' has 2 pieces and 'So it was\.' has 3; only texts"):
            figures.piece_scores(["It was.", "So it was."], [["it", "was"], ["so", "it", "was"]], [])


class TestLeans:
    def test_words_stand_in_the_order_of_their_means_and_each_sentence_is_a_dot(self):
        values = torch.tensor([[0.5, 0.75, 0.25], [-1.0, -0.5, 0.5], [1.0, 2.0, 1.5], [-2.0, -1.0, -3.0]])
        shown = figures.leans(["a", "b", "c", "d"], values, "mini")
        left, right = shown.axes.figure.axes
        assert (labels(left), labels(right)) == (["a", "c"], ["d", "b"]), "the upper half is read first"
        dots = [line.get_xydata().tolist() for line in right.lines if line.get_marker() == "o"]
        assert dots == [[[-2, 0], [-1, 0], [-3, 0]], [[-1, 1], [-0.5, 1], [0.5, 1]]]
        assert left.get_xlim() == right.get_xlim()
        assert shown.caption.startswith("How far mini moves from its prior after each of 4 occupations")
        assert "one of 3 sentences. For 3 occupations all dots lie on one side" in shown.caption

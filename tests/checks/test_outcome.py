"""What a check says, and which answers to a prediction are right."""

import numpy as np
import pytest
import torch

from bertlab.checks import Outcome, reveal


def test_the_word_that_students_read_follows_from_the_reason():
    words = {"blank": "not yet", "right": "right"} | dict.fromkeys(["raised", "wrong", "shortcut"], "not quite")
    for reason, word in words.items():
        assert repr(Outcome(reason, "so it is.")) == f"{word}: so it is."


def test_without_a_guess_the_question_comes_again_and_the_answer_stays_folded():
    asked = reveal(None, "<b>", "x & y.", question="Which tag is bold?")
    assert asked.status == "not yet"
    assert repr(asked) == ("not yet: Which tag is bold? Write your guess in its cell above, run that, then this one.")
    assert "<details><summary>The answer</summary>The answer is &lt;b&gt;: x &amp; y.</details>" in asked._repr_html_()
    assert reveal("<b>", "<b>", "x.", question="Which tag is bold?")._repr_html_() is None
    assert repr(reveal(None, 6, "because")) == "not yet: you made no guess. The answer is 6: because"
    assert "The answer is 50: because" in repr(reveal(None, 50.0, "because"))


RIGHT = [
    *[(6, 6), ("6", 6), (6.0, 6), (" 6 ", 6), (6, "6"), (6, np.int64(6)), (3.0, 3), ("3.0", 3), ("12", 12.0)],
    *[(0.88, 0.8812), ("1e3", 1000), (torch.tensor(6), 6), ("'6'", 6), ("6 tokens", 6), ("~70", 70)],
    *[("0,5", 0.5), ("15 %", 0.15), ("15 %", 15), (torch.tensor(3), 3), ("'a'", "a"), ('"a"', "a"), ("“a”", "a")],
    *[
        (".5", 0.5),
        ("-.5", -0.5),
        ("−0.5", -0.5),
        ("+3", 3),
        ("(6).", 6),
        (torch.tensor(0.5), 0.5),
        ("≈ 70", 70),
        ("0,125", 0.125),
    ],
    *[("1,400.5", 1400.5), ("1,234,567", 1234567)],
    *[("57 %", 0.57), (57, 0.57), ("0,57", 0.57), ("57 per cent", 0.57), (0.33, 33.0), ("1,400", 1400)],
    *[("only [cls]. ", "only [CLS]"), ("c)", "c"), ("(c)", "c"), ("C.", "c"), ("c", "c)"), ("'c'", "c")],
    *[
        ("denial", "the denial"),
        ("CLS", "[CLS]"),
        ("the same vectors in the new order", "same vectors, in the new order"),
    ],
    *[(70, "about 70"), ("70", "about 70"), ("About 70", "about 70"), ("1400", "1,400 steps")],
]
NEAR = [("0.5", 0.52), (11, np.float32(12)), (np.float64(0.5), 0.52), (-0.5, -0.52), ("55 %", 0.57), (60, 0.57)]
WRONG = [
    *[(3, 6), ("six", 6), ("6.1", 6), (6.1, 6), (5.9999, 6), ("13", 6), (-6, 6), (torch.tensor([1, 2]), 6)],
    *[("0.4", 0.52), (0.4, 0.52), (-0.52, 0.52), ("nan", 0.5), (570, 0.57)],
    *[(np.int64(5), np.int64(6)), (True, 1), (False, 0), ("", "c"), ("b)", "c"), ("cc", "c"), ("", 0)],
    *[(".5", 5), ("−0.5", 0.5), ("1.5.", 15), ("'b'", "a"), ("15 %", 0.5), ("1.2.3", 1.2), ("1.234,5", 1.2)],
    *[(7, "about 70"), (50, "about 70"), ("about", "about 70"), ("1,40 steps", "140 steps"), ("1,2", "12")],
]


@pytest.mark.parametrize(("guess", "answer"), RIGHT)
def test_a_right_guess_may_be_written_in_several_ways(guess, answer):
    assert repr(reveal(guess, answer, "x")) == f"right: the answer is {str(answer).removesuffix('.0')}: x"


@pytest.mark.parametrize(("guess", "answer"), NEAR)
def test_a_guess_within_a_tenth_of_what_was_measured_is_near_enough_and_told_so(guess, answer):
    assert repr(reveal(guess, answer, "x")) == f"right: near enough. You guessed {guess}, and it is {answer}: x"


@pytest.mark.parametrize(("guess", "answer"), WRONG)
def test_a_wrong_one_stays_wrong(guess, answer):
    assert reveal(guess, answer, "x").status == "not quite"

"""What a check says, and which answers to a prediction are right."""

import numpy as np
import pytest

from bertlab.checks import Outcome, reveal


class Mute:
    def __str__(self):
        raise ValueError("no text")


def told(guess, answer, of=None):
    return repr(reveal(guess, answer, "x.", question="Which?", of=of))


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
    below = Outcome("wrong", "it is 1. Below, the lesson's own function runs.", folded="x")._repr_html_()
    assert below.startswith("<p>not quite: it is 1. <b>Below, the lesson&#x27;s own function runs.</b></p>")
    assert reveal(None, 50.0, "x.", question="How many?").folded == "The answer is 50: x."
    assert reveal(None, "a", "x.", question="Which?").folded == 'The answer is "a": x.'


GUESSES = {
    "right: the answer is {answer}: x.": [
        *[(6, 6), ("6", 6), (6.0, 6), (" 6 ", 6), (6, np.int64(6)), ("3.0", 3), ("6.", 6), ("+3", 3), ("12", 12.0)],
        *[(0.88, np.float32(0.88)), ("1e3", 1000), ("1,400", 1400), ("1,400.5", 1400.5), ("0,125", 0.125)],
        *[("0,5", 0.5), (".5", 0.5), ("-.5", -0.5), ("−0.5", -0.5), ("15 %", 0.15), (15, 0.15), ("15%", 15)],
        *[("a", "a"), ("A", "a"), ('"a"', "a"), ("“a”", "a"), ("c)", "c"), ("(c)", "c"), ("c: the words", "c")],
        *[("only [cls]. ", "only [CLS]"), ("CLS", "[CLS]"), ("denial", "the denial"), (".", ".")],
        *[("no overlap", "no_overlap"), ("No overlap", "no_overlap"), ("no_overlap", "no_overlap")],
    ],
    "right: near enough. You guessed {guess}, and the answer is {answer}: x.": [
        *[("0.5", 0.52), (-0.5, -0.52), ("55 %", 0.57), (0, 0.04), (11, 12.0), (2.2, 2.3), (0.65, 0.6)],
    ],
    "not quite: you guessed ": [
        *[(3, 6), ("6.1", 6), (5.9999, 6), ("13", 6), (-6, 6), ("0.4", 0.52), (-0.52, 0.52), (570, 0.57), ("1,2", 12)],
        *[(np.int64(5), np.int64(6)), (".5", 5), ("15 %", 0.5), (10, 12.0), (2, 2.3), (50, 2.3), (0.5, 2.3)],
        *[("b)", "c"), ("a: the words", "c"), (3, "the denial"), ("overlap", "no_overlap"), (",", ".")],
    ],
}
UNREAD = {
    "a number": [(value, 6) for value in ("six", "~6", "6 tokens", True, "1.5.2", "1.234,5", "nan", [6], np.nan)],
    'a letter, such as "a",': [(value, "c") for value in ("nothing", "cc", 3, "a cat", True)],
}


@pytest.mark.parametrize(("said", "guess", "answer"), [(said, *pair) for said in GUESSES for pair in GUESSES[said]])
def test_a_guess_may_be_written_in_several_ways_is_near_enough_or_stays_wrong(said, guess, answer):
    shown = f'"{answer}"' if answer in ("a", "c") else answer if isinstance(answer, str) else f"{answer:g}"
    assert told(guess, answer).startswith(said.format(guess=guess, answer=shown))


def test_a_wrong_option_and_the_right_one_are_written_alike():
    assert told("B", "a") == told("b: the words", "a") == 'not quite: you guessed "b"; the answer is "a": x.'


@pytest.mark.parametrize(("guess", "answer", "word"), [(0, 1, "near"), (5, 0.4, "near"), (6.5, 1, "wrong")])
def test_of_a_hundred_five_are_near_whatever_the_answer(guess, answer, word):
    assert told(guess, answer, of=100).startswith({"near": "right: near", "wrong": "not quite"}[word])
    assert told(100 - guess, 100 - answer, of=100).startswith({"near": "right: near", "wrong": "not quite"}[word])


@pytest.mark.parametrize("guess", [98.5, "98,5", "98.5 %", 0.985])
def test_a_number_of_a_hundred_has_one_decimal_and_may_be_guessed_as_a_share(guess):
    assert told(guess, 98.4999, of=100) == "right: the answer is 98.5: x."


@pytest.mark.parametrize(("form", "guess", "answer"), [(form, *pair) for form in UNREAD for pair in UNREAD[form]])
def test_a_guess_in_another_form_is_no_guess_yet(form, guess, answer):
    outcome = reveal(guess, answer, "x.", question="Which?")
    assert repr(outcome) == f"not yet: Which? Write your guess as {form} in its cell above, run that, then this one."
    assert outcome.folded


@pytest.mark.parametrize("answer", [6, 0.5, "c", "the denial"])
@pytest.mark.parametrize("guess", [Mute(), 10**5000, "", " "], ids=["mute", "long", "empty", "space"])
def test_what_has_no_text_is_no_guess_yet(guess, answer):
    assert told(guess, answer) == "not yet: Which? Write your guess in its cell above, run that, then this one."

"""What lesson 7's checks ask about, and what they say of answers that are not among their own wrong ones."""

import math

import numpy as np
import pandas as pd
import pytest

from bertlab.checks import pretraining as checks


def losses_word_by_word(text, answers, words):
    rare = [-math.log(text.tolist().count(word) / len(text)) for word in answers.tolist()]
    return math.log(words), sum(rare) / len(rare)


@pytest.mark.parametrize("kind", [tuple, np.array, pd.Series])
def test_two_losses_may_come_as_any_two_numbers(kind):
    assert checks.two_losses(lambda *case: kind(losses_word_by_word(*case))).reason == "right"


def test_what_is_no_two_numbers_is_told_what_is_asked_for():
    result = checks.two_losses(lambda *case: dict(enumerate(losses_word_by_word(*case))))
    assert "returns dict, and a tensor of shape (2,)" in result.message


def test_every_word_is_in_the_text_and_some_are_never_asked_for():
    text, answers, words = checks._words(9, 60, 20)
    assert set(text.tolist()) == set(range(words))
    assert set(answers.tolist()) <= set(range(words - 2))


def test_the_lower_one_of_two_lines_is_a_right_schedule():
    assert checks.share_of_step(lambda s, n, w: min(s / w, (n - s) / (n - w))).reason == "right"


def test_it_is_said_which_parts_of_a_schedule_are_right():
    result = checks.share_of_step(lambda s, n, w: s / w if s < w else w / s)
    assert "right at the start, in the rise and at the top, and wrong in" in result.message


def test_rates_and_seeds_that_were_not_given_are_refused_in_words():
    def other_seeds(train_once, rates, seeds):
        return [[train_once(rate=rate, seed=i)] * 3 for rate in rates for i in range(3)]

    result = checks.compare_rates(other_seeds)
    assert "train_once was asked for seed 0, and the seeds are [3, 5, 8, 9]" in result.message


def test_rows_in_the_order_of_the_sorted_rates_are_not_right():
    def by_size(train_once, rates, seeds):
        losses = [[train_once(rate=rate, seed=seed) for seed in seeds] for rate in sorted(rates)]
        return [[np.mean(row), min(row), max(row)] for row in losses]

    assert "keep the order of rates" in checks.compare_rates(by_size).message

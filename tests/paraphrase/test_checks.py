"""What lesson 5's checks take for right, and what they say of answers that are not among their own wrong ones."""

import numpy as np
import pytest
import torch

import bertlab
from bertlab.checks import paraphrase as checks
from bertlab.paraphrase import sentence_vectors
from exercises import graded_cosines


def test_the_mean_of_a_batch_is_checked_on_a_bert_of_any_shape(tiny_folder):
    tiny = bertlab.load(tiny_folder)
    assert checks.mean_of_batch(tiny, lambda bert, texts: sentence_vectors(bert, texts)).reason == "shortcut"


def test_special_tokens_that_are_left_out_are_named(bert):
    def inner(bert, texts):
        return [bert.read(text).hidden[-1, 1:-1].mean(dim=0) for text in texts]

    assert "they count in this exercise" in checks.mean_of_batch(bert, inner).message


@pytest.mark.parametrize("longest_first", [True, False])
def test_an_order_by_length_is_named(bert, longest_first):
    def by_length(bert, texts):
        return sentence_vectors(bert, sorted(texts, key=len, reverse=longest_first))

    assert "the rows are right, but in another order" in checks.mean_of_batch(bert, by_length).message


@pytest.mark.parametrize(
    "right",
    [
        lambda p, g, t: t > np.percentile(p[g == 0].numpy(), 95),
        lambda p, g, t: t > np.percentile(p[g == 0].numpy(), 95, method="lower"),
        lambda p, g, t: t >= np.percentile(p[g == 0].numpy(), 95, method="higher"),
        lambda p, g, t: [int((p[g == 0] < cosine).float().mean() > 0.95) for cosine in t],
    ],
)
def test_any_definition_of_a_quantile_is_right(right):
    practice, grades, test = graded_cosines()
    outcome = checks.beyond_unrelated(practice, grades, test, right)
    assert outcome.reason == "right"
    assert f"{(test > torch.quantile(practice[grades == 0], 0.95)).sum()} of 60 test pairs" in outcome.message


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (lambda p, g, t: t > torch.quantile(p[g == 0], 0.9), "quantile at 0.9;"),
        (lambda p, g, t: t > torch.quantile(p[g < 2], 0.95), "up to grade 1 are taken"),
        (lambda p, g, t: t > torch.quantile(p[g == 1], 0.8), "are not: at ["),
    ],
)
def test_what_is_said_of_a_line_does_not_hang_on_the_pairs_that_chance_made(wrong, named):
    said = [checks.beyond_unrelated(*graded_cosines(), wrong).message for _ in range(20)]
    assert all(named in message for message in said), said

"""What lesson 8's checks take for right, and what they say of answers that are not among their own wrong ones."""

import itertools
import math
import re

import numpy as np
from torch.nn import functional as F

from bertlab.checks import finetuning as checks

SHARES = [0.5, 0.6, 0.9, 0.7, 0.55, 0.8]


def test_the_rule_of_thumb_may_be_asked_by_any_means():
    def by_letters(firsts, seconds, answers):
        nouns = [[re.match(r"\w+ (\w+)", text)[1] for text in side] for side in (firsts, seconds)]
        return sum((a != b) == bool(said) for a, b, said in zip(*nouns, answers, strict=True)) / len(answers)

    assert checks.share_by_thumb(by_letters).reason == "right"
    assert checks.share_by_thumb(lambda firsts, seconds, answers: 0.5).reason == "wrong"


def test_a_loss_both_ways_may_be_written_with_any_of_torchs_calls():
    def by_hand(first, second, temperature):
        scores = F.cosine_similarity(first[:, None], second[None], dim=-1) / temperature
        return ((scores.logsumexp(0) + scores.logsumexp(1)) / 2 - scores.diagonal()).mean().item()

    assert checks.loss_both_ways(by_hand).reason == "right"


def test_the_best_by_a_power_is_right_and_the_praise_tells_its_numbers():
    def by_power(shares, k):
        below = [(i / len(shares)) ** k for i in range(len(shares) + 1)]
        return math.fsum(s * (b - a) for s, (a, b) in zip(sorted(shares), itertools.pairwise(below), strict=True))

    outcome = checks.best_of(SHARES, by_power)
    assert outcome.reason == "right"
    assert f"one draw has {sum(SHARES[:5]) / 5:.2f} on average, and the best of three" in outcome.message


def test_the_best_of_draws_by_lot_is_named():
    answer = checks.best_of(
        SHARES, lambda shares, k: np.random.default_rng().choice(shares, (999, k)).max(axis=1).mean()
    )
    assert "as if it drew by lot" in answer.message

"""Lesson 8's checks tell blank, right and wrong answers apart, and name the misconception."""

import itertools
import math

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from bertlab.checks import finetuning as checks

SHARES = [0.5, 0.6, 0.9, 0.7, 0.55, 0.8]
CHANCE = np.random.default_rng(8)


def blank(*_):
    return None


class TestStepSize:
    @staticmethod
    def right(number, rise, steps, largest):
        return largest * (number / rise if number <= rise else 1 - (number - rise) / (steps + 1 - rise))

    def test_blank_and_right(self):
        assert checks.step_size(blank).status == "not yet"
        assert checks.step_size(self.right).status == "right"
        lines = [
            lambda n, r, s, top: top * min(n / r, (s + 1 - n) / (s + 1 - r)),
            lambda n, r, s, top: torch.tensor(n * top / r if n < r else (s + 1 - n) * top / (s + 1 - r)),
            lambda n, r, s, top: np.interp(n, [0, r, s + 1], [0, top, 0]),
        ]
        assert [checks.step_size(line).status for line in lines] == 3 * ["right"]

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda n, r, s, top: top * (s + 1 - n) / s, "there is no rise"),
            (lambda n, r, s, top: top * min(n / r, 1), "it has to fall again"),
            (lambda n, r, s, top: top * n / r, "goes on rising"),
            (lambda n, r, s, top: top * (n / r if n <= r else (s - n) / (s - r)), "zero in the last step"),
            (lambda n, r, s, top: top * ((n - 1) / r if n <= r else (s - n + 1) / (s - r)), "counted from 1"),
            (lambda n, r, s, top: top * (n / r if n <= r else (s + 1 - n) / (s + 1)), "does not begin at the largest"),
            (lambda n, r, s, top: min(n / r, (s + 1 - n) / (s + 1 - r)), "share of the largest"),
            (lambda n, r, s, top: top * (n / r if n <= r else (s + 1 - n) / s), "there are steps + 1 - rise"),
            (lambda n, r, s, top: top * (n / r if n <= r else (s + 1 - n) / (s - r)), "there are steps + 1 - rise"),
            (lambda n, r, s, top: top * min(n / (r + 1), (s + 1 - n) / (s - r)), "the lesson's loop"),
            (lambda n, r, s, top: top * min((n + 1) / (r + 1), (s - n) / (s - r)), "the lesson's loop"),
            (lambda n, r, s, top: top * max(n / r, (s + 1 - n) / (s + 1 - r)), "take the lower one"),
            (lambda n, r, s, top: top * n / r * (s + 1 - n) / (s + 1 - r), "the two lines are multiplied"),
            (lambda n, r, s, top: top * (n // r if n <= r else (s + 1 - n) // (s + 1 - r)), "divides whole numbers"),
            (lambda n, r, s, top: top * (n / r if n <= r else (n - r) / (s + 1 - r)), "begins at zero and rises again"),
            (lambda n, r, s, top: top * (1 - n / r if n <= r else (n - r) / (s + 1 - r)), "falls where it should rise"),
            (
                lambda n, r, s, top: top * (n / r if n <= r else (1 + math.cos(math.pi * (n - r) / (s + 1 - r))) / 2),
                "half a wave",
            ),
            (lambda n, r, s, top: top, "right at the top, and wrong in the rise, in the fall and in the last step"),
            (lambda n, r, s, top: top * n / (r + 1), "your result is off by"),
        ],
    )
    def test_wrong(self, wrong, named):
        outcome = checks.step_size(wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message


def cosines(a, b):
    return F.normalize(a, dim=-1) @ F.normalize(b, dim=-1).T


def loss(values):
    return F.cross_entropy(values, torch.arange(len(values)))


def two_ways(values):
    return (loss(values) + loss(values.T)) / 2


def one_way(a, b, t):
    """Take cross-entropy against a table of ones on the diagonal."""
    return F.cross_entropy(F.cosine_similarity(a[:, None], b[None], dim=-1) / t, torch.eye(len(a)))


def own(a, b, t):
    """Give the probability of each one's own partner."""
    return (cosines(a, b) / t).softmax(dim=1).diagonal()


class TestLossBothWays:
    def test_blank_and_right(self):
        assert checks.loss_both_ways(blank).status == "not yet"

        def right(a, b, t):
            values = cosines(a, b) / t
            own = values.diagonal()
            return ((values.logsumexp(1) - own).mean() + (values.logsumexp(0) - own).mean()) / 2

        assert checks.loss_both_ways(right).status == "right"
        assert checks.loss_both_ways(lambda a, b, t: right(a, b, t).item()).status == "right"
        assert checks.loss_both_ways(lambda a, b, t: (one_way(a, b, t) + one_way(b, a, t)) / 2).status == "right"
        assert checks.loss_both_ways(lambda a, b, t: two_ways(cosines(a, b) / t)).status == "right"

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda a, b, t: loss(cosines(a, b) / t), "first sentences alone"),
            (lambda a, b, t: loss(cosines(b, a) / t), "second sentences alone"),
            (lambda a, b, t: loss(cosines(a, b) / t) + loss(cosines(b, a) / t), "the mean is asked for"),
            (lambda a, b, t: (loss(cosines(a, b)) + loss(cosines(b, a))) / 2, "temperature is forgotten"),
            (lambda a, b, t: (loss(cosines(a, b) * t) + loss(cosines(b, a) * t)) / 2, "it has to divide"),
            (lambda a, b, t: (loss(a @ b.T / t) + loss(b @ a.T / t)) / 2, "dot products"),
            (lambda a, b, t: (loss(cosines(a, b)) + loss(cosines(b, a))) / 2 / t, "before softmax"),
            (lambda a, b, t: -(loss(cosines(a, b) / t) + loss(cosines(b, a) / t)) / 2, "minus a logarithm"),
            (lambda a, b, t: two_ways(F.normalize(a, dim=0) @ F.normalize(b, dim=0).T / t), "a sentence is a row"),
            (lambda a, b, t: two_ways(F.normalize(a, dim=-1) @ b.T / t), "only the first table's rows"),
            (lambda a, b, t: two_ways(a @ F.normalize(b, dim=-1).T / t), "only the second table's rows"),
            (lambda a, b, t: two_ways(a / a.norm() @ (b / b.norm()).T / t), "divided by one length for all"),
            (lambda a, b, t: two_ways(cosines(a, b) / 0.05), "the lesson's, 0.05"),
            (lambda a, b, t: (loss(cosines(a, a) / t) + loss(cosines(b, b) / t)) / 2, "compared with itself"),
            (
                lambda a, b, t: sum(loss((cosines(*both) / t).softmax(1)) for both in ((a, b), (b, a))) / 2,
                "softmax was taken twice",
            ),
            (lambda a, b, t: loss((cosines(a, b) + cosines(b, a)) / 2 / t), "made one before the loss"),
            (lambda a, b, t: len(a) * two_ways(cosines(a, b) / t), "divides by how many there are"),
            (lambda a, b, t: -(own(a, b, t).mean() * own(b, a, t).mean()).log() / 2, "the logarithm of a mean"),
            (lambda a, b, t: (own(a, b, t) + own(b, a, t)).mean() / 2, "these are probabilities"),
            (lambda a, b, t: [loss(cosines(a, b) / t), loss(cosines(b, a) / t)], "both losses are there"),
            (lambda a, b, t: max(loss(cosines(a, b) / t), loss(cosines(b, a) / t)), "the larger one of the two"),
            (lambda a, b, t: a.mean(), "off by"),
        ],
    )
    def test_wrong(self, wrong, named):
        outcome = checks.loss_both_ways(wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message


def ways(v, k):
    return [max(drawn) for drawn in itertools.product(v, repeat=k)]


class TestBestOf:
    def test_blank_and_right(self):
        assert checks.best_of(SHARES, blank).status == "not yet"

        def right(shares, k):
            below = [(i / len(shares)) ** k for i in range(len(shares) + 1)]
            return math.fsum(s * (b - a) for s, a, b in zip(sorted(shares), below[:-1], below[1:], strict=True))

        for other in (
            lambda v, k: np.mean(ways(v, k)),
            lambda v, k: torch.cartesian_prod(*[torch.tensor(v)] * k).reshape(-1, k).amax(dim=1).mean(),
        ):
            assert checks.best_of(SHARES, other).status == "right"
        outcome = checks.best_of(SHARES, right)
        assert outcome.status == "right"
        assert f"one draw has {sum(SHARES[:5]) / 5:.2f} on average" in outcome.message

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda v, k: max(v), "however many are drawn"),
            (lambda v, k: sum(v) / len(v), "as if one were drawn"),
            (lambda v, k: max(v[:k]), "best of the first k"),
            (lambda v, k: sum(map(max, itertools.combinations(v, k))) / math.comb(len(v), k), "drawn twice"),
            (lambda v, k: sum(sorted(v)[-k:]) / k, "mean of the k best"),
            (lambda v, k: sum(map(min, itertools.product(v, repeat=k))) / len(v) ** k, "worst of the k"),
            (lambda v, k: sum(ways(v, k)) / len(v), "divided by how many shares there are"),
            (lambda v, k: sum(ways(v, k)), "the best ones are added up"),
            (lambda v, k: max(v[-k:]), "best of the last k"),
            (lambda v, k: ways(v, k), "their mean is asked for"),
            (lambda v, k: np.median(ways(v, k)), "the median over all ways"),
            (lambda v, k: sorted(v)[-k], "the k-th best"),
            (
                lambda v, k: np.mean([max(drawn) for drawn in itertools.combinations_with_replacement(v, k)]),
                "(a, b) and (b, a) are two ways",
            ),
            (lambda v, k: CHANCE.choice(v, (999, k)).max(axis=1).mean(), "as if it drew by lot"),
            (lambda v, k: np.mean(ways(v, 2)), "right for some inputs and not for others"),
            (lambda v, k: 0.5, "gives the same result whatever it is given"),
        ],
    )
    def test_wrong(self, wrong, named):
        outcome = checks.best_of(SHARES, wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message

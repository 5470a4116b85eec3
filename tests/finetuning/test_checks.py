"""What lesson 8's checks take for right, and what they say of answers that are not among their own wrong ones."""

import itertools
import math

import numpy as np
from torch.nn import functional as F

from bertlab.checks import finetuning as checks

SHARES = [0.5, 0.6, 0.9, 0.7, 0.55, 0.8]


def test_it_is_said_which_parts_of_a_schedule_are_right():
    said = checks.step_size(lambda n, r, s, top: top).message
    assert "right at the top, and wrong in the rise, in the fall and in the last step" in said


def test_two_branches_and_a_table_of_points_are_right_schedules():
    table = checks.step_size(lambda n, r, s, top: np.interp(n, [0, r, s + 1], [0, top, 0]))
    branches = checks.step_size(lambda n, r, s, top: n * top / r if n < r else (s + 1 - n) * top / (s + 1 - r))
    assert table.reason == branches.reason == "right"


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

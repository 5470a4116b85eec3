"""What lesson 5's checks take for right, and what they say of answers that are not among their own wrong ones."""

import numpy as np
import pytest
import torch

from bertlab.checks import paraphrase as checks
from exercises import graded_cosines


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

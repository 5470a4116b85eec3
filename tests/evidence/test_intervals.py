"""Bootstrap intervals and rank correlations: against theory, scipy and hand arithmetic."""

import numpy as np
import pytest
from scipy import stats

from bertlab.evidence import Interval, interval, spearman
from rounding import assert_rounded_equal


def test_an_interval_covers_as_theory_says():
    values = np.random.default_rng(0).normal(3.0, 2.0, size=400)
    found = interval(values)
    assert_rounded_equal(found.value, values.mean(), dtype="float64")
    half = 1.96 * values.std(ddof=1) / 20
    # The theory is of many samples, and the interval of some resamples: they differ by far more than rounding.
    assert (found.low, found.high) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.05)


def test_an_interval_is_written_with_three_decimals_and_no_minus_zero():
    assert str(Interval(-0.0001, -0.0004, 0.12349)) == "0.000 [0.000, 0.123]"


def test_items_are_drawn_together_in_a_paired_difference():
    chance = np.random.default_rng(0)
    hard = chance.normal(0, 10, size=300)  # items differ far more than the two models do
    better = hard + 0.5 + chance.normal(0, 0.1, size=300)
    found = interval(better, hard, statistic=lambda a, b, axis=-1: a.mean(axis) - b.mean(axis))
    assert (found.low, found.high) == pytest.approx((0.5, 0.5), abs=0.05)  # the noise of 300 samples


def test_an_interval_without_spread_is_a_point_and_refuses_what_it_cannot_do(recwarn):
    assert interval([1.0, 1.0, 1.0]) == Interval(1.0, 1.0, 1.0)
    assert not recwarn.list
    for columns in ([[1.0]], [[1.0, 2.0], [1.0]]):
        with pytest.raises(ValueError, match="at least two items, and as many in each column"):
            interval(*columns)


def test_spearman_is_pearsons_correlation_of_the_ranks():
    a, b = np.array([1.0, 5, 3, 9]), np.array([2.0, 3, 4, 9])
    by_ranks = stats.pearsonr(stats.rankdata(a), stats.rankdata(b)).statistic
    assert_rounded_equal(spearman(a, b), by_ranks, dtype="float64")

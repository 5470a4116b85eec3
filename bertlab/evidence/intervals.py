"""Confidence intervals of scores, and their range over seeds."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

RESAMPLES = 1000
AT_ONCE = 1_000_000  # items, over the resamples of a batch: a few such arrays stay below 100 MB


class Interval(NamedTuple):
    """A score with the two ends of its 95 % confidence interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return ``value [low, high]`` with three decimals."""
        return f"{self.value:z.3f} [{self.low:z.3f}, {self.high:z.3f}]"  # z: no minus zero


def ratio(sums: ArrayLike, counts: ArrayLike, axis: int = -1) -> Any:
    """Return the sum of sums divided by the sum of counts: the mean over all pieces, for items that hold several.

    Parameters
    ----------
    sums, counts : (items,)
        The sum and the number of pieces of each item.
    axis : int
        The axis of the items.

    Returns
    -------
    float
        The mean, or an array of means over the other axes.

    Examples
    --------
    >>> float(ratio([1.0, 5.0], [1, 3]))
    1.5
    """
    return np.asarray(sums).sum(axis) / np.asarray(counts).sum(axis)


def spearman(a: ArrayLike, b: ArrayLike, axis: int = -1) -> Any:
    """Return Spearman's rank correlation: Pearson's correlation of the ranks.

    Parameters
    ----------
    a, b : (items,)
        Two numbers per item.
    axis : int
        The axis of the items.

    Returns
    -------
    float
        The correlation, or an array of correlations over the other axes.

    Examples
    --------
    >>> float(spearman([1, 2, 3], [10, 30, 20]))
    0.5
    """
    # scipy's spearmanr computes one at a time, and an interval needs a thousand resamples.
    x, y = stats.rankdata(a, axis=axis), stats.rankdata(b, axis=axis)
    x, y = x - x.mean(axis=axis, keepdims=True), y - y.mean(axis=axis, keepdims=True)
    correlation = (x * y).sum(axis) / np.sqrt((x**2).sum(axis) * (y**2).sum(axis))
    return np.clip(correlation, -1, 1)  # against rounding


def interval(*columns: ArrayLike, statistic: Callable[..., Any] = np.mean) -> Interval:
    """Return a statistic of items with its 95 % bootstrap interval: percentiles over 1,000 resamples (Efron 1979).

    Parameters
    ----------
    *columns : (items,)
        One number per item in each column, for two or more items.
    statistic : callable
        Takes the columns and ``axis``; by default the mean.

    Returns
    -------
    Interval
        The statistic with its interval.

    Examples
    --------
    >>> str(interval([0.2, 0.4, 0.3, 0.7, 0.5]))
    '0.420 [0.280, 0.580]'
    """
    arrays = [np.asarray(column, dtype=float) for column in columns]
    if len({len(array) for array in arrays}) != 1 or len(arrays[0]) < 2:
        raise ValueError("an interval needs at least two items, and as many in each column")
    result = stats.bootstrap(
        arrays,
        statistic,
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=max(1, AT_ONCE // len(arrays[0])),
        method="percentile",
        rng=np.random.default_rng(0),
    )
    low, high = result.confidence_interval
    return Interval(float(statistic(*arrays)), float(low), float(high))


def wilson(successes: int, trials: int) -> Interval:
    """Return a share of independent trials with its 95 % confidence interval (Wilson 1927), valid at 0 and 1 too.

    Parameters
    ----------
    successes, trials : int
        The number of successes, and of all trials.

    Returns
    -------
    Interval
        The share with its interval.

    Examples
    --------
    >>> str(wilson(8, 10))
    '0.800 [0.490, 0.943]'
    """
    test = stats.binomtest(successes, trials)
    low, high = test.proportion_ci(method="wilson")
    return Interval(test.statistic, float(low), float(high))


class Spread(NamedTuple):
    """The mean and range of a score over untrained twins, or other seeds."""

    mean: float
    lowest: float
    highest: float

    def __str__(self) -> str:
        """Return ``mean (lowest to highest)`` with two decimals."""
        return format(self, "z.2f")

    def __format__(self, numbers: str) -> str:
        """Return the same with another format of the numbers, such as ``:g`` for counts."""
        mean, lowest, highest = (format(number, numbers or "z.2f") for number in self)
        return f"{mean} ({lowest} to {highest})"


def spread(values: ArrayLike) -> Spread:
    """Return the mean and the range of a score over seeds.

    Parameters
    ----------
    values : (seeds,)
        One score per seed.

    Returns
    -------
    Spread
        Printed as ``mean (lowest to highest)``.

    Examples
    --------
    >>> str(spread([0.25, 0.5, 0.75]))
    '0.50 (0.25 to 0.75)'
    """
    numbers = np.asarray(values, dtype=float)
    return Spread(float(numbers.mean()), float(numbers.min()), float(numbers.max()))


def half_up(value: float, decimals: int) -> str:
    """Return a number rounded to some decimals, halves up; plain formatting would round 98.5 to 98."""
    return f"{value + 1e-9:.{decimals}f}"

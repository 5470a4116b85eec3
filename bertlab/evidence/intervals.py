"""Bootstrap intervals (Efron 1979): how far a figure could be from chance in the choice of items alone."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

RESAMPLES = 1000
AT_ONCE = 1_000_000  # items, over all resamples: a few such arrays stay below 100 MB


class Interval(NamedTuple):
    """A figure with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float

    def side(self, above: str, below: str, neither: str) -> str:
        """Return the word for where the interval lies: above zero, below it, or neither."""
        return above if self.low > 0 else below if self.high < 0 else neither

    def __str__(self) -> str:
        """Return ``value [low, high]`` with three decimals."""
        return f"{self.value:z.3f} [{self.low:z.3f}, {self.high:z.3f}]"  # z: no minus zero


def ratio(sums: ArrayLike, counts: ArrayLike, axis: int = -1) -> Any:
    """Return the sum of `sums` over the sum of `counts`: a mean over pieces whose items are whole rows."""
    return np.asarray(sums).sum(axis) / np.asarray(counts).sum(axis)


def spearman(a: ArrayLike, b: ArrayLike, axis: int = -1) -> Any:
    """Return Spearman's rank correlation: Pearson's of the ranks."""
    # scipy's spearmanr gives one at a time, and a thousand resamples are asked for.
    x, y = stats.rankdata(a, axis=axis), stats.rankdata(b, axis=axis)
    x, y = x - x.mean(axis=axis, keepdims=True), y - y.mean(axis=axis, keepdims=True)
    correlation = (x * y).sum(axis) / np.sqrt((x**2).sum(axis) * (y**2).sum(axis))
    return np.clip(correlation, -1, 1)  # rounding must not lead beyond


def interval(*columns: ArrayLike, statistic: Callable[..., Any] = np.mean) -> Interval:
    """Return a statistic of items with its 95 % bootstrap interval.

    Each column, (items,), has one number an item, of two or more. The statistic takes the columns and ``axis``.

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
    """Return a share of independent trials with Wilson's (1927) 95 % interval, which holds at 0 and 1 too."""
    test = stats.binomtest(successes, trials)
    low, high = test.proportion_ci(method="wilson")
    return Interval(test.statistic, float(low), float(high))


class Spread(NamedTuple):
    """A figure of several untrained twins, or other seeds: their mean, the lowest and the highest."""

    mean: float
    lowest: float
    highest: float

    def __str__(self) -> str:
        """Return ``mean (lowest to highest)`` with two decimals."""
        return format(self, "z.2f")

    def __format__(self, numbers: str) -> str:
        """Return it with its numbers in another format, such as ``:g`` for counts."""
        mean, lowest, highest = (format(number, numbers or "z.2f") for number in self)
        return f"{mean} ({lowest} to {highest})"


def spread(values: ArrayLike) -> Spread:
    """Return the mean and the range of a figure over seeds."""
    numbers = np.asarray(values, dtype=float)
    return Spread(float(numbers.mean()), float(numbers.min()), float(numbers.max()))


def half_up(value: float, decimals: int) -> str:
    """Return a number with so many decimals, a half rounded up: formatting makes 98 of 98.5, and 56 of 55.5."""
    return f"{value + 1e-9:.{decimals}f}"

"""Bootstrap intervals (Efron 1979): how far a figure could be from chance in the choice of items alone."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

RESAMPLES = 1000
Statistic = Callable[..., float]


class Interval(NamedTuple):
    """A figure with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        """Whether zero lies outside."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        """Return ``value [low, high]`` with three decimals."""
        value, low, high = (round(number, 3) + 0.0 for number in (self.value, self.low, self.high))  # no minus zero
        return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def mean(values: np.ndarray) -> float:
    """Return the mean."""
    return float(np.mean(values))


def ratio(sums: np.ndarray, counts: np.ndarray) -> float:
    """Return the sum of `sums` over the sum of `counts`: a mean over pieces whose items are whole rows."""
    return float(np.sum(sums) / np.sum(counts))


def spearman(a: np.ndarray, b: np.ndarray) -> float:
    """Return Spearman's rank correlation: Pearson's of the ranks."""
    # scipy's spearmanr gives the same and a p-value, five times slower, which a thousand resamples feel.
    return float(np.corrcoef(stats.rankdata(a), stats.rankdata(b))[0, 1])


def interval(*columns: ArrayLike, statistic: Statistic = mean) -> Interval:
    """Return a statistic of items with its interval; each column holds one number an item.

    Raises
    ------
    ValueError
        If there are fewer than two items or the columns differ in length.
    """
    arrays = [np.asarray(column, dtype=float) for column in columns]
    if len({len(array) for array in arrays}) != 1 or len(arrays[0]) < 2:
        raise ValueError("an interval needs at least two items, and as many in each column")
    result = stats.bootstrap(
        arrays,
        statistic,
        paired=True,
        vectorized=False,
        n_resamples=RESAMPLES,
        method="percentile",
        rng=np.random.default_rng(0),
    )
    return Interval(statistic(*arrays), float(result.confidence_interval.low), float(result.confidence_interval.high))

"""Rank correlation, and confidence intervals of scores."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bertlab.arguments import guarded, require_fit, require_place

AT_ONCE = 1_000_000  # items, over the resamples of a batch: a few such arrays stay below 100 MB


class Interval(NamedTuple):
    """A score with the two ends of its 95 % confidence interval, printed as ``value [low, high]``."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:z.3f} [{self.low:z.3f}, {self.high:z.3f}]"  # z: no minus zero


@guarded
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
    a, b = np.asarray(a), np.asarray(b)
    require_fit(a.shape == b.shape and a.size > 0 < a.ndim, a=a, b=b)
    require_place(a.ndim, -a.ndim, axis=axis)
    x, y = stats.rankdata(a, axis=axis), stats.rankdata(b, axis=axis)
    x, y = x - x.mean(axis=axis, keepdims=True), y - y.mean(axis=axis, keepdims=True)
    return (x * y).sum(axis) / np.sqrt((x**2).sum(axis) * (y**2).sum(axis))


def interval(*columns: ArrayLike, statistic: Callable[..., Any] = np.mean) -> Interval:
    """Return a statistic of items with its 95 % bootstrap interval: percentiles over 1,000 resamples (Efron 1979).

    Each column has one number per item; `statistic` takes the columns and ``axis``.

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
        n_resamples=1000,
        batch=max(1, AT_ONCE // len(arrays[0])),
        method="percentile",
        rng=np.random.default_rng(0),
    )
    low, high = result.confidence_interval
    return Interval(float(statistic(*arrays)), float(low), float(high))

"""Williams' test, which lesson 5's benchmark prints beside the bootstrap interval of the same difference."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bertlab.evidence.intervals import spearman


def williams(one: ArrayLike, other: ArrayLike, target: ArrayLike) -> float:
    """Return the p-value of Williams' (1959) test that two ways follow one target equally well, by Spearman's ranks."""
    items = len(np.asarray(target))
    if any(np.ptp(np.asarray(values, dtype=float)) == 0 for values in (one, other, target)):
        return float("nan")  # one of them has no order
    a, b, between = float(spearman(one, target)), float(spearman(other, target)), float(spearman(one, other))
    if items < 4 or between < 1e-12 - 1:
        return float("nan")  # nothing is left to compare with, or one is the other turned round
    if between > 1 - 1e-12:
        return 1.0
    t = williams_t(a, b, between, items)
    return float(2 * stats.t.sf(abs(t), items - 3))


def williams_t(a: float, b: float, between: float, items: int) -> float:
    """Return Williams' t, with items - 3 degrees of freedom, as Steiger (1980, equation 7) writes it."""
    determinant = max(0.0, 1 - a**2 - b**2 - between**2 + 2 * a * b * between)
    spread = 2 * determinant * (items - 1) / (items - 3) + ((a + b) / 2) ** 2 * (1 - between) ** 3
    return float((a - b) * np.sqrt((items - 1) * (1 + between) / spread))

"""Tests of differences, and the correction of their p-values for multiple testing."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bertlab.bert.arguments import require_share

RESAMPLES = 9999


def holm(p: ArrayLike) -> np.ndarray:
    """Return p-values corrected for the number of tests (Holm 1979): n times the smallest, n - 1 times the next, ...

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    require_share(p=p)
    values = np.asarray(p, dtype=float)
    smallest_first = values.argsort(kind="stable")
    multiplied = values[smallest_first] * np.arange(len(values), 0, -1)
    corrected = np.empty(len(values))
    corrected[smallest_first] = np.maximum.accumulate(multiplied).clip(max=1)
    return corrected


def paired_p(differences: np.ndarray) -> float:
    """Return the p-value of paired differences by flipping their signs."""
    differences = differences[differences != 0]
    if len(differences) < 2:  # a single difference, flipped or not, is equally large
        return 1.0
    if (np.abs(differences) == 1).all():  # sign flips of ones: the exact binomial test, McNemar's
        return float(stats.binomtest(int((differences > 0).sum()), len(differences)).pvalue)
    return permutation_p(differences, np.zeros_like(differences), permutation_type="samples")


def permutation_p(first: np.ndarray, second: np.ndarray, **options: Any) -> float:
    """Return the p-value of the difference of two means by permutation, exact if there are few permutations."""
    test = stats.permutation_test(
        (first, second),
        lambda a, b, axis: np.mean(a, axis=axis) - np.mean(b, axis=axis),
        vectorized=True,
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(0),
        **options,
    )
    return float(test.pvalue)

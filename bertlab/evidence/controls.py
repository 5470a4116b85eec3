"""Compare methods on the same items: how often the first is right, and whether more often than its controls."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bertlab.bert.arguments import require_as_many, require_count, require_groups
from bertlab.evidence.intervals import Interval, interval, ratio, wilson
from bertlab.evidence.tests import holm, paired_p

COLUMNS = ["share", "low", "high", "lead", "lead_low", "lead_high", "p", "ahead", "behind"]


@dataclass(frozen=True, eq=False)
class Comparison:
    """A comparison of methods: a table with one row per method, and how many items and groups were compared."""

    table: pd.DataFrame
    items: int
    groups: int


def beside_controls(ways: Mapping[str, ArrayLike], groups: Sequence[Hashable] | None = None) -> Comparison:
    """Return how often each method is right, and test whether the first is right more often than each control.

    The test is McNemar's (1947), with groups a permutation test that flips signs of whole groups.

    Parameters
    ----------
    ways : dict of str to (items,)
        Whether a method is right on each item, for the method in question and then for its controls.
    groups : list, optional
        The group of each item, such as its sentence. By default each item is independent.

    Returns
    -------
    Comparison
        Its ``table`` has one row per method: ``share`` with its 95 % interval, ``low`` to ``high`` (Wilson 1927; over
        groups a bootstrap); ``lead`` of the first method, ``lead_low`` to ``lead_high`` (bootstrap), with its p-value
        ``p``, corrected by Holm (1979); and in how many groups the first is right more often (``ahead``) or less
        often (``behind``).

    Raises
    ------
    ValueError
        If the methods have different numbers of items, or a value is neither right nor wrong.

    Examples
    --------
    >>> compared = beside_controls({"BERT": [1, 1, 1, 1, 1, 1, 0, 1], "guessing": [0, 0, 0, 1, 0, 0, 1, 0]})
    >>> compared.table["share"].tolist(), round(float(compared.table.loc["guessing", "p"]), 3)
    ([0.875, 0.25], 0.125)
    """
    judged = {name: _right(name, values) for name, values in ways.items()}
    require_count(ways=len(judged))
    first = next(iter(judged.values()))
    require_as_many(**judged)
    require_count(items=len(first))
    # Groups in order of appearance, so that the same bootstrap draws the same groups.
    codes = np.arange(len(first)) if groups is None else pd.factorize(pd.Series(require_groups(groups, items=first)))[0]
    sizes = np.bincount(codes)
    table = pd.DataFrame(index=list(judged), columns=COLUMNS, dtype=float)
    for name, values in judged.items():
        table.loc[name, COLUMNS[:3]] = _share(values, codes, alone=groups is None)
    for name, values in list(judged.items())[1:]:
        differences = np.bincount(codes, first - values)  # one per group
        ahead, behind = (differences > 0).sum(), (differences < 0).sum()
        table.loc[name, COLUMNS[3:]] = [*_lead(differences, sizes), paired_p(differences), ahead, behind]
    table.loc[table.index[1:], "p"] = holm(table["p"].iloc[1:])
    return Comparison(table, len(first), len(sizes))


def _right(name: str, values: ArrayLike) -> np.ndarray:
    """Return whether each item is right as 0 and 1; raise `ValueError` for any other value."""
    right = np.asarray(values, dtype=float)
    if right.ndim != 1 or not np.isin(right, (0, 1)).all():
        raise ValueError(f"For each item {name!r} is right (True, 1) or wrong (False, 0), and nothing else.")
    return right


def _share(right: np.ndarray, codes: np.ndarray, alone: bool) -> Interval:
    """Return the share of right items with its confidence interval over groups."""
    if alone:
        return wilson(int(right.sum()), len(right))
    sizes = np.bincount(codes)
    if np.ptp(right) == 0:  # all resamples would be equal, without an interval: each group counts as one item
        return wilson(int(right[0]) * len(sizes), len(sizes))
    return interval(np.bincount(codes, right), sizes, statistic=ratio)


def _lead(differences: np.ndarray, sizes: np.ndarray) -> Interval:
    """Return the lead over all items with its interval over groups, each with its sum of differences and its size."""
    if not differences.any():  # none of so many groups differs: as many might, as might be right where none is
        high = wilson(0, len(sizes)).high
        return Interval(0.0, -high, high)
    return interval(differences, sizes, statistic=ratio)

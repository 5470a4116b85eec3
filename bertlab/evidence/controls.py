"""Ways judged on the same items: how often the first is right, and whether more often than each of its controls."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bertlab.bert.arguments import require_as_many, require_count, require_finite, require_groups
from bertlab.evidence.intervals import Interval, interval, ratio, spread, wilson
from bertlab.evidence.tests import holm, paired_p, permutation_p


@dataclass(frozen=True, eq=False)
class Comparison:
    """What `beside_controls` returns: a `table`, and what it rests on."""

    table: pd.DataFrame
    items: int
    groups: int  # as many as items, if each stands alone


def beside_controls(ways: Mapping[str, ArrayLike], groups: Sequence[Hashable] | None = None) -> Comparison:
    """Return how often each way is right, and whether the first is right more often than each of the others.

    Parameters
    ----------
    ways
        For each way, whether each item was got right, (items,): first the way in question, then its controls.
    groups
        Which items belong together, such as the pieces of one sentence; by default each item stands alone.

    Returns
    -------
    Comparison
        Its table has one row per way: ``share``, with its 95 % interval ``low`` to ``high``; ``lead``, by how much
        the first way's share is larger; and ``p``, a paired test of that lead (McNemar 1947), corrected for the
        number of controls (Holm 1979). Intervals are Wilson's, or, with groups, bootstrap intervals over them.

    Raises
    ------
    ValueError
        If the ways were not judged on the same items, or an item is neither right nor wrong.

    Examples
    --------
    >>> compared = beside_controls({"BERT": [1, 1, 1, 1, 1, 1, 0, 1], "guessing": [0, 0, 0, 1, 0, 0, 1, 0]})
    >>> compared.table["share"].tolist(), round(float(compared.table.loc["guessing", "p"]), 3)
    ([0.875, 0.25], 0.125)
    """
    judged = {name: _right(name, values) for name, values in ways.items()}
    first = next(iter(judged.values()))
    require_as_many(**judged)
    require_count(items=len(first))
    # Groups in the order in which they come, as a caller has them: then the same bootstrap draws the same groups.
    codes = np.arange(len(first)) if groups is None else pd.factorize(pd.Series(require_groups(groups, items=first)))[0]
    members = (np.arange(codes.max() + 1)[:, None] == codes).astype(float)  # (groups, items): 1 for a group's items
    rows, p = {}, []
    for name, values in judged.items():
        share = _share(values, members, alone=groups is None)
        rows[name] = {"share": share.value, "low": share.low, "high": share.high, "lead": first.mean() - values.mean()}
        p.append(paired_p(members @ (first - values)))  # of how much each group differs
    table = pd.DataFrame.from_dict(rows, orient="index")
    table.loc[table.index[0], "lead"] = np.nan
    table["p"] = np.append(np.nan, holm(p[1:]))
    return Comparison(table, len(first), len(members))


def beside_first(runs: Mapping[str, ArrayLike]) -> pd.DataFrame:
    """Return a figure of several runs of each way, and whether it differs between the first way and each other one.

    Parameters
    ----------
    runs
        For each way the figures of its runs, which are independent of each other.

    Returns
    -------
    pandas.DataFrame
        One row per way: the ``mean`` of its runs, the ``lowest`` and the ``highest``, and ``p``, a permutation test of
        the difference from the first way's mean, corrected for the number of ways (Holm 1979).

    Examples
    --------
    >>> beside_first({"here": [1, 2, 3, 4], "far": [11, 12, 13, 14], "near": [1, 2, 3, 5]})["p"].round(2).tolist()
    [nan, 0.06, 1.0]
    """
    values = {name: np.asarray(of, dtype=float) for name, of in runs.items()}
    require_finite(**values)
    table = pd.DataFrame({name: spread(of)._asdict() for name, of in values.items()}).T
    first, *others = values.values()
    return table.assign(p=np.append(np.nan, holm([permutation_p(first, figures) for figures in others])))


def _right(name: str, values: ArrayLike) -> np.ndarray:
    """Return whether each item is right as 0 and 1, or refuse it."""
    right = np.asarray(values, dtype=float)
    if right.ndim != 1 or not np.isin(right, (0, 1)).all():
        raise ValueError(f"For each item {name!r} is right (True, 1) or wrong (False, 0), and nothing else.")
    return right


def _share(right: np.ndarray, members: np.ndarray, alone: bool) -> Interval:
    """Return the share of right items with its interval over groups; `members` is (groups, items)."""
    if alone:
        return wilson(int(right.sum()), len(right))
    if np.ptp(right) == 0:  # all draws would be the same, and their interval none: a group counts as one item
        return wilson(int(right[0]) * len(members), len(members))
    return interval(members @ right, members.sum(axis=1), statistic=ratio)

"""Ways that were judged on the same items, the first beside its controls: shares, paired tests, and the verdict.

Two ways are never compared by whether their intervals overlap. Here items are paired: what counts is on which of them
the two ways differ (McNemar 1947), or, where items come in groups such as the sentences of one text, by how much each
group differs. Several comparisons at once are corrected after Holm (1979).
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from bertlab.evidence.intervals import interval, ratio, wilson

if TYPE_CHECKING:
    from pandas import DataFrame

RESAMPLES = 9999
LEVEL = 0.05
"""A p-value below this counts as shown."""


def beside_controls(ways: Mapping[str, ArrayLike], groups: Sequence[Hashable] | None = None) -> "DataFrame":
    """Return how often each way is right, and whether the first is right more often than each of the others.

    Parameters
    ----------
    ways : (items,)
        Whether each item was got right: first by the way in question, then by its controls.
    groups : (items,)
        Which items belong together and are not independent of each other, such as the pieces of one sentence.

    Returns
    -------
    pandas.DataFrame
        A row a way: ``share`` from ``low`` to ``high``, 95 % (Wilson's interval; with groups, a bootstrap over them);
        ``ahead``, by how much the first is ahead of this one; ``p`` of a paired test of that (sign flips; exact where
        there are few), corrected for the number of controls. ``attrs`` has ``items`` and ``groups``, their numbers.

    Raises
    ------
    ValueError
        If the ways differ in how many items they judge, there is no item, or a value is neither right nor wrong.

    Examples
    --------
    >>> table = beside_controls({"BERT": [1, 1, 1, 1, 1, 1, 0, 1], "guessing": [0, 0, 0, 1, 0, 0, 1, 0]})
    >>> table["share"].tolist(), round(float(table.loc["guessing", "p"]), 3)
    ([0.875, 0.25], 0.125)
    """
    import pandas as pd

    judged = {name: _right(name, values) for name, values in ways.items()}
    if len({len(values) for values in judged.values()}) != 1 or not len(next(iter(judged.values()))):
        sizes = ", ".join(f"{name} {len(values)}" for name, values in judged.items())
        raise ValueError(f"All ways are judged on the same items, and these have as many: {sizes}.")
    first, *_ = judged.values()
    if groups is not None and len(groups) != len(first):
        raise ValueError(f"There are {len(first)} items and {len(groups)} groups; each item has one.")
    members = np.eye(len(first)) if groups is None else pd.get_dummies(pd.Series(list(groups))).to_numpy(float).T
    counts = members.sum(axis=1)  # (groups,): how many items each has
    rows = {}
    for name, values in judged.items():
        sums = members @ values
        found = wilson(int(values.sum()), len(values)) if groups is None else interval(sums, counts, statistic=ratio)
        rows[name] = {"share": found.value, "low": found.low, "high": found.high}
        rows[name] |= {"ahead": first.mean() - values.mean(), "p": _paired_p(members @ first - sums)}
    table = pd.DataFrame.from_dict(rows, orient="index")
    table.loc[table.index[0], ["ahead", "p"]] = np.nan
    table["p"] = np.append(np.nan, holm(table["p"].iloc[1:]))
    table.attrs |= {"items": len(first), "groups": len(members)}
    return table


def holm(p: ArrayLike) -> np.ndarray:
    """Return p-values of several tests, corrected after Holm (1979): the smallest times their number, and so on.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p, dtype=float)
    order = values.argsort(kind="stable")
    stepped = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1)).clip(max=1)
    return stepped[order.argsort(kind="stable")]


def verdict(table: "DataFrame", what: str) -> str:
    """Say in a sentence what a table of `beside_controls` shows, and what it does not show.

    Parameters
    ----------
    table
    what
        What each item is, in the plural: ``"sentences"``.

    Returns
    -------
    str

    Examples
    --------
    >>> right = {"BERT": [1] * 12 + [0], "its twin": [0] * 12 + [1], "word overlap": [1] * 12 + [0]}
    >>> verdict(beside_controls(right), "sentences")
    'BERT is right in 0.92 [0.67, 0.99] of 13 sentences: more often than its twin (0.08, p = 0.007). Not shown: more \
often than word overlap (0.92).'
    """
    own = table.iloc[0]
    said = f"{table.index[0]} is right in {own['share']:.2f} [{own['low']:.2f}, {own['high']:.2f}]"
    said += f" of {table.attrs['items']:,} {what}"
    controls = table.iloc[1:]
    beaten = controls[(controls["p"] < LEVEL) & (controls["ahead"] > 0)]
    ahead = controls[(controls["p"] < LEVEL) & (controls["ahead"] < 0)]
    open_ = controls.drop(index=[*beaten.index, *ahead.index])
    if len(beaten):
        said += f": more often than {_listed(beaten)}"
    said += "."
    if len(ahead):
        said += f" Less often than {_listed(ahead)}."
    if len(open_):
        said += f" Not shown: more often than {', '.join(f'{n} ({r.share:.2f})' for n, r in open_.iterrows())}."
    return said


def _listed(rows: "DataFrame") -> str:
    """Return ways with their shares and p-values."""
    return ", ".join(f"{name} ({row.share:.2f}, {_p(row.p)})" for name, row in rows.iterrows())


def _p(value: float) -> str:
    """Return a p-value with three decimals, or as smaller than what these say."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def _right(name: str, values: ArrayLike) -> np.ndarray:
    """Return whether each item is right as 0 and 1, or refuse it."""
    found = np.asarray(values, dtype=float)
    if found.ndim != 1 or not np.isin(found, (0, 1)).all():
        raise ValueError(f"For each item {name!r} is right (True, 1) or wrong (False, 0), and nothing else.")
    return found


def _paired_p(differences: np.ndarray) -> float:
    """Return the p-value of paired differences, of each of which the sign could as well be the other."""
    differences = differences[differences != 0]
    if not len(differences):
        return 1.0
    if (np.abs(differences) == 1).all():  # sign flips of ones: the exact binomial test, McNemar's
        return float(stats.binomtest(int((differences > 0).sum()), len(differences)).pvalue)
    flipped = stats.permutation_test(
        (differences, np.zeros_like(differences)),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(0),
    )
    return float(flipped.pvalue)

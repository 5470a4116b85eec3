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

from bertlab.evidence.intervals import interval, ratio, spearman, spread, wilson

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
        A row a way: ``share`` from ``low`` to ``high``, 95 % (Wilson's interval; with groups, a bootstrap over them,
        or Wilson's for as many items as there are groups where all are right or all are wrong);
        ``ahead``, by how much the first is ahead of this one; ``p`` of a paired test of that (sign flips; exact where
        there are few), corrected for the number of controls. ``attrs`` has ``items`` and ``groups``, their numbers,
        and ``differ``: for each control, on how many groups the first and it differ. The test counts these alone.

    Raises
    ------
    ValueError
        If the ways differ in how many items they judge, there is no item or only one group, or a value is neither
        right nor wrong.

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
    # Groups in the order in which they come, as a caller has them: then the same bootstrap draws the same groups.
    codes = np.arange(len(first)) if groups is None else pd.factorize(pd.Series(list(groups)))[0]
    if groups is not None and codes.max() == 0:
        raise ValueError("All items are of one group, and an interval over groups needs at least two of them.")
    members = np.equal.outer(np.arange(codes.max() + 1), codes).astype(float)  # (groups, items)
    counts = members.sum(axis=1)  # (groups,): how many items each has
    rows, differ = {}, {}
    for name, values in judged.items():
        sums = members @ values
        differ[name] = int(np.count_nonzero(members @ first - sums))
        if groups is None:
            found = wilson(int(values.sum()), len(values))
        elif np.ptp(values) == 0:  # all draws would be the same, and their interval none: a group counts as one item
            found = wilson(int(values[0]) * len(members), len(members))
        else:
            found = interval(sums, counts, statistic=ratio)
        rows[name] = {"share": found.value, "low": found.low, "high": found.high}
        rows[name] |= {"ahead": first.mean() - values.mean(), "p": _paired_p(members @ first - sums)}
    table = pd.DataFrame.from_dict(rows, orient="index")
    table.loc[table.index[0], ["ahead", "p"]] = np.nan
    table["p"] = np.append(np.nan, holm(table["p"].iloc[1:]))
    table.attrs |= {"items": len(first), "groups": len(members), "differ": differ}
    return table


def beside_first(runs: Mapping[str, ArrayLike]) -> "DataFrame":
    """Return a figure of several runs of each way, and whether it differs between the first way and each other one.

    Parameters
    ----------
    runs : (runs,)
        A way, and the figure of each of its runs, which are independent of each other.

    Returns
    -------
    pandas.DataFrame
        A row a way: ``mean``, ``lowest``, ``highest``; ``p`` of a permutation test of the difference between the
        means of the first and of this one, corrected for the number of ways (Holm).

    Examples
    --------
    >>> table = beside_first({"here": [1, 2, 3, 4], "far": [11, 12, 13, 14], "near": [1, 2, 3, 5]})
    >>> table["p"].round(2).tolist()
    [nan, 0.06, 1.0]
    """
    import pandas as pd

    values = {name: np.asarray(of, dtype=float) for name, of in runs.items()}
    table = pd.DataFrame({name: spread(of)._asdict() for name, of in values.items()}).T
    first, *others = values.values()
    found = [
        stats.permutation_test(
            (first, other),
            lambda a, b, axis: np.mean(a, axis=axis) - np.mean(b, axis=axis),
            vectorized=True,
            n_resamples=RESAMPLES,
            rng=np.random.default_rng(0),
        ).pvalue
        for other in others
    ]
    return table.assign(p=np.append(np.nan, holm(found)))


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


def williams(one: ArrayLike, other: ArrayLike, target: ArrayLike) -> float:
    """Return the p-value of Williams' (1959) test that two ways follow one target equally well.

    Their correlations with it are measured on the same items and so depend on each other, which the test takes into
    account. Here the correlations are Spearman's, for which it holds approximately.

    Parameters
    ----------
    one, other, target : (items,)
        Four items or more.

    Returns
    -------
    float
        Two-sided; 1 if both ways put the items in the same order, not a number if one of them has no order.

    Examples
    --------
    >>> williams([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5], [1, 2, 3, 4, 5, 6]) < 0.05
    True
    """
    items = len(np.asarray(target))
    if any(np.ptp(np.asarray(values, dtype=float)) == 0 for values in (one, other, target)):
        return float("nan")
    a, b, between = (float(spearman(x, y)) for x, y in ((one, target), (other, target), (one, other)))
    if between > 1 - 1e-12:
        return 1.0
    t = _williams_t(a, b, between, items)
    return float(2 * stats.t.sf(abs(t), items - 3))


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


def p_value(value: float) -> str:
    """Return a p-value with three decimals, or as smaller than what these say.

    Examples
    --------
    >>> p_value(0.0314), p_value(0.0001)
    ('p = 0.031', 'p < 0.001')
    """
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def _listed(rows: "DataFrame") -> str:
    """Return ways with their shares and p-values."""
    return ", ".join(f"{name} ({row.share:.2f}, {p_value(row.p)})" for name, row in rows.iterrows())


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
    if len(differences) == 1:  # flipped or not, it is as large: one group says nothing
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


def _williams_t(a: float, b: float, between: float, items: int) -> float:
    """Return Williams' t, with items - 3 degrees of freedom, as Steiger (1980, equation 7) writes it."""
    determinant = max(0.0, 1 - a**2 - b**2 - between**2 + 2 * a * b * between)
    spread = 2 * determinant * (items - 1) / (items - 3) + ((a + b) / 2) ** 2 * (1 - between) ** 3
    return float((a - b) * np.sqrt((items - 1) * (1 + between) / spread))

"""Ways that were judged on the same items, the first beside its controls: shares, paired tests, and the verdict."""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from bertlab.bert.arguments import require_as_many, require_count, require_finite, require_groups, require_share
from bertlab.evidence.intervals import Interval, half_up, interval, ratio, spread, wilson

RESAMPLES = 9999
LEVEL = 0.05  # a p-value below this counts as shown
_NUMBERS = {3: "three", 4: "four", 5: "five", 6: "six"}


@dataclass(frozen=True, eq=False)
class Comparison:
    """What `beside_controls` returns: a `table`, and what it rests on."""

    table: pd.DataFrame
    items: int
    groups: int  # as many as items, if each stands alone


def beside_controls(ways: Mapping[str, ArrayLike], groups: Sequence[Hashable] | None = None) -> Comparison:
    """Return how often each way is right, and whether the first is right more often than each of the others.

    `ways` say of each item whether it was got right: first by the way in question, then by its controls. With `groups`,
    which items belong together, such as the pieces of one sentence, intervals are bootstrap intervals over groups;
    else, and where all items are right or all wrong, Wilson's. A row a way: ``share`` with its 95 % interval,
    ``ahead``, by how much the first is ahead, and ``p`` of a paired test of that (McNemar 1947), corrected for their
    number (Holm 1979).

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
    members = np.equal.outer(np.arange(codes.max() + 1), codes).astype(float)  # (groups, items)
    rows, p = {}, []
    for name, values in judged.items():
        share = _share(values, members, alone=groups is None)
        rows[name] = {"share": share.value, "low": share.low, "high": share.high, "ahead": first.mean() - values.mean()}
        p.append(_paired_p(members @ (first - values)))  # of how much each group differs
    table = pd.DataFrame.from_dict(rows, orient="index")
    table.loc[table.index[0], "ahead"] = np.nan
    table["p"] = np.append(np.nan, holm(p[1:]))
    return Comparison(table, len(first), len(members))


def beside_first(runs: Mapping[str, ArrayLike]) -> pd.DataFrame:
    """Return a figure of several runs of each way, and whether it differs between the first way and each other one.

    A row a way: ``mean``, ``lowest``, ``highest``, and ``p`` of a permutation test of the difference between the
    first's mean and this one's, corrected for the number of ways (Holm 1979). Runs are independent of each other.

    Examples
    --------
    >>> beside_first({"here": [1, 2, 3, 4], "far": [11, 12, 13, 14], "near": [1, 2, 3, 5]})["p"].round(2).tolist()
    [nan, 0.06, 1.0]
    """
    values = {name: np.asarray(of, dtype=float) for name, of in runs.items()}
    require_finite(**values)
    table = pd.DataFrame({name: spread(of)._asdict() for name, of in values.items()}).T
    first, *others = values.values()
    return table.assign(p=np.append(np.nan, holm([_permutation_p(first, other) for other in others])))


def holm(p: ArrayLike) -> np.ndarray:
    """Return p-values of several tests, corrected after Holm (1979): the smallest times their number, and so on.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    require_share(p=p)
    values = np.asarray(p, dtype=float)
    order = values.argsort(kind="stable")
    stepped = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1)).clip(max=1)
    return stepped[order.argsort(kind="stable")]


def verdict(compared: Comparison, what: str, right: str = "is right in") -> str:
    """Say in two sentences what a comparison shows: the counts, and which controls the first way is ahead of.

    `what` is what each item is, in the plural; `right`, what the first way does with its share of them.

    Examples
    --------
    >>> compared = beside_controls({"BERT": [1] * 12 + [0], "twin": [0] * 12 + [1]})
    >>> verdict(compared, "sentences")
    'BERT is right in 12 of 13 sentences (92 %, interval 67 to 99), twin in 1. It is ahead (paired test, p = 0.003).'
    """
    own, controls = compared.table.iloc[0], compared.table.iloc[1:]
    percent, low, high = (half_up(100 * own[column], 0) for column in ("share", "low", "high"))
    sizes = [f"{name} in {row.share * compared.items:,.0f}" for name, row in controls.iterrows()]
    own_count = f"{own.share * compared.items:,.0f} of {compared.items:,} {what}"
    seen = ", ".join([f"{own.name} {right} {own_count} ({percent} %, interval {low} to {high})", *sizes])
    shown = controls["p"] < LEVEL
    behind, ahead = controls[shown & (controls["ahead"] > 0)], controls[shown & (controls["ahead"] < 0)]
    if len(behind) == len(controls):
        meant = f"It is ahead{_of_all(len(behind))} (paired test, {largest_p(behind['p'])})."
    elif not shown.any():
        meant = f"It is not shown to be ahead{_of_any(len(controls))} (paired test)."
    else:
        parts = [f"It is ahead of {listed(behind.index)}"] if len(behind) else []
        parts += [f"{'' if parts else 'It is '}behind {listed(ahead.index)}"] if len(ahead) else []
        undecided = controls.index[~shown]
        parts += [f"not shown to be ahead of {listed(undecided)}"] if len(undecided) else []
        meant = f"{listed(parts)} (paired test, {largest_p(controls['p'][shown])})."
    return f"{re.sub('^this', 'This', seen)}. {meant}"


def listed(names: Iterable[str], last: str = "and") -> str:
    """Return names as a sentence lists them: *a*, *a and b*, *a, b and c*."""
    *most, end = names
    return f"{', '.join(most)} {last} {end}" if most else end


def largest_p(values: pd.Series) -> str:
    """Return the p-value of one test, or of several the largest."""
    return p_value(values.max()).replace("p = ", "p = " if len(values) == 1 else "p at most ")


def p_value(value: float) -> str:
    """Return a p-value with three decimals, or as smaller than what these say."""
    require_share(value=value)
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def _of_all(count: int) -> str:
    """Return which controls the first way is ahead of, if of all: nothing is said of a single one."""
    return {1: "", 2: " of both"}.get(count, f" of all {_NUMBERS.get(count, count)}")


def _of_any(count: int) -> str:
    """Return the same for none of them."""
    return {1: "", 2: " of either"}.get(count, " of any of them")


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


def _paired_p(differences: np.ndarray) -> float:
    """Return the p-value of paired differences, of each of which the sign could as well be the other."""
    differences = differences[differences != 0]
    if len(differences) < 2:  # one group, flipped or not, is as large: it says nothing
        return 1.0
    if (np.abs(differences) == 1).all():  # sign flips of ones: the exact binomial test, McNemar's
        return float(stats.binomtest(int((differences > 0).sum()), len(differences)).pvalue)
    return _permutation_p(differences, np.zeros_like(differences), permutation_type="samples")


def _permutation_p(first: np.ndarray, other: np.ndarray, **options: Any) -> float:
    """Return the p-value of the difference of two means by permutations, exact where there are few."""
    test = stats.permutation_test(
        (first, other),
        lambda a, b, axis: np.mean(a, axis=axis) - np.mean(b, axis=axis),
        vectorized=True,
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(0),
        **options,
    )
    return float(test.pvalue)

"""Sentences that state what a test has shown, ready to print."""

import re
from collections.abc import Iterable
from textwrap import fill

import pandas as pd

from bertlab.evidence.controls import Comparison
from bertlab.evidence.intervals import half_up

LEVEL = 0.05  # a p-value below this is significant
CLOSE = 0.05  # methods are level if no larger lead is left by the interval


def verdict(compared: Comparison, what: str, groups: str | None = None, right: str = "is right in") -> str:
    """Return a sentence with how many items each method gets right, and in how many groups the first is ahead.

    Parameters
    ----------
    compared : Comparison
        The result of `beside_controls`.
    what : str
        The items, in the plural, such as ``"sentences"``.
    groups : str, optional
        The groups, in the plural, such as ``"words"``, where items come in groups.
    right : str
        The verb between the first method and its count.

    Returns
    -------
    str
        The sentence, without a line break.

    Examples
    --------
    >>> from bertlab.evidence import beside_controls
    >>> verdict(beside_controls({"BERT": [1, 1, 0, 1], "twin": [0, 1, 0, 1]}, list("aabb")), "sentences", "words")
    'BERT is right in 3 of 4 sentences, twin in 2 (ahead in 1 of 2 words, behind in 0).'
    """
    first, controls = compared.table.iloc[0], compared.table.iloc[1:]
    counts = [f"{first.name} {right} {first.share * compared.items:,.0f} of {compared.items:,} {what}"]
    of = f" of {compared.groups:,} {groups}" if groups else ""
    for name, row in controls.iterrows():
        beside = f"ahead in {row.ahead:,.0f}{of}, behind in {row.behind:,.0f}"
        counts.append(f"{name} in {row.share * compared.items:,.0f} ({beside})")
        of = ""  # said once
    return re.sub("^this", "This", ", ".join(counts)) + "."  # "bertlab-mini" stays small


def finding(subject: str, compared: Comparison, what: str, groups: str | None = None) -> str:
    """Return the verdict of a comparison on a subject of the lesson, in lines of at most 100 characters.

    Parameters
    ----------
    subject : str
        The subject, such as ``"the sense of a word"``.
    compared, what, groups
        As for `verdict`.

    Returns
    -------
    str
        ``Found, on`` the subject, and the verdict.

    Examples
    --------
    >>> from bertlab.evidence import beside_controls
    >>> print(finding("order", beside_controls({"BERT": [1, 1, 0], "twin": [0, 1, 0]}), "pairs"))
    Found, on order: BERT is right in 2 of 3 pairs, twin in 1 (ahead in 1, behind in 0).
    """
    return fill(f"Found, on {subject}: {verdict(compared, what, groups)}", 100, subsequent_indent="  ")


def lead(compared: Comparison, what: str) -> str:
    """Say of each control how far the first method is ahead or behind, with the 95 % interval, or what else is shown.

    >>> from bertlab.evidence import beside_controls
    >>> lead(beside_controls({"BERT": [1] * 90 + [0] * 10, "twin": [1] * 50 + [0] * 50}), "words")
    'ahead of twin by 40 of 100 words, 30 to 50'
    """
    return "; ".join(_lead(row, compared, what) for _, row in compared.table.iloc[1:].iterrows())


def _lead(row: pd.Series, compared: Comparison, what: str) -> str:
    """Return the clause of one control."""
    low, high = row["lead_low"], row["lead_high"]
    widest = max(abs(low), abs(high))
    size, near, far = (
        half_up(100 * share, int(widest <= CLOSE)) for share in (abs(row["lead"]), min(abs(low), abs(high)), widest)
    )
    differ = row["ahead"] + row["behind"]
    if row["p"] < LEVEL:
        return f"{'ahead of' if row['lead'] > 0 else 'behind'} {row.name} by {size} of 100 {what}, {near} to {far}"
    if widest <= CLOSE:
        return f"level with {row.name}: a lead above {far} of 100 {what} is excluded"
    if (len(compared.table) - 1) * 2.0 ** (1 - differ) > LEVEL:
        few = f"{differ:.0f} of {compared.groups:,}"
        return f"beside {row.name} too few groups differ ({few}) to give p below {LEVEL:g}"
    behind, ahead = (half_up(100 * max(0, end), 0) for end in (-low, high))
    return f"not decided beside {row.name}: from {behind} of 100 {what} behind to {ahead} ahead"


def listed(names: Iterable[str], last: str = "and") -> str:
    """Return names as a list in a sentence.

    Parameters
    ----------
    names : iterable of str
        At least one name.
    last : str
        The word before the last name.

    Returns
    -------
    str
        Such as *a*, *a and b*, or *a, b and c*.

    Examples
    --------
    >>> listed(["cat", "dog", "horse"]), listed(["cat", "dog"], last="or")
    ('cat, dog and horse', 'cat or dog')
    """
    *first, end = names
    return f"{', '.join(first)} {last} {end}" if first else end

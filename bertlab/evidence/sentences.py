"""Sentences that state what a test has shown, ready to print."""

import re
from collections.abc import Iterable
from textwrap import fill

import pandas as pd

from bertlab.bert.arguments import require_share
from bertlab.evidence.controls import Comparison
from bertlab.evidence.intervals import half_up

LEVEL = 0.05  # a p-value below this counts as shown
_OF_ALL = {1: "", 2: " of both", 3: " of all three", 4: " of all four", 5: " of all five", 6: " of all six"}
_OF_ANY = {1: "", 2: " of either"}


def verdict(compared: Comparison, what: str, right: str = "is right in") -> str:
    """Return two sentences on a comparison: the counts, and which controls the first method is ahead of.

    Parameters
    ----------
    compared : Comparison
        The result of `beside_controls`.
    what : str
        The items, in the plural, such as ``"sentences"``.
    right : str
        The verb between the first method and its count.

    Returns
    -------
    str
        The sentences, without a line break.

    Examples
    --------
    >>> from bertlab.evidence import beside_controls
    >>> verdict(beside_controls({"BERT": [1] * 12 + [0], "twin": [0] * 12 + [1]}), "sentences")
    'BERT is right in 12 of 13 sentences (92 %, interval 67 to 99), twin in 1. It is ahead (paired test, p = 0.003).'
    """
    first, controls = compared.table.iloc[0], compared.table.iloc[1:]
    count = f"{first.share * compared.items:,.0f} of {compared.items:,} {what}"
    percent, low, high = (half_up(100 * first[column], 0) for column in ("share", "low", "high"))
    counts = [f"{first.name} {right} {count} ({percent} %, interval {low} to {high})"]
    counts += [f"{name} in {row.share * compared.items:,.0f}" for name, row in controls.iterrows()]
    sentence = re.sub("^this", "This", ", ".join(counts))  # "bertlab-mini" stays small
    return f"{sentence}. {_who_leads(controls)}"


def _who_leads(controls: pd.DataFrame) -> str:
    """Say which controls the first method is ahead of, which are ahead of it, and which are undecided."""
    shown = controls["p"] < LEVEL
    beaten = controls.index[shown & (controls["lead"] > 0)]
    beating = controls.index[shown & (controls["lead"] < 0)]
    undecided = controls.index[~shown]
    if not shown.any():
        return f"It is not significantly ahead{_OF_ANY.get(len(controls), ' of any of them')} (paired test)."
    largest = largest_p(controls["p"][shown])
    if len(beaten) == len(controls):
        return f"It is ahead{_OF_ALL.get(len(beaten), f' of all {len(beaten)}')} (paired test, {largest})."
    clauses = []
    if len(beaten):
        clauses.append(f"ahead of {listed(beaten)}")
    if len(beating):
        clauses.append(f"behind {listed(beating)}")
    rest = f", but not significantly ahead of {listed(undecided, 'or')}" if len(undecided) else ""
    return f"It is {listed(clauses)} (paired test, {largest}){rest}."  # the p is that of the clauses before it


def finding(subject: str, compared: Comparison, what: str) -> str:
    """Return the verdict of a comparison on a subject of the lesson, in lines of at most 100 characters.

    Parameters
    ----------
    subject : str
        The subject, such as ``"the sense of a word"``.
    compared, what
        As for `verdict`.

    Returns
    -------
    str
        ``Found, on`` the subject, and the verdict.

    Examples
    --------
    >>> from bertlab.evidence import beside_controls
    >>> print(finding("order", beside_controls({"BERT": [1, 1, 0], "twin": [0, 1, 0]}), "pairs"))
    Found, on order: BERT is right in 2 of 3 pairs (67 %, interval 21 to 94), twin in 1. It is not
      significantly ahead (paired test).
    """
    return fill(f"Found, on {subject}: {verdict(compared, what)}", 100, subsequent_indent="  ")


def beside_half(shares: pd.Series, p: pd.Series) -> str:
    """Return up to three lines: which shares are above one half, which below, and which are undecided.

    Parameters
    ----------
    shares, p : pandas.Series
        The shares, and the p-values of their tests against one half, both with names as index.

    Returns
    -------
    str
        One line for each of the three that has names.

    Examples
    --------
    >>> print(beside_half(pd.Series({"verbs": 0.9, "nouns": 0.6}), pd.Series({"verbs": 0.01, "nouns": 0.4})))
    Above one half: verbs.
    Not significantly different from one half: nouns.
    """
    shown = p < LEVEL
    lines = {
        "Above one half": shares.index[shown & (shares > 0.5)],
        "Below one half": shares.index[shown & (shares < 0.5)],
        "Not significantly different from one half": shares.index[~shown],
    }
    return "\n".join(f"{where}: {listed(names)}." for where, names in lines.items() if len(names))


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


def largest_p(values: pd.Series) -> str:
    """Return the p-value of one test, or the largest of several, such as ``p at most 0.012``."""
    return p_value(values.max()).replace("p = ", "p = " if len(values) == 1 else "p at most ")


def p_value(value: float) -> str:
    """Return a p-value in words, with three decimals or as ``p < 0.001``.

    Parameters
    ----------
    value : float
        The p-value.

    Returns
    -------
    str
        Such as ``p = 0.012``.

    Examples
    --------
    >>> p_value(0.0123), p_value(0.00002)
    ('p = 0.012', 'p < 0.001')
    """
    require_share(value=value)
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"

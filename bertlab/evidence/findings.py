"""Sentences about what was shown, ready to print."""

from textwrap import fill

import pandas as pd

from bertlab.evidence.controls import LEVEL, Comparison, listed, verdict


def finding(subject: str, compared: Comparison, what: str, right: str = "is right in") -> str:
    """Return the `verdict` of a comparison on a subject of the lesson, in lines of at most 100 letters."""
    return fill(f"Found, on {subject}: {verdict(compared, what, right)}", 100, subsequent_indent="  ")


def beside_half(shares: pd.Series, p: pd.Series) -> str:
    """Say in a line or two which shares lie above one half, which below, and of which neither is shown."""
    shown = p < LEVEL
    above, below = shares.index[shown & (shares > 0.5)], shares.index[shown & (shares < 0.5)]
    lines = [f"Above one half: {listed(above)}."] if len(above) else []
    lines += [f"Below one half: {listed(below)}."] if len(below) else []
    lines += [f"Not told apart from one half: {listed(shares.index[~shown])}."] if not shown.all() else []
    return "\n".join(lines)

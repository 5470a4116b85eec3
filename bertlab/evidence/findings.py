"""Sentences about what was shown, ready to print."""

from textwrap import fill

import pandas as pd

from bertlab.evidence.controls import LEVEL, Comparison, verdict


def finding(subject: str, compared: Comparison, what: str, right: str = "is right in") -> str:
    """Return the `verdict` of a comparison on a subject of the lesson, in lines of at most 100 letters."""
    return fill(f"Found, on {subject}: {verdict(compared, what, right)}", 100, subsequent_indent="  ")


def beside_half(shares: pd.Series, p: pd.Series) -> str:
    """Say in three lines which shares are shown to lie above one half, which below, and of which neither is shown."""
    shown = p < LEVEL
    above, below = shares.index[shown & (shares > 0.5)], shares.index[shown & (shares < 0.5)]
    return (
        f"Shown to be above one half: {', '.join(above) or 'none'}\n"
        f"Shown to be below: {', '.join(below) or 'none'}\n"
        f"Neither is shown: {', '.join(shares.index[~shown]) or 'of none'}"
    )

"""What lesson 7 reads from the tables of recorded runs."""

from collections.abc import Iterable, Mapping, Sequence
from math import inf, isnan
from zlib import crc32

import pandas as pd

RECORDED = 1_850_724_560  # a checksum of the text of the recorded runs
LEFT_OUT = {"young_cat": "young cat", "seen_teacher": "seen teacher", "seen_girl": "seen girl"}


def of_this_text(runs: pd.DataFrame, text: Iterable[Sequence[str]]) -> pd.DataFrame:
    """Return recorded runs if they learned from this text; otherwise print a note and return no rows."""
    if crc32(" ".join(word for sentence in text for word in sentence).encode()) == RECORDED:
        return runs
    print("The recorded runs are left out because they learned another language or another text.")
    return runs.iloc[:0]


def reached(runs: pd.DataFrame, column: str, share: float) -> pd.Series:
    """Return the step from which on each run knows this share of what word frequencies do not give."""
    alone = runs[f"{column}_frequencies"]
    learned = runs[column].astype(float)  # read as text, since other runs have none
    lasts = ((learned - alone) / (1 - alone) >= share)[::-1].groupby(runs["seed"]).cummin()  # to the end of the run
    return runs["step"].where(lasts, inf).groupby(runs["seed"]).min()


def left_out(runs: pd.DataFrame, yours: Mapping[str, float]) -> pd.DataFrame:
    """Return a table of shares of the rules' probability: those of recorded runs, if there are any, and yours."""
    columns = {
        f"{text}, ten runs": [with_range(of_text[column]) for column in LEFT_OUT]
        for text, of_text in runs.groupby("text", sort=False)
    }
    shares = [yours[name] for name in LEFT_OUT.values()]
    columns["without them, yours"] = ["no such words" if isnan(share) else f"{share:.2f}" for share in shares]
    return pd.DataFrame(columns, index=[*LEFT_OUT.values()])


def with_range(values: pd.Series) -> str:
    """Return a mean, with the lowest and the highest value."""
    return f"{values.mean():.2f} ({values.min():.2f} to {values.max():.2f})"

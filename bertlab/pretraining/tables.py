"""Results that lesson 7 reads from the tables of recorded runs."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from math import inf, isnan
from zlib import crc32

import pandas as pd

from bertlab.pretraining.figures import OTHER

RECORDED = 1_850_724_560  # the `fingerprint` of the text of the recorded runs
SUDDEN = 100  # steps from a tenth to half of the way
LEFT_OUT = {"young_cat": "young cat", "seen_teacher": "seen teacher", "seen_girl": "seen girl"}


def fingerprint(text: Iterable[Sequence[str]]) -> int:
    """Return a checksum of a text."""
    return crc32(" ".join(chain.from_iterable(text)).encode())


def of_this_text(runs: pd.DataFrame, text: Iterable[Sequence[str]]) -> pd.DataFrame:
    """Return recorded runs if they learned from this text; otherwise print a note and return no rows."""
    if fingerprint(text) == RECORDED:
        return runs
    print(OTHER)
    return runs.iloc[:0]


def reached(runs: pd.DataFrame, column: str, mark: float) -> pd.Series:
    """Return the step from which on each run knows this share of what word frequencies do not give."""
    alone = runs[f"{column}_frequencies"]
    learned = runs[column].astype(float)  # read as text, since other runs have none
    lasts = ((learned - alone) / (1 - alone) >= mark)[::-1].groupby(runs["seed"]).cummin()  # to the end of the run
    return runs["step"].where(lasts, inf).groupby(runs["seed"]).min()


def what_comes_suddenly(runs: pd.DataFrame) -> tuple[str, str]:
    """Return the letter of what the median run learns suddenly, and a sentence with the steps."""
    sudden, sentences = [], []
    for letter, name, column in (("a", "agreement", "agrees"), ("b", "who barks", "fits_alone")):
        tenth, half = (reached(runs, column, mark) for mark in (0.1, 0.5))
        if (half - tenth).fillna(inf).median() <= SUDDEN:
            sudden.append(letter)
        sentences.append(f"a tenth of {name} {_by(tenth.median())} and half {_by(half.median())}")
    because = f"beyond word frequencies, ten runs have learned {'; '.join(sentences)} (medians)."
    return " and ".join(sudden) or "c", because


def _by(step: float) -> str:
    return "not at all" if step == inf else f"by step {step:,.0f}"


def below_the_floor(read: float, unread: float, floor: float) -> tuple[str, str]:
    """Return the letter of the text, read or unread, whose loss ended below the floor, and a sentence about both."""
    letter = {(True, False): "a", (True, True): "b", (False, False): "c", (False, True): "on the test alone"}
    sentence = f"the loss is {read:.2f} on what it reads, and {unread:.2f} on the test; the floor is {floor:.2f}."
    return letter[read < floor, unread < floor], sentence


def what_is_expected(runs: pd.DataFrame) -> tuple[str, str]:
    """Return the letter of what still gets half of its probability though the text left it out, and a sentence."""
    without = runs[runs["text"] == "without them"]
    shares = {name: without[column] for column, name in LEFT_OUT.items() if column != "seen_girl"}
    cat, teacher = (bool(share.mean() >= 0.5) for share in shares.values())
    letter = {(True, False): "a", (False, True): "b", (True, True): "c", (False, False): "d"}[cat, teacher]
    ranges = " and ".join(f"{name} gets {_with_range(share)}" for name, share in shares.items())
    return letter, f"of the rules' probability, {ranges}: means of ten runs, with the lowest and the highest."


def left_out(runs: pd.DataFrame, yours: Mapping[str, float]) -> pd.DataFrame:
    """Return a table of shares of the rules' probability: those of recorded runs, if there are any, and yours."""
    columns = {}
    for text in ("whole", "without them"):
        runs_of_text = runs[runs["text"] == text]
        if len(runs_of_text):
            columns[f"{text}, ten runs"] = [_with_range(runs_of_text[column]) for column in LEFT_OUT]
    shares = [yours[name] for name in LEFT_OUT.values()]
    columns["without them, yours"] = ["no such words" if isnan(share) else f"{share:.2f}" for share in shares]
    return pd.DataFrame(columns, index=[*LEFT_OUT.values()])


def _with_range(values: pd.Series) -> str:
    return f"{values.mean():.2f} ({values.min():.2f} to {values.max():.2f})"


def one_digit(table: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of a table as text, rounded to one significant digit."""
    return table.map(lambda number: f"{float(f'{number:.0e}'):,.0f}")

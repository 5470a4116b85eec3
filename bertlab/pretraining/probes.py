"""Fill-mask probes: whether a model has a sensible word among its first five for [MASK] in short sentences.

The baseline answers every sentence with the five most frequent pieces of held-out text.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from bertlab.bert.loading import Bert
from bertlab.masking.predictions import probabilities

PROBES = Path(__file__).parent.parent / "data" / "fill_mask_probes.csv"
TOP = 5


def read_probes(path: str | Path = PROBES) -> pd.DataFrame:
    """Read probes: the columns ``kind``, ``sentence`` with one [MASK], ``answers`` separated by ``|``.

    Raises
    ------
    ValueError
        If a column is missing, or a sentence does not hold [MASK] once.
    """
    table = pd.read_csv(path)
    if missing := {"kind", "sentence", "answers"} - set(table.columns):
        raise ValueError(f"{path} lacks the columns {', '.join(sorted(missing))}")
    counts = table["sentence"].str.count(r"\[MASK\]")
    if (counts != 1).any():
        line = int((counts != 1).to_numpy().argmax())
        raise ValueError(f"{path}, line {line + 2}: {table['sentence'][line]!r} needs [MASK] once")
    return table


def top_words(bert: Bert, sentences: list[str], top: int = TOP) -> list[list[tuple[str, float]]]:
    """Return the most probable pieces for the [MASK] of each sentence, each with its probability."""
    best = [shares[0].topk(top) for shares in probabilities(bert, sentences)]
    return [
        list(zip(bert.tokenizer.convert_ids_to_tokens(ids.tolist()), values.tolist(), strict=True))
        for values, ids in best
    ]


def probe_answers(bert: Bert, probes: pd.DataFrame) -> np.ndarray:
    """Return for each probe whether one of its answers is among the first five."""
    guesses = top_words(bert, probes["sentence"].tolist())
    return np.array(
        [
            float(bool({word for word, _ in words} & set(answers.split("|"))))
            for words, answers in zip(guesses, probes["answers"], strict=True)
        ]
    )


def frequency_answers(frequent: list[str], probes: pd.DataFrame) -> np.ndarray:
    """Return what `probe_answers` returns for a model that always says the same frequent words."""
    return np.array([float(bool(set(frequent) & set(answers.split("|")))) for answers in probes["answers"]])

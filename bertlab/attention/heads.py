"""Measure every head over many texts, and compare it with a uniform head (lesson 4)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from bertlab.attention.patterns import PATTERNS, by_row, pattern_places
from bertlab.bert.arguments import require_count, require_list
from bertlab.bert.loading import Bert
from bertlab.bert.texts import Text


@dataclass(frozen=True, eq=False)
class Tally:
    """For one pattern, each text's sum of weights over the rows that count, and the number of these rows."""

    sums: np.ndarray  # (texts, layers, heads)
    uniform: np.ndarray  # (texts,): the same for a head that gives every token the same weight
    rows: np.ndarray  # (texts,)

    def means(self) -> np.ndarray:
        """Return each head's mean over the rows, (layers, heads), or nan if there are none."""
        return self.sums.sum(0) / (self.rows.sum() or np.nan)

    def uniform_mean(self) -> float:
        """Return the uniform head's mean."""
        return float(self.uniform.sum() / (self.rows.sum() or np.nan))


def measure_heads(bert: Bert, texts: Sequence[Text], measures: Sequence[str] = PATTERNS) -> pd.DataFrame:
    """Measure how much weight each head puts on some patterns, such as the previous piece (Clark et al. 2019).

    Parameters
    ----------
    bert : Bert
        The model that reads the texts.
    texts : list of str or of (str, str)
        Sentences, or pairs of sentences.
    measures : list of str
        The patterns, by default all of `bertlab.attention.patterns.PATTERNS`.

    Returns
    -------
    pandas.DataFrame
        One row per head: ``layer`` and ``head``, from 0; its mean weight on each pattern, nan if no text has it; and
        the same for a uniform head, in columns that begin with ``uniform``.

    Examples
    --------
    >>> measure_heads(bertlab.load("bertlab-mini"), ["The cat sat.", "It rained."], ["next"]).columns.tolist()
    ['layer', 'head', 'next', 'uniform next']
    """
    require_count(measures=len(measures := require_list(measures=measures)))
    for name in measures:
        if name not in PATTERNS:
            raise ValueError(f"There is no {name!r} here; there are {', '.join(PATTERNS)}.")
    readings = bert.read_all(texts, attention=True)
    if not readings:
        raise ValueError("There is no text to measure heads on. Give a list of sentences.")
    rows = []
    for reading in readings:
        all_places = pattern_places(bert, reading)
        places = {name: all_places[name] for name in measures}
        rows.append((by_row(reading.attention, places), by_row(uniform_weights(reading.attention), places)))
    tallies = tally(rows)
    layers, heads = np.indices(next(iter(tallies.values())).sums.shape[1:])
    columns = {"layer": layers.ravel(), "head": heads.ravel()}
    columns |= {name: tallies[name].means().ravel() for name in measures}
    return pd.DataFrame(columns).assign(**{f"uniform {name}": tallies[name].uniform_mean() for name in measures})


def uniform_weights(weights: Tensor) -> Tensor:
    """Return the attention weights of one uniform head, (1, 1, tokens, tokens)."""
    return torch.full_like(weights[:1, :1], 1 / weights.shape[-1])


def tally(texts: Iterable[tuple[dict[str, Tensor], dict[str, Tensor]]]) -> dict[str, Tally]:
    """Sum the weights on each pattern over the rows of each text, for all heads and for a uniform one."""
    texts = list(texts)
    tallies = {}
    for name in texts[0][0]:
        weights = [(heads[name].double(), uniform[name].double()) for heads, uniform in texts]
        tallies[name] = Tally(
            sums=np.array([heads.sum(-1).numpy() for heads, _ in weights]),
            uniform=np.array([float(uniform.sum()) for _, uniform in weights]),
            rows=np.array([heads.shape[-1] for heads, _ in weights]),
        )
    return tallies

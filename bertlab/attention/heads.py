"""Every head measured over many texts, beside a uniform head and the untrained twin (lesson 4)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from bertlab.attention.patterns import PATTERNS, by_row, pattern_places
from bertlab.bert.arguments import require_list
from bertlab.bert.texts import Text

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert


@dataclass(frozen=True, eq=False)
class Tally:
    """One measure's sums over the rows that count, text by text, and how many rows these are."""

    sums: np.ndarray  # (texts, layers, heads)
    uniform: np.ndarray  # (texts,): the same for a head that gives every token the same weight
    rows: np.ndarray  # (texts,)

    def means(self) -> np.ndarray:
        """Return every head's mean over the rows, (layers, heads); not a number where no row counts."""
        return self.sums.sum(0) / (self.rows.sum() or np.nan)

    def uniform_mean(self) -> float:
        """Return the uniform head's mean."""
        return float(self.uniform.sum() / (self.rows.sum() or np.nan))

    def best(self, texts: np.ndarray) -> tuple[int, int]:
        """Return layer and head of the largest mean over some of the texts, (texts,) of bool."""
        sums = self.sums[texts].sum(0)
        layer, head = np.unravel_index(sums.argmax(), sums.shape)
        return int(layer), int(head)


def measure_heads(bert: "Bert", texts: Sequence[Text], measures: Sequence[str] = PATTERNS) -> pd.DataFrame:
    """Measure every head over texts.

    A row of the table is a head: ``layer`` and ``head`` (from 0), its mean weight on each pattern, and in as many
    columns that begin with ``uniform`` that of a head that looks everywhere alike; not a number where no row counts.
    `measures` are some of the patterns that `bertlab.attention.patterns` defines.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> measure_heads(bert, ["The cat sat on the mat.", "It rained."], ["previous", "next"]).columns.tolist()
    ['layer', 'head', 'previous', 'next', 'uniform previous', 'uniform next']
    """
    measures = require_list(measures=measures)
    tallies = _tallies(bert, texts, measures)
    layers, heads = np.indices(next(iter(tallies.values())).sums.shape[1:])
    columns = {"layer": layers.ravel(), "head": heads.ravel()}
    columns |= {name: tallies[name].means().ravel() for name in measures}
    return pd.DataFrame(columns).assign(**{f"uniform {name}": tallies[name].uniform_mean() for name in measures})


def _tallies(bert: "Bert", texts: Sequence[Text], measures: Sequence[str]) -> dict[str, Tally]:
    """Read texts and sum some measures over the rows of each."""
    for name in measures:
        if name not in PATTERNS:
            raise ValueError(f"There is no {name!r} here; there are {', '.join(PATTERNS)}.")
    readings = bert.read_all(texts, attention=True)
    if not readings:
        raise ValueError("There is no text to measure heads on. Give a list of sentences.")
    rows = []
    for reading in readings:
        of_text = pattern_places(bert, reading)
        places = {name: of_text[name] for name in measures}
        rows.append((by_row(reading.attention, places), by_row(uniform_weights(reading.attention), places)))
    return tally(rows)


def uniform_weights(weights: Tensor) -> Tensor:
    """Return the weights of one head that looks everywhere alike, (1, 1, tokens, tokens)."""
    return torch.full_like(weights[:1, :1], 1 / weights.shape[-1])


def tally(texts: Iterable[tuple[dict[str, Tensor], dict[str, Tensor]]]) -> dict[str, Tally]:
    """Sum each measure over its rows in each text: those of all heads, and those of a uniform one."""
    texts = list(texts)
    tallies = {}
    for name in texts[0][0]:
        rows = [(of_heads[name].double(), of_uniform[name].double()) for of_heads, of_uniform in texts]
        tallies[name] = Tally(
            sums=np.array([weights.sum(-1).numpy() for weights, _ in rows]),
            uniform=np.array([float(weights.sum()) for _, weights in rows]),
            rows=np.array([weights.shape[-1] for weights, _ in rows]),
        )
    return tallies

"""Measure every head over many texts, and compare it with a uniform head (lesson 4)."""

from typing import Any

import numpy as np
import pandas as pd

from bertlab.arguments import Some, guarded
from bertlab.attention.patterns import PATTERNS, pattern_places
from bertlab.bert.loading import Bert
from bertlab.bert.texts import Text


@guarded
def measure_heads(bert: Bert, texts: Some[Text], measures: Some[str] = PATTERNS) -> pd.DataFrame:
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
    for name in measures:
        if name not in PATTERNS:
            raise ValueError(f"There is no {name!r} here; there are {', '.join(PATTERNS)}.")
    sums: dict[str, Any] = dict.fromkeys(measures, 0.0)
    uniform, rows = dict.fromkeys(measures, 0.0), dict.fromkeys(measures, 0)
    for reading in bert.read_all(texts, attention=True):
        places = pattern_places(bert, reading)
        for name in measures:
            sums[name] += (reading.attention * places[name]).sum(dim=(-1, -2)).double().numpy()  # (layers, heads)
            uniform[name] += int(places[name].sum()) / len(reading.tokens)
            rows[name] += int(places[name].any(dim=-1).sum())
    config = bert.model.config
    layers, heads = np.indices((config.num_hidden_layers, config.num_attention_heads))
    table = pd.DataFrame({"layer": layers.ravel(), "head": heads.ravel()})
    means = {name: np.ravel(sums[name]) / (rows[name] or np.nan) for name in measures}
    return table.assign(**means, **{f"uniform {name}": uniform[name] / (rows[name] or np.nan) for name in measures})

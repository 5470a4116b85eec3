"""Turn heads up or down (lesson 9)."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace

import torch

from bertlab.arguments import guarded
from bertlab.attention.layer import features_of, layer_of
from bertlab.bert.loading import Bert


@guarded
def scaled(bert: Bert, factors: Mapping[tuple[int, int], float]) -> Bert:
    """Return a copy of a BERT in which what some heads make is multiplied by a factor.

    Parameters
    ----------
    bert : Bert
        The model to copy; it stays as it is.
    factors : dict of (int, int) to float
        The factor by layer and head, from 0: 2 doubles what the head makes, 1 leaves it, and 0 switches it off.

    Returns
    -------
    Bert
        The copy.

    Examples
    --------
    >>> scaled(bertlab.load("bertlab-mini"), {(2, 7): 2.0}).name
    'bertlab-mini, L2H7 times 2'
    """
    copy = replace(bert, model=deepcopy(bert.model))
    names = []
    for (layer, head), factor in factors.items():
        dense = layer_of(copy, layer).attention.output.dense
        with torch.no_grad():
            dense.weight[:, features_of(copy, head)] *= factor
        names.append(f"L{layer}H{head} times {factor:g}")
    return replace(copy, name=", ".join([bert.name, *names]))

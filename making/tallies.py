"""Weights on patterns of attention, summed text by text, from which a resample of texts has its own means."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor


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


def by_row(weights: Tensor, places: dict[str, Tensor]) -> dict[str, Tensor]:
    """Sum weights, (layers, heads, tokens, tokens), over each pattern to (layers, heads, rows that count)."""
    return {name: (weights * where).sum(-1)[..., where.any(-1)] for name, where in places.items()}


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

"""The figure of lesson 3, with a caption that is computed from the data it shows."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike
from torch import Tensor

from bertlab.figures import CaptionedFigure, axes, heatmap


def one_word(word: str, cosines: Mapping[str, Tensor | ArrayLike], names: Sequence[str]) -> CaptionedFigure:
    """Draw the cosines of one word in several sentences, (sentences, sentences), for each layer.

    The part of a sentence's name before the comma is its kind.
    """
    matrices = {layer: np.asarray(values, dtype=float) for layer, values in cosines.items()}
    smallest = min(float(matrix.min()) for matrix in matrices.values())
    panels, sentences = axes(len(matrices), width=5.5 * len(matrices), height=3.6), []
    kinds, columns = ([name.split(", ")[end] for name in names] for end in (0, -1))
    for ax, (layer, matrix) in zip(panels, matrices.items(), strict=True):
        heatmap(matrix, names, columns, numbers=True, limit=1, lowest=smallest, sequential=True, title=layer, ax=ax)
        nearest = f"{_own_nearest(matrix, kinds)} are nearest to one of their own kind"
        alike = "all are 1" if matrix.min() > 1 - 1e-4 else nearest
        sentences.append(f"{layer[0].upper()}{layer[1:]}: {alike}.")
    return CaptionedFigure(
        panels[0],
        f"The cosines between the vectors of '{word}' in {len(names)} sentences. Darker means higher. "
        f"{' '.join(sentences)}",
    )


def _own_nearest(likeness: np.ndarray, kinds: Sequence[str]) -> str:
    """Return for how many items the most similar other item, or each of several, is of the same kind, in words."""
    without_self = np.where(np.eye(len(likeness), dtype=bool), -np.inf, likeness)
    nearest = np.isclose(without_self, without_self.max(axis=1, keepdims=True), rtol=0, atol=1e-6)
    kind = np.asarray(kinds)
    near_another_kind = (nearest & (kind[:, None] != kind)).any(axis=1)
    return f"{len(kinds) - near_another_kind.sum()} of {len(kinds)}"

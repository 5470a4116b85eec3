"""What lesson 3 draws by itself."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from bertlab.figures import CaptionedFigure, axes, heatmap
from bertlab.vectors.words import nearest_of_own_kind


def one_word(word: str, cosines: Mapping[str, Tensor], names: Sequence[str]) -> CaptionedFigure:
    """Draw the cosines of one word in several sentences, (sentences, sentences), for each layer.

    The part of a sentence's name before the comma is its kind.
    """
    smallest = min(float(matrix.min()) for matrix in cosines.values())
    panels, sentences = axes(len(cosines), width=5.5 * len(cosines), height=3.6), []
    kinds, columns = ([name.split(", ")[end] for name in names] for end in (0, -1))
    for ax, (layer, matrix) in zip(panels, cosines.items(), strict=True):
        heatmap(matrix, names, columns, numbers=True, limit=1, lowest=smallest, sequential=True, title=layer, ax=ax)
        nearest = f"{nearest_of_own_kind(matrix, kinds)} of {len(kinds)} are nearest to one of their own kind"
        sentences.append(f"{layer.capitalize()}: {'all are 1' if matrix.min() > 1 - 1e-4 else nearest}.")
    return CaptionedFigure(
        panels[0],
        f"The cosines between the vectors of '{word}' in {len(names)} sentences. Darker means higher. "
        f"{' '.join(sentences)}",
    )

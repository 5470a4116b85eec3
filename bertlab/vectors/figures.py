"""The figures of lesson 3, each with a caption that is computed from the data it shows."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from torch import Tensor

from bertlab.evidence import Comparison, spread, verdict
from bertlab.figures import CaptionedFigure, arrows, axes, heatmap, lines, plots, scatter, shares_beside_controls

if TYPE_CHECKING:
    from sklearn.decomposition import PCA

# the trained model, then greys for twins, whole and without some parts
TWINS = (plots.PALETTE[0], plots.TWIN, "0.75", "0.25")

# For each word the positions of its sentences in a plane, (sentences, 2), and their senses.
Points = Mapping[str, tuple["Tensor | ArrayLike", Sequence[str]]]


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


def same_sense(shares_by_layer: Mapping[Any, Tensor | ArrayLike], word: str) -> CaptionedFigure:
    """Draw how often the same sense is nearer, (layers + 1,), for a trained model, named first, and untrained twins."""
    name, *twin_names = shares_by_layer
    trained = np.asarray(shares_by_layer[name], dtype=float)
    twins = np.array([np.asarray(shares_by_layer[twin], dtype=float) for twin in twin_names])  # (twins, layers + 1)
    mean = f"{len(twins)} untrained twins, mean"
    ax = lines(
        {name: trained.tolist(), mean: twins.mean(axis=0).tolist()},
        x="layer",
        y="share in which\nthe same sense is nearer",
        colours=TWINS,
    )
    layers, low, high = range(len(trained)), twins.min(axis=0), twins.max(axis=0)
    ax.fill_between(layers, low, high, color=plots.TWIN, alpha=0.25, linewidth=0)
    ax.axhline(0.5, color="black", linestyle="--", linewidth=1)
    return CaptionedFigure(
        ax,
        f"How often two sentences with one sense of '{word}' are nearer to each other than two with different "
        f"senses. Guessing gets one half. After the last layer, {name} gets {trained[-1]:.2f}, and its {len(twins)} "
        f"untrained twins get {spread(twins[:, -1])}.",
    )


def principal_directions(cloud: Tensor | ArrayLike, pca: "PCA") -> CaptionedFigure:
    """Draw points with two features, and the two directions of a fitted PCA, two standard deviations long."""
    directions = 2 * pca.components_ * pca.explained_variance_[:, None] ** 0.5
    directions = np.where(directions[:, :1] < 0, -directions, directions)  # either end will do: both to the right
    return CaptionedFigure(
        arrows({"first": directions[0], "second": directions[1]}, ax=scatter(cloud)),
        f"{len(np.asarray(cloud))} points with two features. 'first' is the direction in which they spread most, and "
        "'second' is what is left at a right angle to it. The first alone keeps "
        f"{100 * pca.explained_variance_ratio_[0]:.0f} % of the spread.",
    )


def senses_in_a_plane(words: Points, kept: Mapping[str, float], layer: int) -> CaptionedFigure:
    """Draw the sentences of some words as points, coloured by sense; `kept` is each plane's share of the variance."""
    panels, counts = axes(len(words), width=5.5 * len(words), height=5), []
    for ax, (word, (points, senses)) in zip(panels, words.items(), strict=True):
        places = np.asarray(points, dtype=float)
        scatter(places, senses, title=word, colours=plots.KINDS[1:], ax=ax)
        distances = np.linalg.norm(places[:, None] - places[None], axis=-1)
        counts.append(f"'{word}' {100 * kept[word]:.0f} % and {_own_nearest(-distances, senses)}")
    return CaptionedFigure(
        panels[0],
        f"Sentences after layer {layer}, coloured by sense. What share of the spread a plane keeps, and how many "
        f"points are nearest to one of their own sense: {', '.join(counts)}.",
    )


def senses_found(compared: Comparison, chance: float) -> CaptionedFigure:
    """Show in how many sentences each method finds the sense."""
    ax = shares_beside_controls(compared, chance, x="share of sentences")
    return CaptionedFigure(ax, verdict(compared, "sentences", "words"))


def blind_pairs(means: Mapping[str, Sequence[Sequence[float]]], pairs: int) -> CaptionedFigure:
    """Draw the mean cosine of blind pairs of words after each layer, (models, layers + 1) for each kind of model."""
    kinds = {name: np.asarray(values, dtype=float) for name, values in means.items()}
    means_of = {name: values.mean(axis=0).tolist() for name, values in kinds.items()}
    ax = lines(means_of, x="layer", y="mean cosine", colours=TWINS)
    for values, colour in zip(kinds.values(), TWINS, strict=False):
        layers = range(values.shape[1])
        ax.fill_between(layers, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.25, linewidth=0)
    last = {name: str(spread(v[:, -1])) if len(v) > 1 else f"{v[0, -1]:.2f}" for name, v in kinds.items()}
    return CaptionedFigure(
        ax,
        f"The mean cosine of {pairs:,} blind pairs after each layer; a band is the range of several twins. After the "
        f"last layer: {', '.join(f'{name} {mean}' for name, mean in last.items())}.",
    )


def _own_nearest(likeness: np.ndarray, kinds: Sequence[str]) -> str:
    """Return for how many items the most similar other item, or each of several, is of the same kind, in words."""
    without_self = np.where(np.eye(len(likeness), dtype=bool), -np.inf, likeness)
    nearest = np.isclose(without_self, without_self.max(axis=1, keepdims=True), rtol=0, atol=1e-6)
    kind = np.asarray(kinds)
    near_another_kind = (nearest & (kind[:, None] != kind)).any(axis=1)
    return f"{len(kinds) - near_another_kind.sum()} of {len(kinds)}"

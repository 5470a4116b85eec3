"""The figures of lesson 3, each with its caption: a word in several sentences, senses by layer, in a plane, counted."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bertlab.evidence import Comparison, spread, verdict
from bertlab.figures import PALETTE, CaptionedFigure, arrows, axes, heatmap, lines, scatter, shares_beside_controls

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from sklearn.decomposition import PCA
    from torch import Tensor

# For each word the places of its sentences in a plane, (sentences, 2), and their senses.
Points = Mapping[str, tuple["Tensor | ArrayLike", Sequence[str]]]


def one_word(
    word: str, cosines: "Mapping[str, Tensor | ArrayLike]", names: Sequence[str], kinds: Sequence[str]
) -> CaptionedFigure:
    """Draw the cosines of one word in several sentences, (sentences, sentences), for each layer; `kinds` are senses."""
    matrices = {layer: np.asarray(values, dtype=float) for layer, values in cosines.items()}
    smallest = min(float(matrix.min()) for matrix in matrices.values())
    drawn, sentences = axes(len(matrices), width=5.0 * len(matrices), height=4), []
    rows = [f"{name} ({kind})" for name, kind in zip(names, kinds, strict=True)]
    for ax, (layer, matrix) in zip(drawn, matrices.items(), strict=True):
        heatmap(matrix, rows, names, numbers=True, limit=1, lowest=smallest, sequential=True, title=layer, ax=ax)
        sentences.append(f"{layer}: {'all are 1' if matrix.min() > 1 - 1e-4 else _nearest(matrix, kinds)}.")
    return CaptionedFigure(
        drawn[0],
        f"Cosines between the vectors of '{word}' in {len(names)} sentences; the darker, the nearer to 1, and white is "
        f"the smallest, {smallest:.2f}. {_up(sentences)}",
    )


def same_sense(shares_by_layer: "Mapping[str, Tensor | ArrayLike]", word: str) -> CaptionedFigure:
    """Draw how often the same sense is nearer, (layers + 1,), first of a trained model, then of its untrained twins."""
    (name, own), *others = ((name, np.asarray(values, dtype=float)) for name, values in shares_by_layer.items())
    twins = np.array([values for _, values in others])  # (twins, layers + 1)
    mean = f"{len(twins)} untrained twins, mean"
    drawn = lines(
        {name: own.tolist(), mean: twins.mean(axis=0).tolist()},
        x="layer",
        y="share in which\nthe same sense is nearer",
    )
    drawn.fill_between(range(len(own)), twins.min(axis=0), twins.max(axis=0), color="0.6", alpha=0.4, linewidth=0)
    drawn.axhline(0.5, color="black", linestyle="--", linewidth=1)
    best = int(own[1:].argmax()) + 1
    # In the two decimals that are shown: what differs by less is the same on another processor, or the other way round.
    above = np.flatnonzero(own.round(2) > twins.max(axis=0).round(2)).tolist()
    layers = f"layer{'s' * (len(above) > 1)} {', '.join(map(str, above))}" if above else "no layer"
    return CaptionedFigure(
        drawn,
        f"'{word}': how often a pair of sentences with the same sense has a higher cosine than a pair with different "
        f"senses, after each layer (0 is the embedding layer's output); the dashed line, one half, is chance. "
        f"{name} has most after layer {best}: {own[best]:.2f}. The {len(twins)} untrained twins have "
        f"{spread(twins[:, best])} there; the grey band is their range. Above it {name} lies at "
        f"{layers}.",
    )


def principal_directions(cloud: "Tensor | ArrayLike", pca: "PCA") -> CaptionedFigure:
    """Draw points with two features and the two directions that a fitted PCA found, two standard deviations long."""
    long = 2 * pca.components_ * pca.explained_variance_[:, None] ** 0.5
    long = np.where(long[:, :1] < 0, -long, long)  # either end of a direction will do: both to the right
    drawn = arrows({"first": long[0], "second": long[1]}, ax=scatter(cloud))
    return CaptionedFigure(
        drawn,
        f"{len(np.asarray(cloud))} points with two features. 'first' is the direction in which they spread most, "
        "'second' what is left at a right angle to it. Kept as one number each, their place along the first, the "
        f"points keep {pca.explained_variance_ratio_[0]:.0%} of their variance.",
    )


def senses_in_a_plane(words: Points, kept: Mapping[str, float], layer: int) -> CaptionedFigure:
    """Draw the sentences of some words as points, coloured by the sense; `kept` is each plane's share of variance."""
    drawn, sentences = axes(len(words), width=5.5 * len(words), height=5), []
    for ax, (word, (points, senses)) in zip(drawn, words.items(), strict=True):
        places = np.asarray(points, dtype=float)
        scatter(places, senses, title=word, ax=ax)
        apart = -np.linalg.norm(places[:, None] - places[None], axis=-1)
        sentences.append(f"'{word}': the plane keeps {kept[word]:.0%} of the variance, and {_nearest(apart, senses)}.")
    names = " and ".join(f"'{word}'" for word in words)
    sizes = " and ".join(str(len(senses)) for _, senses in words.values())
    return CaptionedFigure(
        drawn[0],
        f"The vectors of {names} in {sizes} sentences, after layer {layer}, in the plane of their first two principal "
        f"components; colour and shape show the sense. {_up(sentences)} Where the senses are mixed without any order, "
        "it is about every second.",
    )


def senses_found(compared: Comparison, chance: float, layer: int, words: int) -> CaptionedFigure:
    """Draw in how many sentences of some words each way finds the sense, and say what that shows."""
    return CaptionedFigure(
        shares_beside_controls(compared, chance),
        f"Share of {compared.items:,} sentences of {words} words whose sense is found, by the nearer centroid "
        f"after layer {layer} or from the other words, with 95 % Wilson intervals (for more sentences of these words, "
        f"not for other words). The dashed line is chance, {chance:.2f}: senses given by lot. "
        f"{verdict(compared, 'sentences')}",
    )


def blind_pairs(means: "Mapping[str, Sequence[Sequence[float]]]", pairs: int) -> CaptionedFigure:
    """Draw the mean cosine of blind pairs of words after each layer, for each kind of model (models, layers + 1)."""
    kinds = {name: np.asarray(values, dtype=float) for name, values in means.items()}
    drawn = lines({name: values.mean(axis=0).tolist() for name, values in kinds.items()}, x="layer", y="mean cosine")
    for values, colour in zip(kinds.values(), PALETTE, strict=False):
        layers = range(values.shape[1])
        drawn.fill_between(layers, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.25, linewidth=0)
    last = {name: str(spread(v[:, -1])) if len(v) > 1 else f"{v[0, -1]:.2f}" for name, v in kinds.items()}
    return CaptionedFigure(
        drawn,
        f"Mean cosine of {pairs:,} blind pairs of words after each layer; of several models the mean, and their range "
        "as a band. Directions spread evenly would have 0. After the last layer: "
        f"{'; '.join(f'{name} {mean}' for name, mean in last.items())}.",
    )


def _nearest(likeness: np.ndarray, kinds: Sequence[str]) -> str:
    """Say for how many items the most alike other one is of the same kind; of several as alike, all must be."""
    others = np.where(np.eye(len(likeness), dtype=bool), -np.inf, likeness)
    nearest = np.isclose(others, others.max(axis=1, keepdims=True), rtol=0, atol=1e-6)
    kind = np.asarray(kinds)
    same_kind = kind[:, None] == kind
    count = int((~(nearest & ~same_kind).any(axis=1)).sum())
    return f"the nearest other one is of the same kind for {count} of {len(kinds)}"


def _up(sentences: Sequence[str]) -> str:
    """Return sentences joined, each beginning with a capital."""
    return " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)

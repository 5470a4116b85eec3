"""Lesson 8's figures of sentence vectors before and after training, and of reading both sentences together."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from torch import Tensor

from bertlab.evidence import Interval, interval, listed
from bertlab.figures import CaptionedFigure, plots, points
from bertlab.finetuning.figures.task import twins


def partners(cosines: Tensor, sentences: Sequence[str]) -> CaptionedFigure:
    """Draw the cosine of each sentence with each partner; its own partner is on the diagonal."""
    numbers = [str(i + 1) for i in range(len(sentences))]
    rows = [f"{sentence} {number}" for sentence, number in zip(sentences, numbers, strict=True)]
    ax = plots.axes(width=11, height=1.4 + 0.5 * len(rows))[0]
    plots.heatmap(cosines, rows, numbers, numbers=True, sequential=True, lowest=float(cosines.min()), ax=ax)
    ax.set_xlabel("partner")
    nearest = int((cosines.argmax(dim=1).numpy() == np.arange(len(rows))).sum())
    return CaptionedFigure(
        ax,
        f"The cosine of each of {len(rows)} sentences with each partner: the darker, the more similar. On the diagonal "
        f"are their own partners, and {nearest} of {len(rows)} sentences are nearest to theirs.",
    )


def correlations(
    measured: Mapping[str, Interval], controls: Sequence[str], gains: Mapping[str, Interval]
) -> CaptionedFigure:
    """Draw Spearman correlations with the grades; the caption says what the trained vectors are ahead of."""
    ax = points(measured, orange=set(controls), x="Spearman correlation with the grades", mark=0)
    ahead = [f"“{name}” by {gain.value:.2f}" for name, gain in gains.items() if gain.low > 0]
    not_shown = [f"“{name}”" for name, gain in gains.items() if gain.low <= 0]
    verdicts = [f"ahead of {listed(ahead)}"] if ahead else []
    verdicts += [f"not significantly ahead of {listed(not_shown, 'or')}"] if not_shown else []
    return CaptionedFigure(
        ax,
        "Spearman correlation of the cosines with the grades; controls in orange. On the same "
        f"pairs the trained vectors are {' and '.join(verdicts)}.",
    )


def areas(scores: Mapping[str, ArrayLike], same: ArrayLike) -> CaptionedFigure:
    """Draw how often each system scores a pair that says the same higher than one that does not (AUC)."""
    truth = np.asarray(same, dtype=float)
    values = {name: np.asarray(numbers, dtype=float) for name, numbers in scores.items()}
    *apart, together = values
    measured = {name: interval(numbers, truth, statistic=_area) for name, numbers in values.items()}
    share = "share of combinations in which the same is higher (AUC)"
    ax = points(measured, grey=twins(apart), x=share, mark=0.5)
    ax.set_xlim(0, 1.05)

    def difference(first: np.ndarray, second: np.ndarray, truth: np.ndarray, axis: int = -1) -> np.ndarray:
        return _area(first, truth, axis) - _area(second, truth, axis)

    ahead = all(interval(values[together], values[name], truth, statistic=difference).low > 0 for name in apart)
    best = max(measured[name].value for name in apart)
    return CaptionedFigure(
        ax,
        "The AUC of two vectors and, last, of one reading of both sentences, with 95 % intervals; twins in grey, "
        f"guessing dashed. The one reading has {measured[together].value:.2f}, the best of the vectors {best:.2f}. "
        f"The one reading is {'' if ahead else 'not '}significantly ahead of all.",
    )


def _area(values: np.ndarray, truth: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return the area under the ROC curve, computed from ranks (Mann & Whitney 1947) for many resamples at once."""
    yes = truth.sum(axis)
    ranks = (stats.rankdata(values, axis=axis) * truth).sum(axis)
    return (ranks - yes * (yes + 1) / 2) / (yes * (truth.shape[axis] - yes))

"""Lesson 8's figures of sentence vectors before and after they were repaired, and of one reading of both."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from bertlab.evidence import Interval, interval
from bertlab.figures import CaptionedFigure, plots, points

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def correlations(
    measured: "Mapping[str, Interval]", controls: Sequence[str], gains: "Mapping[str, Interval]"
) -> CaptionedFigure:
    """Show Spearman correlations with grades, each with its interval, and say whether training has gained anything."""
    ax = points(measured, orange=set(controls), x="Spearman correlation with the grades", mark=0)
    gained = "; ".join(f"{name}, {_gain(gain)}" for name, gain in gains.items())
    return CaptionedFigure(
        ax,
        "Spearman correlation of the cosines with the grades, with 95 % bootstrap intervals; controls in orange. By "
        f"how much the trained vectors are ahead, on the same pairs, of: {gained}.",
    )


def _gain(gain: Interval) -> str:
    """Say whether there is a gain."""
    if gain.low > 0:
        return "a gain, the whole interval above zero"
    return "a loss, the whole interval below zero" if gain.high < 0 else "not shown, the interval holds zero"


def areas(scores: "Mapping[str, ArrayLike]", same: "ArrayLike") -> CaptionedFigure:
    """Show how often a pair that says the same gets the higher number, for several systems, each with its interval."""
    truth = np.asarray(same, dtype=float)
    values = {name: np.asarray(numbers, dtype=float) for name, numbers in scores.items()}
    *apart, together = values
    measured = {name: interval(numbers, truth, statistic=_area) for name, numbers in values.items()}
    share = "share of combinations in which the same is higher (AUC)"
    ax = points(measured, orange={together}, x=share, mark=0.5)
    ax.set_xlim(0, 1.05)

    def difference(own: np.ndarray, other: np.ndarray, truth: np.ndarray, axis: int = -1) -> np.ndarray:
        return _area(own, truth, axis) - _area(other, truth, axis)

    ahead = all(interval(values[together], values[name], truth, statistic=difference).low > 0 for name in apart)
    return CaptionedFigure(
        ax,
        "Two vectors (blue), and one reading of both sentences (orange), on pairs of which half say the same, with 95 "
        f"% bootstrap intervals; the dashed line is guessing. The one reading is {'' if ahead else 'not '}shown to be "
        "ahead of all others, on the same pairs.",
    )


def _area(values: np.ndarray, truth: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return the area under the ROC curve from ranks (Mann & Whitney 1947): for many resamples at once."""
    yes = truth.sum(axis)
    ranks = (stats.rankdata(values, axis=axis) * truth).sum(axis)
    return (ranks - yes * (yes + 1) / 2) / (yes * (truth.shape[axis] - yes))


@plots.styled
def asked_again(names: Sequence[str], lower: "Mapping[str, ArrayLike]") -> CaptionedFigure:
    """Show where the cosines of a few pairs stand among those of many others, before and after training."""
    ax = plots.axes(width=9, height=1.4 + 0.5 * len(names))[0]
    for (when, values), colour, mark in zip(lower.items(), plots.PALETTE, "oD", strict=False):
        ax.plot(np.asarray(values), range(len(names)), mark, color=colour, markersize=11, label=when)
    ax.set(yticks=range(len(names)), yticklabels=list(names), xlabel="share of the graded pairs that lie lower")
    ax.set(xlim=(-0.02, 1.02), ylim=(len(names) - 0.5, -0.5))
    ax.grid(axis="x", color="0.9")
    ax.legend(frameon=False)
    where = []
    for when, values in lower.items():
        lowest = np.argmin(np.asarray(values)) == len(names) - 1
        where.append(f"{when}, {'the lowest' if lowest else 'not the lowest'} of all")
    return CaptionedFigure(
        ax,
        f"Where the cosines of {len(names)} pairs stand among lesson 5's graded pairs. Only {names[-1]} comes near a "
        f"paraphrase, and ought to be highest; it is: {'; '.join(where)}.",
    )

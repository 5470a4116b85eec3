"""What lesson 2 draws by itself, with captions."""

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np
from torch import Tensor

from bertlab.evidence import listed
from bertlab.figures import CaptionedFigure, plots


@plots.styled()
def does_it_follow(first: str, seconds: Sequence[str], probabilities: Tensor | None = None) -> CaptionedFigure:
    """Draw the probability that each of several sentences follows the first, as bars: empty ones to guess at."""
    ax = plots.axes(width=10, height=1.2 + 0.7 * len(seconds))[0]
    asked = f"“{first}” What comes next?"
    ax.set_yticks(range(len(seconds)), [textwrap.fill(second, 36) for second in seconds])
    ax.set(xlim=(0, 1.12), xticks=np.linspace(0, 1, 6), xlabel="probability that it follows")
    ax.set_ylim(len(seconds) - 0.5, -0.5)  # the first sentence on top
    if probabilities is None:
        ax.barh(range(len(seconds)), 1, color="white", edgecolor="0.5", height=0.6)
        return CaptionedFigure(ax, f"{asked} The bars wait for the probabilities, from 0 to 1.")
    bars = ax.barh(range(len(seconds)), probabilities.tolist(), color=plots.PALETTE[0], height=0.6)
    ax.bar_label(bars, fmt="%.2f", padding=8)
    answers = listed(f"“{second}” {value:.2f}" for second, value in zip(seconds, probabilities, strict=True))
    return CaptionedFigure(ax, f"{asked} The head's probabilities: {answers}.")


@plots.styled()
def followers_and_others(kinds: Mapping[str, Tensor], threshold: float) -> CaptionedFigure:
    """Draw the probability of "is next" for each pair, by kind, and count the pairs above a threshold."""
    ax = plots.axes(width=10, height=1.4 + 0.9 * len(kinds))[0]
    above = {name: f"{int((values > threshold).sum())} of {len(values)}" for name, values in kinds.items()}
    for row, (values, count) in enumerate(zip(kinds.values(), above.values(), strict=True)):
        ax.scatter(values.numpy(), row + plots.apart(len(values)), s=26, alpha=0.6, color=plots.KINDS[row])
        ax.text(1.03, row, count, transform=ax.get_yaxis_transform(), va="center")
    ax.axvline(threshold, color="black", linestyle="--")
    ax.text(threshold, 1.02, "threshold", transform=ax.get_xaxis_transform(), ha="center")
    ax.text(1.03, 1.02, "above it", transform=ax.transAxes)
    ax.set_yticks(range(len(kinds)), list(kinds))
    ax.set(xlim=(-0.02, 1.02), ylim=(len(kinds) - 0.5, -0.5), xlabel="probability of “is next”")
    counts = listed(f"{count} ({name})" for name, count in above.items())
    return CaptionedFigure(
        ax, f"Each point is a pair. The head says “is next” above the threshold of {threshold:g}: to {counts}."
    )


@plots.styled()
def beside_guessing(what: str, right: Mapping[str, float], of: int) -> CaptionedFigure:
    """Draw how many of some questions each method gets right, the first in blue, an untrained twin in grey."""
    ax = plots.axes(width=9, height=1.4 + 0.6 * len(right))[0]
    colours = [plots.TWIN if "twin" in name else plots.PALETTE[place > 0] for place, name in enumerate(right)]
    bars = ax.barh(list(right), list(right.values()), color=colours, height=0.6)
    ax.axvline(of / 2, color="black", linestyle="--")
    over_the_line = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
    ax.bar_label(bars, [f"{count:,}" for count in right.values()], padding=8, bbox=over_the_line)
    ax.set(xlim=(0, 1.12 * of), xlabel=f"{what}, of {of:,}")
    ax.invert_yaxis()  # the first method on top
    counts = listed(f"{name} {count:,}" for name, count in right.items())
    return CaptionedFigure(ax, f"{what}, of {of:,}: {counts}. The dashed line is guessing.")

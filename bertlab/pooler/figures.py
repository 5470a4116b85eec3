"""The figures of lesson 2, each with a caption that is computed from the data it shows."""

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from bertlab.evidence import listed
from bertlab.figures import CaptionedFigure, plots

LETTERS = plots.STYLE["font.size"]


def does_it_follow(first: str, seconds: Sequence[str], probabilities: Tensor | None = None) -> CaptionedFigure:
    """Show the probability that each of several sentences follows the first, as bars: empty ones to guess at."""
    ax = plots.axes(width=10, height=1.2 + 0.7 * len(seconds))[0]
    places = range(len(seconds))
    ax.set_yticks(places, [textwrap.fill(second, 36) for second in seconds])
    ax.set(xlim=(0, 1.12), xticks=np.linspace(0, 1, 6), xlabel="probability that it follows")
    ax.set_ylim(len(seconds) - 0.5, -0.5)  # the first sentence on top
    asked = f"“{first}” What comes next?"
    if probabilities is None:
        ax.barh(places, 1, color="white", edgecolor="0.5", height=0.6)
        return CaptionedFigure(ax, f"{asked} The bars wait for the probabilities, from 0 to 1.")
    values = probabilities.tolist()
    ax.barh(places, values, color=plots.PALETTE[0], height=0.6)
    for place, value in zip(places, values, strict=True):
        ax.annotate(f"{value:.2f}", (value, place), (8, 0), textcoords="offset points", va="center", fontsize=LETTERS)
    best, worst = int(np.argmax(values)), int(np.argmin(values))
    highest = f"The head gives “{seconds[best]}” a probability of {values[best]:.2f}"
    lowest = f", the highest, and “{seconds[worst]}” {values[worst]:.2f}, the lowest" if len(values) > 1 else ""
    return CaptionedFigure(ax, f"{asked} {highest}{lowest}.")


def tokens_and_pooled(tokens: Sequence[str], last: Tensor, pooled: Tensor, features: int = 48) -> CaptionedFigure:
    """Show the tokens' vectors after the last layer and, framed below them, the pooled vector."""
    rows = [*tokens, "pooled"]
    values = torch.cat([last, pooled[None]])[:, :features]
    limit = 3
    ax = plots.axes(height=5.4)[0]  # a pair has many rows, and a slide little height
    plots.heatmap(values, rows=rows, limit=limit, highlight=len(rows) - 1, bar="value", ax=ax)
    ax.set_xlabel("features")
    return CaptionedFigure(
        ax,
        f"After the last layer: the first {values.shape[1]} of {last.shape[1]} numbers of each token's vector and, "
        f"framed, of the pooled vector. Violet is below zero, orange above, darkest from {limit} on.",
    )


@plots.styled()
def before_and_after_tanh(before: Tensor, after: Tensor) -> CaptionedFigure:
    """Show the curve of tanh, and on it one point per feature of a vector."""
    ax = plots.curve(torch.tanh, before)
    ax.set(xlabel="before tanh", ylabel="after tanh", ylim=(-1.15, 1.15), yticks=[-1, -0.5, 0, 0.5, 1])
    largest = int(before.abs().argmax())
    return CaptionedFigure(
        ax,
        f"The curve of tanh, and on it the {len(before)} features of one text's pooled vector. Small numbers stay "
        f"nearly as they are. Large ones end near 1 or -1: {before[largest]:.2f} becomes {after[largest]:.2f}.",
    )


def followers_and_others(kinds: Mapping[str, Tensor], threshold: float) -> CaptionedFigure:
    """Show the probability of "is next" for each pair, by kind, and count the pairs above a threshold."""
    ax = plots.axes(width=10, height=1.4 + 0.9 * len(kinds))[0]
    above = {name: f"{int((values > threshold).sum())} of {len(values)}" for name, values in kinds.items()}
    for place, (name, values) in enumerate(kinds.items()):
        ax.scatter(values.numpy(), place + plots.apart(len(values)), s=26, alpha=0.6, color=plots.KINDS[place])
        ax.annotate(
            above[name], (1.03, place), xycoords=("axes fraction", "data"), va="center", fontsize=LETTERS, color="black"
        )
    ax.axvline(threshold, color="black", linestyle="--")
    ax.text(threshold, 1.02, "threshold", transform=ax.get_xaxis_transform(), ha="center", fontsize=LETTERS)
    ax.text(1.03, 1.02, "above it", transform=ax.transAxes, fontsize=LETTERS)
    ax.set_yticks(range(len(kinds)), list(kinds))
    ax.set(xlim=(-0.02, 1.02), ylim=(len(kinds) - 0.5, -0.5), xlabel="probability of “is next”")
    counts = listed(f"{count} ({name})" for name, count in above.items())
    return CaptionedFigure(
        ax, f"Each point is a pair. The head says “is next” above the threshold of {threshold:g}: to {counts}."
    )


@plots.styled()
def beside_guessing(what: str, right: Mapping[str, float], of: int) -> CaptionedFigure:
    """Show how many of some questions each method gets right, the first in blue, an untrained twin in grey."""
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

"""What lesson 7 draws by itself; the cells word the captions, but for the figure that is drawn twice."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from bertlab.figures import PALETTE, CaptionedFigure, axes, plots

RECORDED_RUNS = "0.6"  # grey; blue is the model at hand, and orange a control, as in all lessons
AT_THE_RIGHT: Any = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "ha": "right"}


@plots.styled()
def against_steps(table: pd.DataFrame, y: str, colours: Sequence[str] = plots.KINDS) -> Axes:
    """Draw the columns of a table against its index, the steps; each line has its own colour and mark."""
    ax = axes(width=10, height=4.4)[0]
    for (name, values), colour, mark in zip(table.items(), colours, "os", strict=False):
        every = max(1, len(table) // 10)
        ax.plot(table.index, values, color=colour, marker=mark, markevery=every, linewidth=3, markersize=9, label=name)
    ax.set(xlabel="steps taken", ylabel=y)
    ax.grid(axis="y", color="0.9")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, edgecolor="none")  # where no curve is
    return ax


@plots.styled()
def held_out_loss(losses: Mapping[int, float], levels: Mapping[str, float]) -> Axes:
    """Draw a loss against the steps, with levels that are known in advance, the last of them the floor."""
    ax = against_steps(pd.DataFrame({"the model": losses}), "loss (nats)", PALETTE)
    for name, level in levels.items():
        ax.axhline(level, color="black", linestyle="--")
        away = -19 if level == min(levels.values()) else 4  # where the curve is not
        ax.annotate(name, (1, level), (-4, away), **AT_THE_RIGHT)
    _logarithmic(ax, min(levels.values()), max(*losses.values(), *levels.values()))
    return ax


@plots.styled()
def beside_recorded(runs: pd.DataFrame, yours: Mapping[int, float], floor: float) -> Axes:
    """Draw the loss of recorded runs, if any, as thin lines and that of yours as a thick one; dashed, the floor."""
    ax = axes(width=10, height=4)[0]
    for _, run in runs.groupby("seed"):
        ax.plot(run["step"], run["loss"], color=RECORDED_RUNS, linewidth=1.5)
    ax.plot(list(yours), list(yours.values()), color=PALETTE[0], linewidth=3.5)
    ax.axhline(floor, color="black", linestyle="--")
    ax.set(xlabel="steps taken", ylabel="loss (nats)")
    _logarithmic(ax, floor, max(yours.values()))
    return ax


def _logarithmic(ax: Axes, floor: float, highest: float) -> None:
    """Make the loss axis logarithmic, so that small distances to the floor are visible."""
    ax.set_yscale("log")
    ax.set_ylim(0.85 * floor, 1.15 * highest)
    ax.set_yticks([tick for tick in (0.5, 1, 1.5, 2, 3, 4, 6, 8) if 0.85 * floor < tick < 1.15 * highest])
    ax.yaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()


@plots.styled()
def ranges(runs: pd.DataFrame, x: str) -> Axes:
    """Draw the mean and the range of each column of a table of runs, the first in blue, one in each row."""
    means, lowest, highest = runs.mean(), runs.min(), runs.max()
    ax = axes(width=9, height=1.2 + 0.6 * len(means))[0]
    colours = [PALETTE[0], *[RECORDED_RUNS] * (len(means) - 1)]
    ax.barh(means.index, means, xerr=[means - lowest, highest - means], color=colours, capsize=6, height=0.6)
    for row, (mean, end) in enumerate(zip(means, highest, strict=True)):
        ax.annotate(f"{mean:.2f}", (end, row), (8, 0), textcoords="offset points", va="center")
    ax.invert_yaxis()
    ax.set(xlabel=x, xlim=(0, 1.15 * highest.max()))
    return ax


@plots.styled()
def first_words(shown: pd.DataFrame, begun_again: int, told: bool) -> CaptionedFigure:
    """Draw the loss of bertlab-mini at points of its two runs as bars, and tell its answers at each, or not."""
    ax = axes(width=10, height=0.9 + 0.33 * len(shown))[0]
    rows = np.arange(len(shown))
    ax.barh(rows, shown["held_out_loss"], color=PALETTE[0], height=0.4)
    for row, loss, words in zip(rows, shown["held_out_loss"], shown["the_mat"], strict=True):
        ax.annotate(words if told else "?", (loss, row), (8, 0), textcoords="offset points", va="center")
    ax.set_yticks(rows, [f"{step:,}" for step in shown["step"]])
    ax.set(xlabel="loss on held-out text (nats)", ylabel="steps taken", xlim=(0, 1.35 * shown["held_out_loss"].max()))
    ax.invert_yaxis()  # time runs down, as one reads
    border = (shown["step"] <= begun_again).sum() - 0.5
    ax.axhline(border, color="black", linestyle=":")
    ax.annotate("begun again", (1, border), (-4, -4), va="top", **AT_THE_RIGHT)
    first, last = shown.iloc[0], shown.iloc[-1]
    if told:
        begin, end = (", ".join(map(repr, point["the_mat"].split())) for point in (first, last))
        return CaptionedFigure(ax, f"Its words begin with {begin} and end with {end}.")
    losses = shown.set_index("step")["held_out_loss"]
    return CaptionedFigure(
        ax,
        f"bertlab-mini at {len(shown)} points of its training. The loss falls from {first['held_out_loss']:.2f} to "
        f"{last['held_out_loss']:.2f}. At the dotted line a second run begins, and it rises from "
        f"{losses[begun_again]:.2f} to {losses[losses.index > begun_again].max():.2f}.",
    )

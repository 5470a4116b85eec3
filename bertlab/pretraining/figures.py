"""The figures of lesson 7; the curves of a run, and so the captions, differ a little from machine to machine."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from bertlab.figures import PALETTE, CaptionedFigure, axes, plots

MARKS = "osD^vP"
RECORDED = "0.6"  # grey: runs that were recorded; blue is the model at hand, and orange a control, as in all lessons
PARTS = tuple(PALETTE[i] for i in (2, 4, 9, 3))  # what one model knows, part by part
AT_THE_RIGHT: Any = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "ha": "right"}
APART = 2  # a point that is shown has at least this many times the steps of the previous one
OTHER = "The recorded runs are left out because they learned another language or another text."


@plots.styled()
def against_steps(table: pd.DataFrame, y: str, colours: Sequence[str] = PARTS) -> Axes:
    """Draw the columns of a table against its index, the steps; each line has its own colour and mark."""
    ax = axes(width=10, height=4.4)[0]
    for (name, values), colour, mark in zip(table.items(), colours, MARKS, strict=False):
        every = max(1, len(table) // 10)
        ax.plot(table.index, values, color=colour, marker=mark, markevery=every, linewidth=3, markersize=9, label=name)
    ax.set(xlabel="steps taken", ylabel=y)
    ax.grid(axis="y", color="0.9")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, edgecolor="none")  # where no curve is
    return ax


def logarithmic(ax: Axes, floor: float, highest: float) -> None:
    """Make the loss axis logarithmic, so that small distances to the floor are visible."""
    ax.set_yscale("log")
    ax.set_ylim(0.85 * floor, 1.15 * highest)
    ax.set_yticks([tick for tick in (0.5, 1, 1.5, 2, 3, 4, 6, 8) if 0.85 * floor < tick < 1.15 * highest])
    ax.yaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()


@plots.styled()
def held_out_loss(losses: Mapping[int, float], levels: Mapping[str, float]) -> CaptionedFigure:
    """Draw the loss on held-out sentences against the steps, with levels that are known in advance."""
    ax = against_steps(pd.DataFrame({"the model": losses}), "loss (nats)", PALETTE)
    for name, level in levels.items():
        ax.axhline(level, color="black", linestyle="--")
        away = -19 if level == min(levels.values()) else 4  # where the curve is not
        ax.annotate(name, (1, level), (-4, away), **AT_THE_RIGHT)
    *upper_levels, (floor_name, floor) = levels.items()
    logarithmic(ax, floor, max(*losses.values(), *levels.values()))
    last = losses[max(losses)]
    known = ", ".join(f"{name} {level:.2f}" for name, level in upper_levels)
    where = f"{last - floor:.2f} nats above" if last > floor else f"{floor - last:.2f} nats below, by luck,"
    caption = (
        f"The loss on sentences that are not in the text (logarithmic axis). For comparison: {known}. After "
        f"{max(losses):,} steps the model's loss is {last:.2f}, {where} {floor_name} of {floor:.2f}."
    )
    return CaptionedFigure(ax, caption)


def what_is_known(table: pd.DataFrame, alone: Mapping[str, float]) -> CaptionedFigure:
    """Draw shares between 0 and 1 against the steps; dashed, what word frequencies alone give."""
    ax = against_steps(table, "share of the probability")
    for level, colour in zip(alone.values(), PARTS, strict=False):
        ax.axhline(level, color=colour, linestyle="--")
    ax.set_ylim(0, 1.05)
    caption = (
        f"What the model knows at a verb. Dashed: what word frequencies alone give. After {table.index[-1]:,} steps: "
        f"{'; '.join(f'{name}, {value:.2f}' for name, value in table.iloc[-1].items())}."
    )
    return CaptionedFigure(ax, caption)


def read_and_unread(read: Mapping[int, float], unread: Mapping[int, float], floor: float) -> CaptionedFigure:
    """Draw the loss on sentences that the model learns from, and on unread ones, against the steps."""
    series = {"sentences that it reads again and again": read, "sentences that it never reads": unread}
    ax = against_steps(pd.DataFrame(series), "loss (nats)", (PARTS[0], PALETTE[0]))  # blue: on a test, as elsewhere
    ax.axhline(floor, color="black", linestyle="--")
    end = max(read)
    caption = (
        f"The loss on sentences that are read again and again, and on unread ones. After {end:,} steps it is "
        f"{read[end]:.2f} on those that are read, and {unread[end]:.2f} on the others, whose floor (dashed) is "
        f"{floor:.2f}."
    )
    return CaptionedFigure(ax, caption)


@plots.styled()
def first_words(watched: pd.DataFrame, begun_again: int, told: bool) -> CaptionedFigure:
    """Draw the loss of bertlab-mini at points of its two runs as bars, and tell its answers at each, or not."""
    shown = points_to_show(watched, begun_again)
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
    losses = watched.set_index("step")["held_out_loss"]
    at_border, highest = losses[begun_again], losses[losses.index > begun_again].max()
    caption = (
        f"bertlab-mini at {len(shown)} points of its training. The loss falls from {first['held_out_loss']:.2f} to "
        f"{last['held_out_loss']:.2f}. At the dotted line a second run begins, and it rises from {at_border:.2f} to "
        f"{highest:.2f}."
    )
    if told:
        caption = f"Its words begin with {_quoted(first['the_mat'])} and end with {_quoted(last['the_mat'])}."
    return CaptionedFigure(ax, caption)


def points_to_show(watched: pd.DataFrame, begun_again: int) -> pd.DataFrame:
    """Return the rows of a table of two consecutive runs that are worth showing."""
    steps, again = watched["step"], watched[watched["step"] > begun_again]
    chosen = [int(steps.iloc[0])]
    for step in steps[steps < begun_again]:
        if step > 0 and step >= APART * chosen[-1]:
            chosen.append(int(step))
    at_border = watched.loc[steps == begun_again, "held_out_loss"].iloc[0]
    below = again.loc[again["held_out_loss"] < at_border, "step"].tolist()
    highest = again.nlargest(1, "held_out_loss")["step"].tolist()
    chosen += [begun_again, *highest, *below[:1], *again["step"].tolist()[-1:]]
    return watched[steps.isin(chosen)].reset_index(drop=True)


def ten_runs(runs: pd.DataFrame, yours: Mapping[int, float], floor: float) -> CaptionedFigure:
    """Draw the loss of recorded runs, if any, as thin lines and that of yours as a thick one; dashed, the floor."""
    ax = axes(width=10, height=4)[0]
    for _, run in runs.groupby("seed"):
        ax.plot(run["step"], run["loss"], color=RECORDED, linewidth=1.5)
    ax.plot(list(yours), list(yours.values()), color=PALETTE[0], linewidth=3.5)
    ax.axhline(floor, color="black", linestyle="--")
    ax.set(xlabel="steps taken", ylabel="loss (nats)")
    logarithmic(ax, floor, max(yours.values()))
    if runs.empty:
        return CaptionedFigure(ax, f"Your run, and the floor of {floor:.2f} (dashed). {OTHER}")
    between = runs[runs["step"] > 0].groupby("step")["loss"].agg(np.ptp)
    losses = {step: runs.loc[runs["step"] == step, "loss"] for step in (between.idxmax(), runs["step"].max())}
    ranges = ", ".join(f"after {step:,} steps from {x.min():.2f} to {x.max():.2f}" for step, x in losses.items())
    caption = (
        f"{runs['seed'].nunique()} recorded runs that differ only in their seed (thin), and yours (thick). The "
        f"recorded losses are {ranges}. The floor (dashed) is {floor:.2f}."
    )
    return CaptionedFigure(ax, caption)


@plots.styled()
def variants(above: pd.DataFrame) -> CaptionedFigure:
    """Draw how far above the floor each way of training ends, the mean and the range of its runs, one in each row."""
    means, lowest, highest = above.mean(), above.min(), above.max()
    ax = axes(width=9, height=1.2 + 0.6 * len(means))[0]
    colours = [PALETTE[0], *[RECORDED] * (len(means) - 1)]
    errors = np.array([means - lowest, highest - means])
    ax.barh(means.index, means, xerr=errors, color=colours, capsize=6, height=0.6)
    for row, (mean, end) in enumerate(zip(means, highest, strict=True)):
        ax.annotate(f"{mean:.2f}", (end, row), (8, 0), textcoords="offset points", va="center")
    ax.invert_yaxis()
    ax.set(xlabel="nats above the floor", xlim=(0, 1.15 * highest.max()))
    return CaptionedFigure(
        ax,
        f"Nats above the floor at the end: the mean of {len(above)} runs that differ in their seed, and their range. "
        f"Nearest to it ends “{means.idxmin()}”, farthest from it “{means.idxmax()}”.",
    )


def _quoted(words: str) -> str:
    """Return the words of a string, each in quotation marks."""
    return ", ".join(f"'{word}'" for word in words.split())

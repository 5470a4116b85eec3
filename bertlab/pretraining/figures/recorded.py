"""Lesson 7's figures of what was recorded beforehand: bertlab-mini's own training, and runs with ten seeds."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from bertlab.evidence.controls import LEVEL
from bertlab.figures import PALETTE, CaptionedFigure, axes, plots
from bertlab.pretraining.figures.axes_of_steps import equal_ratios

APART = 2
"""How many times the steps of the point before a point has that is shown."""

if TYPE_CHECKING:
    import pandas as pd


@plots.styled
def first_words(watched: "pd.DataFrame", begun_again: int | None = None) -> CaptionedFigure:
    """Draw the loss of bertlab-mini at several points of its training as bars, with what it said at each.

    Parameters
    ----------
    watched
        Columns ``step``, ``held_out_loss`` and ``the_mat``, the three words that came first for the mat.
    begun_again
        The step at which a run ended and the next one began with its weights. `points_to_show` chooses then.

    Returns
    -------
    CaptionedFigure
    """
    shown = watched if begun_again is None else points_to_show(watched, begun_again)
    ax = axes(width=10, height=0.9 + 0.33 * len(shown))[0]
    rows = np.arange(len(shown))
    ax.barh(rows, shown["held_out_loss"], color=PALETTE[0], height=0.4)
    for row, loss, words in zip(rows, shown["held_out_loss"], shown["the_mat"], strict=True):
        ax.annotate(words, (loss, row), (8, 0), textcoords="offset points", va="center")
    ax.set_yticks(rows, [f"{step:,}" for step in shown["step"]])
    ax.set(xlabel="loss on held-out text (nats)", ylabel="steps taken", xlim=(0, 1.35 * shown["held_out_loss"].max()))
    ax.invert_yaxis()  # time runs down, as one reads
    first, second, last = (shown.iloc[i] for i in (0, 1, -1))
    points = f"{len(shown)} points" if len(shown) == len(watched) else f"{len(shown)} of {len(watched)} recorded points"
    caption = (
        f"bertlab-mini at {points} of its own training: the loss on text that it never read, and the "
        f"three words that it finds most probable in 'The [MASK] sat on the mat.' With random numbers it says "
        f"{_quoted(first['the_mat'])}, after {second['step']:,} steps {_quoted(second['the_mat'])}, and after "
        f"{last['step']:,} {_quoted(last['the_mat'])}; the loss falls from {first['held_out_loss']:.1f} to "
        f"{last['held_out_loss']:.1f}."
    )
    if begun_again is not None:
        border = (shown["step"] <= begun_again).sum() - 0.5
        ax.axhline(border, color="black", linestyle=":")
        ax.annotate(
            "begun again",
            (1, border),
            (-4, -4),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            ha="right",
            va="top",
        )
        caption += f" {_told_again(watched, begun_again)}"
    return CaptionedFigure(ax, caption)


def points_to_show(watched: "pd.DataFrame", begun_again: int) -> "pd.DataFrame":
    """Return the rows of a table of two runs, one after the other, that tell what happened.

    Of the first run these are its ends and, between them, the points with at least `APART` times the steps of the one
    before. Of the second: where its loss is highest, where it is first below the end of the first run, and its end.

    Parameters
    ----------
    watched
        Columns ``step`` and ``held_out_loss``.
    begun_again
        The last step of the first run.

    Raises
    ------
    ValueError
        If the table has no such step, or none after it.
    """
    steps, again = watched["step"], watched[watched["step"] > begun_again]
    if begun_again not in steps.to_numpy() or again.empty:
        raise ValueError(f"begun_again is {begun_again}: give a step of the table that is not its last")
    chosen = [int(steps.iloc[0])]
    for step in steps[steps < begun_again]:
        if step > 0 and step >= APART * chosen[-1]:
            chosen.append(int(step))
    then = watched.loc[steps == begun_again, "held_out_loss"].iloc[0]
    below = again.loc[again["held_out_loss"] < then, "step"].tolist()
    highest = again.nlargest(1, "held_out_loss")["step"].tolist()
    chosen += [begun_again, *highest, *below[:1], *again["step"].tolist()[-1:]]
    return watched[steps.isin(chosen)].reset_index(drop=True)


def _told_again(watched: "pd.DataFrame", begun_again: int) -> str:
    """Say what the loss did after a run was begun again."""
    losses = watched.set_index("step")["held_out_loss"]
    then, highest, end = losses[begun_again], losses[losses.index > begun_again].max(), losses.iloc[-1]
    said = (
        f"At the dotted line, after {begun_again:,} steps, the training was begun again with the numbers of that "
        "moment and a large step size: the loss"
    )
    if highest <= then:
        return f"{said} goes from {then:.2f} to {end:.2f}."
    return f"{said} rises from {then:.2f} to {highest:.2f}, and is at {end:.2f} when the step size has fallen again."


def ten_runs(runs: "pd.DataFrame", own: Mapping[int, float], floor: float) -> CaptionedFigure:
    """Draw the loss of recorded runs as thin lines, one's own as a thick one, and the floor.

    Parameters
    ----------
    runs
        Columns ``seed``, ``step`` and ``loss``.
    own
        The loss by the number of steps taken.
    floor

    Returns
    -------
    CaptionedFigure
    """
    ax = axes(width=10, height=4)[0]
    for _, run in runs.groupby("seed"):
        ax.plot(run["step"], run["loss"], color="0.6", linewidth=1.5)
    ax.plot(list(own), list(own.values()), color=PALETTE[0], linewidth=3.5)
    ax.axhline(floor, color="black", linestyle="--")
    ax.set(xlabel="steps taken", ylabel="loss (nats)")
    equal_ratios(ax, floor, runs["loss"].max())
    between = runs[runs["step"] > 0].groupby("step")["loss"].agg(np.ptp)
    spread = {step: runs.loc[runs["step"] == step, "loss"] for step in (between.idxmax(), runs["step"].max())}
    said = " and ".join(f"after {step:,} steps from {x.min():.2f} to {x.max():.2f}" for step, x in spread.items())
    caption = (
        f"{runs['seed'].nunique()} recorded runs that differ in nothing but their seed (thin), and yours (thick). The "
        f"recorded losses lie {said}; the floor is at {floor:.2f}."
    )
    return CaptionedFigure(ax, caption)


@plots.styled
def variants(table: "pd.DataFrame") -> CaptionedFigure:
    """Draw how far above the floor each way of training ends: the mean over its runs, and their range.

    Parameters
    ----------
    table
        As `bertlab.evidence.beside_first` returns it.

    Returns
    -------
    CaptionedFigure
    """
    ax = axes(width=9, height=1.2 + 0.6 * len(table))[0]
    errors = [table["mean"] - table["lowest"], table["highest"] - table["mean"]]
    colours = [PALETTE[1], *[PALETTE[0]] * (len(table) - 1)]
    ax.barh(table.index, table["mean"], xerr=np.array(errors), color=colours, capsize=6, height=0.6)
    for row, (mean, end) in enumerate(zip(table["mean"], table["highest"], strict=True)):
        ax.annotate(f"{mean:.2f}", (end, row), (8, 0), textcoords="offset points", va="center")
    ax.invert_yaxis()
    ax.set(xlabel="nats above the floor", xlim=(0, 1.15 * table["highest"].max()))
    first, others = table.iloc[0], table.iloc[1:]
    shown, lower = others["p"] < LEVEL, others["mean"] < first["mean"]
    kinds = {"better": shown & lower, "worse": shown & ~lower, "not shown to differ": ~shown}
    said = [f"{kind}: {', '.join(others.index[which])}" for kind, which in kinds.items() if which.any()]
    caption = (
        f"How far above the floor the held-out loss ends, in the mean over recorded runs with other seeds; the lines "
        f"reach from the lowest to the highest of them. Beside {table.index[0]!r} (permutation test of the means, "
        f"corrected for their number), {'; '.join(said)}."
    )
    return CaptionedFigure(ax, caption)


def _quoted(words: str) -> str:
    """Return words that stand in one string, each in quotation marks."""
    return ", ".join(f"'{word}'" for word in words.split())

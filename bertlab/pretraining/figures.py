"""The figures of lesson 7, each with the caption that says in words what it shows.

The curves of a run differ a little from machine to machine: their captions say what comes first and what stays apart,
in words. What is a number in a caption comes from tables that ship.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bertlab.evidence.controls import LEVEL
from bertlab.figures import PALETTE, CaptionedFigure, axes, plots

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MARKS = "osD^vP"
AT_THE_RIGHT: Any = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "ha": "right"}
HALF = 0.5  # of the way from what word frequencies give to what the rules allow
NEAR, FAR = 0.1, 0.25  # shares of a distance at the start; NEAR also: nats from which on two losses have parted
APART = 2  # how many times the steps of the point before a point has that is shown


@plots.styled
def against_steps(table: "pd.DataFrame", y: str) -> "Axes":
    """Draw the columns of a table against its index, the steps, each line with its own colour and mark."""
    ax = axes(width=10, height=4)[0]
    for (name, values), colour, mark in zip(table.items(), PALETTE, MARKS, strict=False):
        every = max(1, len(table) // 10)
        ax.plot(table.index, values, color=colour, marker=mark, markevery=every, linewidth=3, markersize=9, label=name)
    ax.set(xlabel="steps taken", ylabel=y)
    ax.grid(axis="y", color="0.9")
    ax.legend(loc="best", edgecolor="none", framealpha=1)
    return ax


def equal_ratios(ax: "Axes", floor: float, highest: float) -> None:
    """Give losses an axis of equal ratios, on which small distances to the floor can be seen."""
    ax.set_yscale("log")
    ax.set_ylim(0.85 * floor, 1.15 * highest)
    ax.set_yticks([tick for tick in (0.5, 1, 1.5, 2, 3, 4, 6, 8) if 0.85 * floor < tick < 1.15 * highest])
    ax.yaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()


@plots.styled
def held_out_loss(losses: Mapping[int, float], levels: Mapping[str, float]) -> CaptionedFigure:
    """Draw the loss on held-out sentences against the steps, between what is known of it beforehand."""
    import pandas as pd

    ax = against_steps(pd.DataFrame({"the model": losses}), "loss (nats)")
    for name, level in levels.items():
        ax.axhline(level, color="black", linestyle="--")
        away = -19 if level == min(levels.values()) else 4  # where the curve is not
        ax.annotate(name, (1, level), (-4, away), **AT_THE_RIGHT)
    _, *between, (floor_name, floor) = levels.items()
    equal_ratios(ax, floor, max(*losses.values(), *levels.values()))
    first, *_, last = losses.values()
    passed = [name for name, level in between if last < level]
    below = f"below {' and '.join(passed)}, and " if passed else ""
    left = f"above {floor_name}; of its distance to it at the start, {_left((last - floor) / (first - floor))} is left"
    end = left if last > floor else f"not above {floor_name}, which luck can bring about on a sample of gaps"
    caption = (
        f"The loss on sentences that are not in the text, on an axis of equal ratios. After {max(losses):,} steps it "
        f"is {below}{end}."
    )
    return CaptionedFigure(ax, caption)


def above_the_floor(table: "pd.DataFrame") -> CaptionedFigure:
    """Draw by how much the loss is above the floor, a line for each kind of word."""
    ax = against_steps(table, "nats above the floor")
    ax.axhline(0, color="black", linestyle="--")
    left = (table.iloc[-1] / table.iloc[0]).to_dict()
    near = [str(name) for name, share in left.items() if share < FAR]
    said = f" Less than a quarter of the distance at the start is left for {', '.join(near)}." if near else ""
    most = table.mean().idxmax()
    caption = (
        "How far the loss is above the floor, by the kind of word that is hidden. Over the whole run it is highest "
        f"for {most}.{said}"
    )
    return CaptionedFigure(ax, caption)


def what_is_known(table: "pd.DataFrame", alone: Mapping[str, float]) -> CaptionedFigure:
    """Draw shares between 0 and 1 against the steps, and say in which order half of the way is reached."""
    ax = against_steps(table, "share of the probability")
    for level, colour in zip(alone.values(), PALETTE, strict=False):
        ax.axhline(level, color=colour, linestyle="--")
    ax.set_ylim(0, 1.05)
    way = table.assign(**{name: (table[name] - level) / (1 - level) for name, level in alone.items()})
    caption = (
        f"What the model knows at the gaps of verbs, as shares of its probability; the rules allow for 1 in each. The "
        f"dashed lines are what word frequencies alone would give. {in_order(way)}"
    )
    return CaptionedFigure(ax, caption)


def in_order(table: "pd.DataFrame") -> str:
    """Say in which order the columns of a table, shares of a way, first reach `HALF`."""
    reached = sorted((table.index[table[name] >= HALF][0], name) for name in table if (table[name] >= HALF).any())
    never = [str(name) for name in table if not (table[name] >= HALF).any()]
    said = []
    if reached:
        said.append(f"Half of the way from there is made in this order: {', '.join(str(name) for _, name in reached)}.")
    if never:
        said.append(f"Not made: {', '.join(never)}.")
    return " ".join(said)


def clearest_heads(table: "pd.DataFrame", uniform: float) -> CaptionedFigure:
    """Draw how much of its attention the clearest head gives to the word that decides, against the steps."""
    ax = against_steps(table, "share of its attention")
    ax.axhline(uniform, color="black", linestyle="--")
    ax.set_ylim(0, 1.05)
    start, end = ([f"{name}: {_times(table[name].iloc[row] / uniform)}" for name in table] for row in (0, -1))
    caption = (
        f"How much of its attention goes to the word that decides, in the head that gives it most at that step. The "
        f"dashed line is what a head gives to each word if it looks everywhere alike. At the start, "
        f"{'; '.join(start)}. At the end, {'; '.join(end)}."
    )
    return CaptionedFigure(ax, caption)


def read_and_unread(read: Mapping[int, float], unread: Mapping[int, float], floor: float) -> CaptionedFigure:
    """Draw the loss on sentences that the model learns from, and on others, against the steps."""
    import pandas as pd

    series = {"sentences that it learns from": read, "sentences that it never saw": unread}
    ax = against_steps(pd.DataFrame(series), "loss (nats)")
    ax.axhline(floor, color="black", linestyle="--")
    end = max(read)
    parted = "have parted" if unread[end] - read[end] > NEAR else "stay together"
    below = "below" if read[end] < floor else "above"
    caption = (
        "The loss on sentences that are read again and again, and on sentences that are never read. At the end the "
        f"two {parted}: on the read ones the loss is {below} the dashed line, the floor of the unread ones, and on the "
        f"unread ones it is {'below' if unread[end] < floor else 'above'}."
    )
    return CaptionedFigure(ax, caption)


def _left(share: float) -> str:
    """Return in words how much of a distance is left."""
    if share < NEAR:
        return "less than a tenth"
    return "less than a quarter" if share < FAR else "a quarter or more"


def _times(ratio: float) -> str:
    """Return in words how many times as large something is."""
    if ratio < 2:
        return "less than twice as much"
    return "more than three times as much" if ratio > 3 else "more than twice as much"


@plots.styled
def first_words(watched: "pd.DataFrame", begun_again: int) -> CaptionedFigure:
    """Draw the loss of bertlab-mini at points of its two runs as bars, with what it said at each."""
    shown = points_to_show(watched, begun_again)
    ax = axes(width=10, height=0.9 + 0.33 * len(shown))[0]
    rows = np.arange(len(shown))
    ax.barh(rows, shown["held_out_loss"], color=PALETTE[0], height=0.4)
    for row, loss, words in zip(rows, shown["held_out_loss"], shown["the_mat"], strict=True):
        ax.annotate(words, (loss, row), (8, 0), textcoords="offset points", va="center")
    ax.set_yticks(rows, [f"{step:,}" for step in shown["step"]])
    ax.set(xlabel="loss on held-out text (nats)", ylabel="steps taken", xlim=(0, 1.35 * shown["held_out_loss"].max()))
    ax.invert_yaxis()  # time runs down, as one reads
    border = (shown["step"] <= begun_again).sum() - 0.5
    ax.axhline(border, color="black", linestyle=":")
    ax.annotate("begun again", (1, border), (-4, -4), va="top", **AT_THE_RIGHT)
    first, second, last = (shown.iloc[i] for i in (0, 1, -1))
    losses = watched.set_index("step")["held_out_loss"]
    then, highest = losses[begun_again], losses[losses.index > begun_again].max()
    caption = (
        f"bertlab-mini at {len(shown)} of {len(watched)} recorded points of its own training: the loss on text that it "
        f"never read, and the three words that it finds most probable in 'The [MASK] sat on the mat.' With random "
        f"numbers it says {_quoted(first['the_mat'])}, after {second['step']:,} steps {_quoted(second['the_mat'])}, "
        f"and after {last['step']:,} {_quoted(last['the_mat'])}; the loss falls from {first['held_out_loss']:.1f} to "
        f"{last['held_out_loss']:.1f}. At the dotted line, after {begun_again:,} steps, the training was begun again "
        f"with the numbers of that moment and a large step size: the loss rises from {then:.2f} to {highest:.2f}, and "
        f"is at {last['held_out_loss']:.2f} when the step size has fallen again."
    )
    return CaptionedFigure(ax, caption)


def points_to_show(watched: "pd.DataFrame", begun_again: int) -> "pd.DataFrame":
    """Return the rows of a table of two runs, one after the other, that tell what happened."""
    steps, again = watched["step"], watched[watched["step"] > begun_again]
    chosen = [int(steps.iloc[0])]
    for step in steps[steps < begun_again]:
        if step > 0 and step >= APART * chosen[-1]:
            chosen.append(int(step))
    then = watched.loc[steps == begun_again, "held_out_loss"].iloc[0]
    below = again.loc[again["held_out_loss"] < then, "step"].tolist()
    highest = again.nlargest(1, "held_out_loss")["step"].tolist()
    chosen += [begun_again, *highest, *below[:1], *again["step"].tolist()[-1:]]
    return watched[steps.isin(chosen)].reset_index(drop=True)


def ten_runs(runs: "pd.DataFrame", own: Mapping[int, float], floor: float) -> CaptionedFigure:
    """Draw the loss of recorded runs as thin lines, one's own as a thick one, and the floor."""
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
    """Draw how far above the floor each way of training ends: the mean over its runs, and their range."""
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

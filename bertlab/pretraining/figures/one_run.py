"""Lesson 7's figures of a model while it learns, drawn from a run in the notebook and told in words."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bertlab.figures import PALETTE, CaptionedFigure, plots
from bertlab.pretraining.figures.axes_of_steps import against_steps, equal_ratios

if TYPE_CHECKING:
    import pandas as pd

HALF = 0.5
"""Of the way from what word frequencies give to what the rules allow."""

NEAR, FAR = 0.1, 0.25
"""Shares of a distance at the start; and nats from which on two losses have parted."""


@plots.styled
def held_out_loss(losses: Mapping[int, float], levels: Mapping[str, float]) -> CaptionedFigure:
    """Draw the loss on held-out sentences against the steps, between what is known of it beforehand.

    Parameters
    ----------
    losses
        By the number of steps taken.
    levels
        Losses that are drawn as horizontal lines, by their names: the first is that of knowing nothing, the last the
        floor.

    Returns
    -------
    CaptionedFigure
    """
    import pandas as pd

    ax = against_steps(pd.DataFrame({"the model": losses}), "loss (nats)")
    for name, level in levels.items():
        ax.axhline(level, color="black", linestyle="--")
        away = -19 if level == min(levels.values()) else 4  # where the curve is not
        ax.annotate(
            name, (1, level), (-4, away), xycoords=("axes fraction", "data"), textcoords="offset points", ha="right"
        )
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
    """Draw by how much the loss is above the floor, a line for each kind of word.

    Parameters
    ----------
    table
        A row a look, its index the steps taken, and a column for each kind.

    Returns
    -------
    CaptionedFigure
    """
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
    """Draw shares between 0 and 1 against the steps, and say in which order half of the way is reached.

    Parameters
    ----------
    table
        A row a look, its index the steps taken, and a column for each thing that can be known.
    alone
        What word frequencies alone would give, for each column.

    Returns
    -------
    CaptionedFigure
    """
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
    first = {str(name): table.index[table[name] >= HALF].min() for name in table}
    reached = sorted((step, name) for name, step in first.items() if step == step)  # NaN is not itself
    never = [name for name, step in first.items() if step != step]
    said = []
    if reached:
        said.append(f"Half of the way from there is made in this order: {', '.join(name for _, name in reached)}.")
    if never:
        said.append(f"Not made: {', '.join(never)}.")
    return " ".join(said)


def clearest_heads(table: "pd.DataFrame", uniform: float) -> CaptionedFigure:
    """Draw how much of its attention the clearest head gives to the word that decides, against the steps.

    Parameters
    ----------
    table
        A row a look, its index the steps taken, and a column for each kind of head.
    uniform
        What a head gives to each word that looks everywhere alike.

    Returns
    -------
    CaptionedFigure
    """
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
    """Draw the loss on sentences that the model learns from, and on others, against the steps.

    Parameters
    ----------
    read, unread
        By the number of steps taken.
    floor
        For the sentences that are not read.

    Returns
    -------
    CaptionedFigure
    """
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

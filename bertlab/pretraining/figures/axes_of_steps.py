"""Axes on which curves of training are drawn: against the steps, and losses in equal ratios."""

from typing import TYPE_CHECKING

from bertlab.figures import PALETTE, axes, plots

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MARKS = "osD^vP"


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

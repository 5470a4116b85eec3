"""Plots of shares as bars, of scores with intervals as points, and of groups of numbers as rows of points."""

from collections.abc import Mapping, Sequence, Set
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes

from bertlab.evidence import Comparison, Interval, half_up
from bertlab.figures import plots


@plots.styled()
def shares_beside_controls(compared: Comparison, chance: float | None, *, x: str) -> Axes:
    """Draw the shares of a comparison as bars, the controls in orange, and `chance` as a dashed line."""
    table = compared.table
    ax = plots.axes(width=8, height=1.4 + 0.6 * len(table))[0]
    colours = [plots.PALETTE[0], *[plots.PALETTE[1]] * (len(table) - 1)]
    bars = ax.barh([fill(name, 26) for name in table.index], table["share"], color=colours, height=0.6)
    if chance is not None:
        ax.axvline(chance, color="black", linestyle="--")
        above = ("data", "axes fraction")
        ax.annotate("chance", (chance, 1.0), xycoords=above, xytext=(4, 2), textcoords="offset points")
    over_the_line = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
    ax.bar_label(bars, [half_up(share, 2) for share in table["share"]], padding=8, bbox=over_the_line)
    ax.set(xlim=(0, 1.12), xticks=np.linspace(0, 1, 6), xlabel=x)
    ax.invert_yaxis()  # the first name on top, as in a table
    return ax


@plots.styled()
def points(
    figures: Mapping[str, Interval],
    *,
    x: str,
    orange: Set[str] = frozenset(),
    grey: Set[str] = frozenset(),
    mark: float | None = None,
) -> Axes:
    """Draw scores as points on their intervals, first on top, `orange` (controls) and `grey` ones (twins) as diamonds.

    `mark` is a dashed line.
    """
    ax = plots.axes(width=9, height=1.4 + 0.55 * len(figures))[0]
    for row, (name, score) in enumerate(figures.items()):
        colour = plots.TWIN if name in grey else plots.PALETTE[name in orange]
        ax.plot([score.low, score.high], [row, row], color=colour, linewidth=4, alpha=0.5)
        ax.plot(score.value, row, marker="D" if name in orange | grey else "o", color=colour, markersize=10)
        number = half_up(score.value, 2)
        text = ax.annotate(number, (score.value, row), (0, 9), textcoords="offset points", ha="center")
        text.set(bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5}, zorder=1.5)
    if mark is not None:  # it runs behind the numbers, as these stand behind the points
        ax.axvline(mark, color="black", linestyle="--", zorder=1)
    ax.set(yticks=range(len(figures)), yticklabels=list(figures), xlabel=x)
    ax.set_ylim(len(figures) - 0.4, -0.8)
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)
    return ax


def strips(
    groups: Mapping[str, np.ndarray], *, x: str, colours: Sequence[str], mark: float | None = None, width: float = 7.5
) -> Axes:
    """Draw groups of numbers, (items,) each, as rows of points with their median, and a dashed line at `mark`."""
    ax = plots.axes(width=width, height=2 + 0.5 * len(groups))[0]
    for row, (values, colour) in enumerate(zip(groups.values(), colours, strict=False)):
        ax.scatter(values, row + plots.apart(len(values)), s=22, alpha=0.6, color=colour)
        ax.plot([np.median(values)] * 2, [row - 0.38, row + 0.38], color="black", linewidth=2.5)
    if mark is not None:
        ax.axvline(mark, color="black", linestyle="--")
    ax.set(yticks=range(len(groups)), yticklabels=list(groups), xlabel=x)
    ax.set_ylim(len(groups) - 0.5, -0.5)
    return ax

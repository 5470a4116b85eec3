"""Figures with their intervals as points on lines, which several of lesson 8's figures are."""

from collections.abc import Mapping, Set
from typing import TYPE_CHECKING

from bertlab.evidence import Interval
from bertlab.figures import plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@plots.styled
def points(
    found: Mapping[str, Interval],
    *,
    x: str,
    orange: Set[str] = frozenset(),
    mark: float | None = None,
) -> "Axes":
    """Draw figures with their intervals as points on lines, the first on top.

    Parameters
    ----------
    found
        A name, and the figure with its interval.
    x
        What the axis shows.
    orange
        The names of those to draw in another colour, as diamonds.
    mark
        Where a dashed line stands.

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = plots.axes(width=9, height=1.4 + 0.55 * len(found))[0]
    for place, (name, each) in enumerate(found.items()):
        colour = plots.PALETTE[name in orange]
        ax.plot([each.low, each.high], [place, place], color=colour, linewidth=4, alpha=0.5)
        ax.plot(each.value, place, marker="D" if name in orange else "o", color=colour, markersize=10)
        value = ax.annotate(f"{each.value:.2f}", (each.value, place), (0, 9), textcoords="offset points", ha="center")
        value.set(bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5}, zorder=1.5)
    if mark is not None:  # it runs behind the numbers, as these stand behind the points
        ax.axvline(mark, color="black", linestyle="--", zorder=1)
    ax.set(yticks=range(len(found)), yticklabels=list(found), xlabel=x)
    ax.set_ylim(len(found) - 0.4, -0.8)
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)
    return ax

"""The pictures of lesson 5's benchmark: systems side by side, how two kinds of pairs overlap, the ROC curves."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bertlab.figures import plots

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike


def correlations(
    table: "pd.DataFrame", *, highlight: Sequence[str] = ("word overlap",), ax: "Axes | None" = None
) -> "Axes":
    """Draw each system's Spearman correlation with the grades as a point, its interval as a line.

    Parameters
    ----------
    table : pandas.DataFrame
        As `bertlab.paraphrase.compare_systems` returns it. Systems without a correlation are left blank.
    highlight : sequence of str
        Systems to draw in orange: the controls.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        The first system on top.
    """
    ax = ax or plots.axes(width=9, height=1.4 + 0.42 * len(table))[0]
    for place, (name, row) in enumerate(table.iterrows()):
        colour = plots.PALETTE[1] if name in highlight else plots.PALETTE[0]
        ax.plot([row["low"], row["high"]], [place, place], color=colour, linewidth=4, alpha=0.5)
        ax.plot(row["Spearman"], place, marker="D" if name in highlight else "o", color=colour, markersize=10)
    ax.axvline(0, color="black", linestyle="--", linewidth=1)
    ax.set(yticks=range(len(table)), yticklabels=list(table.index), xlabel="Spearman correlation with the grades")
    ax.set_ylim(len(table) - 0.4, -0.6)
    ax.grid(axis="x", color="0.9")
    return ax


def strips(groups: "Mapping[str, ArrayLike]", *, mark: float, x: str, ax: "Axes | None" = None) -> "Axes":
    """Draw groups of numbers as rows of points, and one number as a dashed line through all of them.

    Parameters
    ----------
    groups : dict of str to sequence of float
    mark : float
        The number in question.
    x : str
        What the numbers are.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = ax or plots.axes(width=9, height=1.4 + 0.9 * len(groups))[0]
    numbers = {name: np.asarray(values, dtype=float) for name, values in groups.items()}
    for place, values in enumerate(numbers.values()):
        # Points that would hide each other are moved apart, in the same way in every run.
        shifts = (np.arange(len(values)) * 0.618 % 1 - 0.5) * 0.6
        ax.scatter(values, place + shifts, s=22, alpha=0.6, color=plots.PALETTE[place % len(plots.PALETTE)])
    ax.axvline(mark, color="black", linestyle="--")
    ax.set(yticks=range(len(numbers)), yticklabels=list(numbers), xlabel=x)
    ax.set_ylim(len(numbers) - 0.5, -0.5)
    return ax


def roc(systems: "Mapping[str, ArrayLike]", labels: "ArrayLike", *, ax: "Axes | None" = None) -> "Axes":
    """Draw each system's ROC curve: paraphrases found against others taken for one, at every threshold.

    Parameters
    ----------
    systems : dict of str to sequence of float
        Each system's numbers, (pairs,).
    labels : sequence of bool, (pairs,)
        Whether each pair is a paraphrase.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        With the diagonal, which is what guessing reaches.
    """
    from sklearn.metrics import roc_curve

    ax = ax or plots.axes(width=6.5, height=5.5)[0]
    dashes = ("-", "--", "-.", ":")
    for number, (name, values) in enumerate(systems.items()):
        taken, found, _ = roc_curve(labels, values)
        ax.plot(
            taken,
            found,
            linewidth=3,
            linestyle=dashes[number % len(dashes)],
            color=plots.PALETTE[number % len(plots.PALETTE)],
            label=name,
        )
    ax.plot([0, 1], [0, 1], color="0.5", linewidth=1)
    ax.set(xlabel="share of the others taken for paraphrases", ylabel="share of the paraphrases found")
    ax.set_aspect("equal")
    ax.legend(loc="lower right", frameon=False, fontsize=13)
    return ax

"""Rows of points: every number of each group, none hidden behind another."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bertlab.figures import plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def strips(
    groups: Mapping[str, np.ndarray], *, x: str, colours: Sequence[str], mark: float | None = None, width: float = 7.5
) -> "Axes":
    """Draw groups of numbers as rows of points, the first on top, and a dashed line at `mark` through all of them."""
    ax = plots.axes(width=width, height=2 + 0.5 * len(groups))[0]
    for row, (values, colour) in enumerate(zip(groups.values(), colours, strict=False)):
        ax.scatter(values, row + plots.apart(len(values)), s=22, alpha=0.6, color=colour)
    if mark is not None:
        ax.axvline(mark, color="black", linestyle="--")
    ax.set(yticks=range(len(groups)), yticklabels=list(groups), xlabel=x)
    ax.set_ylim(len(groups) - 0.5, -0.5)
    return ax

"""What lesson 5 draws by itself: rows of points, and the tokens of two sentences in a plane."""

from collections.abc import Mapping, Sequence

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox
from numpy.typing import ArrayLike
from scipy.spatial.distance import pdist

from bertlab.bert.reading import Reading
from bertlab.figures import CaptionedFigure, plots


def rows_of_points(
    groups: Mapping[str, ArrayLike], colours: Sequence[str] | None = None, mark: float | None = None
) -> Axes:
    """Draw groups of cosines, (pairs,) each, as rows of points, from light to dark, and a line at `mark`."""
    ax = plots.axes(width=7.5, height=2 + 0.5 * len(groups))[0]
    colours = colours or sns.color_palette("crest", len(groups)).as_hex()
    for row, (given, colour) in enumerate(zip(groups.values(), colours, strict=False)):
        values = np.asarray(given, dtype=float)
        ax.scatter(values, row + plots.apart(len(values)), s=22, alpha=0.6, color=colour)
        ax.plot([np.median(values)] * 2, [row - 0.38, row + 0.38], color="black", linewidth=2.5)
    if mark is not None:
        ax.axvline(mark, color="black", linestyle="--")
    ax.set(yticks=range(len(groups)), yticklabels=list(groups), xlabel="cosine of mean vectors")
    ax.set_ylim(len(groups) - 0.5, -0.5)
    return ax


@plots.styled()
def tokens_and_pooled(
    first: Reading, second: Reading, tokens: ArrayLike, pooled: Mapping[str, ArrayLike], share: float
) -> CaptionedFigure:
    """Draw the tokens of two sentences in a plane, and circle each sentence's pooled vectors."""
    places = np.asarray(tokens, dtype=float)
    vectors = {pooling: np.asarray(both, dtype=float) for pooling, both in pooled.items()}  # (2, 2) each
    circled = np.concatenate(list(vectors.values()))
    labels = ["first"] * len(first.tokens) + ["second"] * len(second.tokens) + list(np.repeat(list(pooled), 2))
    ax = plots.axes(width=10, height=5.4)[0]
    plots.scatter(np.concatenate([places, circled]), labels, colours=(*plots.KINDS, "0.7"), ax=ax)
    ax.scatter(*circled.T, s=600, facecolors="none", edgecolors="black")
    _name_apart(ax, [*first.tokens, *second.tokens], places, circled)
    apart = [f"the two of {pooling} {np.linalg.norm(a - b):.1f}" for pooling, (a, b) in vectors.items()]
    return CaptionedFigure(
        ax,
        f"The tokens of both sentences; in circles, what they are pooled to. The plane has {100 * share:.0f} % of the "
        f"variance. Distances in it: two tokens {pdist(places).mean():.1f} on average, {', '.join(apart)}.",
    )


def _name_apart(ax: Axes, names: Sequence[str], places: np.ndarray, circled: np.ndarray) -> None:
    """Write a name beside each point, unless it would cover a point, a circle or another name."""
    figure = ax.get_figure(root=True)
    assert figure is not None, "it was just drawn"
    figure.draw_without_rendering()  # only now each point has its place on the page
    boxes = [
        Bbox([centre - radius * figure.dpi / 72, centre + radius * figure.dpi / 72])
        for points, radius in ((places, 4), (circled, 12))
        for centre in ax.transData.transform(points)
    ]
    for name, place in zip(names, places, strict=True):
        for side, offset in (("left", (7, 5)), ("right", (-7, 5)), ("left", (7, -15)), ("right", (-7, -15))):
            label = ax.annotate(name, tuple(place), offset, textcoords="offset points", ha=side)
            extent = label.get_window_extent()
            if not any(extent.overlaps(box) for box in boxes):
                boxes.append(extent)
                break
            label.remove()

"""Plots for the lessons, drawn on Axes in one style.

Colours are safe for colour-blind readers (violet and orange around white, blue from light to dark, seaborn's
"colorblind" palette), letters are large enough for the back row, and a ``$`` in a text is a dollar sign.
"""

import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle

import matplotlib as mpl
import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike
from torch import Tensor

from bertlab.arguments import require_as_many

PALETTE = tuple(sns.color_palette("colorblind").as_hex())  # blue: a trained BERT; orange: what it is compared with
KINDS = (PALETTE[2], PALETTE[4], "0.35")  # kinds of things, such as senses: green, pink, dark grey
TWIN = "0.5"  # what has the same shape and has read nothing, grey
HERE, PALE = PALETTE[8], "0.94"  # the box that a diagram is about, yellow, and the others
STYLE = {
    "font.size": 14,
    "axes.titlesize": 15,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.parse_math": False,  # a sentence may hold $ signs
    "axes.unicode_minus": False,
}
PER_INCH = 150  # pixels per inch in a picture's file
SHARPNESS = 2.25  # pixels of the file per pixel on a page, where letters are as large as the text; slides enlarge them


@contextmanager
def styled() -> Iterator[None]:
    """Draw in the lessons' style, inside a ``with`` block or a decorated function, and without warnings of the font."""
    with mpl.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


@styled()
def axes(columns: int = 1, *, width: float = 10.0, height: float = 4.0) -> list[Axes]:
    """Return a row of empty Axes, from left to right, on a new figure; its width and height are in inches."""
    # pyplot does not know this Figure, so Jupyter does not show it a second time.
    figure = Figure(figsize=(width, height), layout="constrained")
    return list(figure.subplots(1, columns, squeeze=False)[0])


@styled()
def heatmap(
    values: Tensor | ArrayLike,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    *,
    numbers: bool = False,
    highlight: int | None = None,
    limit: float | None = None,
    lowest: float = 0.0,
    sequential: bool = False,
    title: str = "",
    bar: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a matrix, (rows, columns), as cells: violet below zero, orange above, nan blank; `bar` names the colour bar.

    `sequential` colours go from white at `lowest` to dark blue. The strongest colour is that of the largest absolute
    value, or of `limit`. `highlight` is a row to draw a frame around.
    """
    matrix = np.asarray(values, dtype=float)
    # seaborn would leave out names, or rows without a name
    require_as_many(**{"rows of values": matrix}, rows=matrix if rows is None else rows)
    require_as_many(**{"columns of values": matrix.T}, columns=matrix.T if columns is None else columns)
    ax = ax or axes(height=min(1.2 + 0.38 * len(matrix), 7.0))[0]
    sizes = np.abs(matrix[~np.isnan(matrix)])
    strongest = limit if limit is not None else float(sizes.max(initial=0.0)) or 1.0
    sns.heatmap(
        matrix,
        ax=ax,
        cmap="Blues" if sequential else "PuOr_r",
        vmin=lowest if sequential else -strongest,
        vmax=strongest,
        annot=matrix.round(2) + 0.0 if numbers else False,  # adding zero turns -0.0 into 0.0
        fmt=".2f",
        annot_kws={"size": STYLE["font.size"]},
        linewidths=1 if numbers else 0,
        cbar=not numbers,
        cbar_kws={"label": bar},
        xticklabels=list(columns) if columns is not None else False,
        yticklabels=list(rows) if rows is not None else False,
    )
    ax.tick_params(axis="y", labelrotation=0, length=0)
    ax.tick_params(axis="x", length=0)
    ax.set_title(title)
    if highlight is not None:
        frame = Rectangle((0, highlight), matrix.shape[1], 1, fill=False, edgecolor="black", linewidth=3)
        ax.add_patch(frame).set_clip_on(False)
    return ax


@styled()
def arrows(vectors: dict[str, Sequence[float]], *, ax: Axes) -> Axes:
    """Draw vectors of two features as named arrows from the origin, with true angles; what `ax` shows stays in view."""
    corners = np.transpose([ax.get_xlim(), ax.get_ylim()])
    for (name, (x, y)), colour in zip(vectors.items(), cycle(KINDS), strict=False):
        ax.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 3})
        beside = (6, -16) if x >= 0 else (-18, -4)  # clear of the arrow
        ax.annotate(name, (x, y), xytext=beside, textcoords="offset points", color=colour, weight="bold")
    points = np.array([(0.0, 0.0), *corners, *vectors.values()])
    (left, bottom), (right, top) = points.min(axis=0), points.max(axis=0)
    ax.set(xlim=(left - 0.6, right + 1.2), ylim=(bottom - 0.3, top + 0.7), xlabel="feature 0", ylabel="feature 1")
    ax.set_aspect("equal", adjustable="box")
    ax.grid(color="0.9")
    ax.set_axisbelow(True)
    return ax


@styled()
def lines(series: dict[str, Tensor | Sequence[float]], *, x: str, y: str, colours: Sequence[str] = PALETTE) -> Axes:
    """Draw numbers over 0, 1, 2, ..., such as layers, as lines; the vertical axis includes 0 and 1."""
    ax = axes(width=8, height=4)[0]
    table = {name: np.asarray(numbers, dtype=float) for name, numbers in series.items()}
    sns.lineplot(table, ax=ax, palette=list(colours[: len(table)]), markers=True, linewidth=3, markersize=11)
    longest = max(map(len, table.values()))
    ax.set(xlabel=x, ylabel=y, xticks=range(longest))
    ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]), top=max(1.0, ax.get_ylim()[1]))
    ax.grid(axis="y", color="0.9")
    ax.legend(loc="best", frameon=False)
    return ax


def curve(function: Callable, at: Tensor, *, x: str = "", y: str = "") -> Axes:
    """Draw the curve of a function, and on it a point for each number."""
    ax = axes(width=8, height=4)[0]
    widest = float(at.abs().max()) + 0.3
    line = at.new_tensor(np.linspace(-widest, widest, 200))
    ax.plot(line, function(line), color="0.6", linewidth=2)
    ax.scatter(at, function(at), color=PALETTE[0], s=40, alpha=0.7, zorder=2)
    ax.grid(color="0.9")
    ax.set(xlabel=x, ylabel=y)
    return ax


@styled()
def scatter(
    points: Tensor | ArrayLike,
    labels: Sequence[str] | None = None,
    *,
    title: str = "",
    colours: Sequence[str] = PALETTE,
    ax: Axes | None = None,
) -> Axes:
    """Draw points, (points, 2), in a plane, with one colour and marker per label and true distances."""
    places = np.asarray(points, dtype=float)
    if places.ndim != 2 or places.shape[1] != 2:
        raise ValueError(f"A plane has two coordinates a point, (points, 2), and these have shape {places.shape}.")
    require_as_many(points=places, labels=places if labels is None else labels)
    ax = ax or axes(width=8, height=5)[0]
    kinds = list(dict.fromkeys(labels)) if labels is not None else []
    sns.scatterplot(
        x=places[:, 0],
        y=places[:, 1],
        hue=labels,
        style=labels,
        palette=dict(zip(kinds, cycle(colours), strict=False)) if kinds else None,
        color=None if kinds else "0.7",
        s=90,
        ax=ax,
    )
    ax.set(xlabel="first component", ylabel="second component")
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_title(title)
    return ax


def apart(count: int) -> np.ndarray:
    """Return vertical shifts from -0.3 to 0.3 for the points of a row, (count,), so that none hides another."""
    return (np.arange(count) * 0.618 % 1 - 0.5) * 0.6


def png(figure: Figure) -> bytes:
    """Return a figure as the bytes of a PNG file, the same bytes for the same figure."""
    buffer = io.BytesIO()
    with styled():
        figure.savefig(buffer, format="png", dpi=PER_INCH, metadata={"Software": None})
    return buffer.getvalue()

"""The figures of lesson 5, each with a caption that states its result."""

from collections.abc import Mapping, Sequence

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox
from numpy.typing import ArrayLike
from scipy.spatial.distance import pdist
from torch import Tensor

from bertlab.bert.reading import Reading
from bertlab.evidence import spearman
from bertlab.figures import CaptionedFigure, plots

SLIGHT = 0.05  # a cosine no further below zero than this is drawn as zero
COSINE = "cosine of mean vectors"
BESIDE = (plots.PALETTE[0], plots.TWIN, plots.PALETTE[2], plots.PALETTE[1])  # BERT, a twin, rows, a rule


def token_cosines(first: Reading, second: Reading, cosines: Tensor) -> CaptionedFigure:
    """Draw the cosine of each token of one sentence with each token of another."""
    ax = plots.axes(width=10, height=5)[0]
    hardly_negative = bool((cosines >= -SLIGHT).all())  # then half of a scale from -1 to 1 would be wasted
    drawn = cosines.clamp(min=0) if hardly_negative else cosines
    plots.heatmap(drawn, first.tokens, second.tokens, limit=1, sequential=hardly_negative, bar="cosine", ax=ax)
    ax.set(xlabel="second sentence", ylabel="first sentence")
    nearest = cosines[1:-1, 1:-1].argmax(dim=1).tolist()  # of the pieces, without [CLS] and [SEP]
    same = sum(first.tokens[i] == second.tokens[j + 1] for i, j in enumerate(nearest, start=1))
    return CaptionedFigure(
        ax,
        "Cosines of the tokens of two sentences, after the last layer: the darker"
        f"{'' if hardly_negative else ' orange'}, the more similar. For {same} of {len(nearest)} pieces of the first "
        "sentence, the nearest piece of the second is the same one.",
    )


def beside_other_pairs(kinds: Mapping[str, ArrayLike], cosine: float) -> CaptionedFigure:
    """Draw the cosine of one pair among the cosines of pairs that differ in meaning."""
    cosines = {name: np.asarray(values, dtype=float) for name, values in kinds.items()}
    ax = _rows_of_points(cosines, plots.KINDS, mark=cosine)
    high = [f"{(values >= cosine).sum()} of {len(values)} {name} pairs" for name, values in cosines.items()]
    return CaptionedFigure(
        ax,
        f"The cosine of our pair, the dashed line, is {cosine:.2f}; black: each row's median. As high or higher: "
        f"{' and '.join(high)}.",
    )


def _rows_of_points(groups: Mapping[str, np.ndarray], colours: Sequence[str], mark: float | None = None) -> Axes:
    """Draw groups of cosines, (pairs,) each, as rows of points with their median, and a dashed line at `mark`."""
    ax = plots.axes(width=7.5, height=2 + 0.5 * len(groups))[0]
    for row, (values, colour) in enumerate(zip(groups.values(), colours, strict=False)):
        ax.scatter(values, row + plots.apart(len(values)), s=22, alpha=0.6, color=colour)
        ax.plot([np.median(values)] * 2, [row - 0.38, row + 0.38], color="black", linewidth=2.5)
    if mark is not None:
        ax.axvline(mark, color="black", linestyle="--")
    ax.set(yticks=range(len(groups)), yticklabels=list(groups), xlabel=COSINE)
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


def cosines_by_grade(cosines: ArrayLike, grades: ArrayLike) -> CaptionedFigure:
    """Draw the cosines of graded pairs, one row per grade from 0 to 5."""
    values, whole = np.asarray(cosines, dtype=float), np.asarray(grades, dtype=float).round()
    rows = {f"grade {grade:.0f}": values[whole == grade] for grade in np.unique(whole)}
    colours = sns.color_palette("crest", len(rows)).as_hex()  # light to dark, because grades have an order
    medians = [float(np.median(row)) for row in rows.values()]
    return CaptionedFigure(
        _rows_of_points(rows, colours),
        f"The cosine of each of {len(values)} pairs, by grade. Medians (black), from {next(iter(rows))} to "
        f"{list(rows)[-1]}: {', '.join(f'{median:.2f}' for median in medians)}; the highest: "
        f"{list(rows)[int(np.argmax(medians))]}.",
    )


@plots.styled()
def cosines_by_overlap(overlap: ArrayLike, cosines: ArrayLike) -> CaptionedFigure:
    """Draw the cosine of each pair of sentences beside their word overlap."""
    shared, values = np.asarray(overlap, dtype=float), np.asarray(cosines, dtype=float)
    ax = plots.axes(width=7.5, height=4.6)[0]
    ax.scatter(shared, values, s=36, alpha=0.6, color=plots.PALETTE[0])
    ax.set(xlabel="word overlap", ylabel=COSINE)
    without, alone = values[shared == 0], ""
    if len(without):
        alone = f" Without a shared word, the cosines lie between {without.min():.2f} and {without.max():.2f}."
    return CaptionedFigure(
        ax,
        f"Each dot is one of {len(values)} pairs that say the same thing; Spearman's correlation of the two numbers: "
        f"{spearman(values, shared):.2f}.{alone}",
    )


def correlations_by_layer(own: Sequence[float], twins: Sequence[Sequence[float]], overlap: float) -> CaptionedFigure:
    """Draw the Spearman correlation with the grades after each layer, of a BERT, untrained twins and word overlap."""
    of_twins = np.asarray(twins, dtype=float)  # (twins, layers)
    series = {
        "this BERT": own,
        "untrained twins, mean": of_twins.mean(axis=0).tolist(),
        "word overlap": [overlap] * len(own),
    }
    ax = plots.lines(series, x="layer", y="correlation with the grades", colours=BESIDE[:2] + BESIDE[3:])
    ax.fill_between(range(len(own)), of_twins.min(axis=0), of_twins.max(axis=0), color=plots.TWIN, alpha=0.3)
    top = int(np.argmax(own))
    return CaptionedFigure(
        ax,
        "How well the mean follows the grades after each layer; 0 is what enters the first. The highest of this BERT: "
        f"{own[top]:.2f}, after layer {top}. Untrained twins, the band: {of_twins.min():.2f} to {of_twins.max():.2f}. "
        f"Word overlap: {overlap:.2f}.",
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

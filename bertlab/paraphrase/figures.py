"""The figures of lesson 5: each draws what the lesson computed, and says in its caption what it shows."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import seaborn as sns
from matplotlib.transforms import Bbox
from scipy.spatial.distance import pdist

from bertlab.evidence.controls import LEVEL
from bertlab.figures import CaptionedFigure, plots, strips

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike
    from torch import Tensor

    from bertlab.bert.reading import Reading
    from bertlab.paraphrase.benchmark import Benchmark

EARLY = 0.1  # where the start of a ROC curve is read: the share of the others that are taken for paraphrases
SLIGHT = 0.05  # a cosine no further below zero than this is drawn as zero
COSINE = "cosine of mean vectors"


def token_cosines(first: "Reading", second: "Reading", cosines: "Tensor") -> CaptionedFigure:
    """Show the cosine of each token of one sentence with each token of another."""
    ax = plots.axes(width=10, height=5)[0]
    hardly_negative = bool((cosines >= -SLIGHT).all())  # then half of a scale from -1 to 1 would be wasted
    drawn = cosines.clamp(min=0) if hardly_negative else cosines
    plots.heatmap(drawn, first.tokens, second.tokens, limit=1, sequential=hardly_negative, ax=ax)
    nearest = cosines[1:-1, 1:-1].argmax(dim=1).tolist()  # of the pieces, without [CLS] and [SEP]
    same = sum(first.tokens[i] == second.tokens[j + 1] for i, j in enumerate(nearest, start=1))
    return CaptionedFigure(
        ax,
        "Cosines between the tokens of the two sentences, after the last layer; the darker"
        f"{'' if hardly_negative else ' the orange'}, the more alike. For {same} of the {len(nearest)} pieces of the "
        "first sentence, the nearest piece of the second is the same "
        f"piece. All {cosines.numel()} cosines lie between {cosines.min():z.2f} and {cosines.max():z.2f}.",
    )


def beside_other_pairs(kinds: "Mapping[str, ArrayLike]", cosine: float) -> CaptionedFigure:
    """Show the cosine of one pair among those of pairs that mean different things."""
    cosines = {name: np.asarray(values, dtype=float) for name, values in kinds.items()}
    ax = strips(cosines, x=COSINE, colours=plots.PALETTE, mark=cosine)
    spans = ", ".join(f"{name} pairs from {each.min():.2f} to {each.max():.2f}" for name, each in cosines.items())
    every = np.concatenate(list(cosines.values()))
    return CaptionedFigure(
        ax,
        f"The pair in question has {cosine:.2f} (the dashed line) with mean pooling. There are {spans}. Pairs of these "
        f"that mean different things and have as high a cosine: {(every >= cosine).sum()} of {len(every)}.",
    )


@plots.styled
def tokens_and_pooled(
    first: "Reading", second: "Reading", tokens: "ArrayLike", pooled: "Mapping[str, ArrayLike]", share: float
) -> CaptionedFigure:
    """Show the tokens of two sentences in a plane, with each sentence's pooled vectors circled."""
    places = np.asarray(tokens, dtype=float)
    of_ways = {way: np.asarray(both, dtype=float) for way, both in pooled.items()}
    circled = np.concatenate(list(of_ways.values()))
    labels = ["first"] * len(first.tokens) + ["second"] * len(second.tokens) + list(np.repeat(list(pooled), 2))
    ax = plots.axes(width=10, height=5.4)[0]
    plots.scatter(np.concatenate([places, circled]), labels, ax=ax)
    ax.scatter(*circled.T, s=600, facecolors="none", edgecolors="black")
    _name_apart(ax, [*first.tokens, *second.tokens], places, circled)
    apart = [f"the two of {way} {np.linalg.norm(one - other):.1f}" for way, (one, other) in of_ways.items()]
    return CaptionedFigure(
        ax,
        f"The tokens of both sentences, and in circles what each sentence is pooled to ({', '.join(pooled)}), in one "
        f"plane fitted on all tokens; it shows {share:.0%} of the tokens' variance. In this plane two tokens are "
        f"{pdist(places).mean():.1f} apart on average, {' and '.join(apart)}. A name is left out where there is "
        "no room for it.",
    )


def cosines_by_grade(cosines: "ArrayLike", grades: "ArrayLike", cosine: float) -> CaptionedFigure:
    """Show the cosines of graded pairs, a row for each grade from 0 to 5."""
    values, whole = np.asarray(cosines, dtype=float), np.asarray(grades, dtype=float).round()
    rows = {f"grade {grade:.0f}": values[whole == grade] for grade in np.unique(whole)}
    colours = sns.color_palette("crest", len(rows)).as_hex()  # light to dark, for grades have an order
    medians = [float(np.median(row)) for row in rows.values()]
    return CaptionedFigure(
        strips(rows, x=COSINE, colours=colours, mark=cosine),
        f"The cosine of each of {len(values)} pairs, by grade. Medians from {next(iter(rows))} to {list(rows)[-1]}: "
        f"{', '.join(f'{median:.2f}' for median in medians)}; the highest is that of "
        f"{list(rows)[int(np.argmax(medians))]}. The dashed line is the pair that this lesson began with.",
    )


def correlations(benchmark: "Benchmark", controls: Sequence[str] = ("word overlap",)) -> CaptionedFigure:
    """Show each system's Spearman correlation with the grades as a point, its interval as a line."""
    table = benchmark.table
    ax = plots.axes(width=9, height=1.4 + 0.42 * len(table))[0]
    for height, (name, row) in enumerate(table.iterrows()):
        colour = plots.PALETTE[name in controls]
        ax.plot([row["low"], row["high"]], [height, height], color=colour, linewidth=4, alpha=0.5)
        ax.plot(row["Spearman"], height, marker="D" if name in controls else "o", color=colour, markersize=10)
    ax.axvline(0, color="black", linestyle="--", linewidth=1)
    ax.set(yticks=range(len(table)), yticklabels=list(table.index), xlabel="Spearman correlation with the grades")
    ax.set_ylim(len(table) - 0.4, -0.6)
    ax.grid(axis="x", color="0.9")
    differs = table["p"] < LEVEL
    before = ", ".join(table.index[differs & (table["ahead"] > 0)]) or "none"
    behind = ", ".join(table.index[differs & (table["ahead"] < 0)]) or "none"
    return CaptionedFigure(
        ax,
        f"Spearman correlation with the grades of {benchmark.pairs} pairs, with 95 % bootstrap intervals; controls in "
        f"orange. Shown to be ahead of {benchmark.reference} (Williams' test, corrected after Holm): {before}; to be "
        f"behind it: {behind}. One answer for all has an accuracy of {benchmark.majority:.2f}.",
    )


def roc(systems: "Mapping[str, ArrayLike]", labels: "ArrayLike") -> CaptionedFigure:
    """Show each system's ROC curve: paraphrases found against others taken for one, at every threshold."""
    from sklearn.metrics import auc, roc_curve

    ax = plots.axes(width=6.5, height=5.5)[0]
    dashes = ("-", "--", "-.", ":")
    areas, early = [], []
    for number, (name, values) in enumerate(systems.items()):
        taken, found, _ = roc_curve(labels, values)
        areas.append(f"{name}: {auc(taken, found):.2f}")
        early.append(f"{name} {np.interp(EARLY, taken, found):.2f}")
        colour, dash = plots.PALETTE[number % len(plots.PALETTE)], dashes[number % len(dashes)]
        ax.plot(taken, found, linewidth=3, linestyle=dash, color=colour, label=name)
    ax.plot([0, 1], [0, 1], color="0.5", linewidth=1)
    ax.set(xlabel="share of the others taken for paraphrases", ylabel="share of the paraphrases found")
    ax.set_aspect("equal")
    ax.legend(loc="lower right", frameon=False, fontsize=13)
    return CaptionedFigure(
        ax,
        "Which share of the paraphrases is found, against which share of the others is taken for one, at every "
        f"threshold; the thin line is guessing. Area under the curve: {'; '.join(areas)}. At the start, where "
        f"{EARLY:.0%} of the others are taken, guessing finds {EARLY:.2f} of the paraphrases; {', '.join(early)}.",
    )


def correlations_by_layer(own: Sequence[float], twins: Sequence[Sequence[float]], overlap: float) -> CaptionedFigure:
    """Show the Spearman correlation with the grades after each layer, beside untrained twins and word overlap."""
    others = np.asarray(twins, dtype=float)
    series = {
        "this BERT": own,
        "untrained twins, mean": others.mean(axis=0).tolist(),
        "word overlap": [overlap] * len(own),
    }
    ax = plots.lines(series, x="layer", y="Spearman")
    ax.fill_between(range(len(own)), others.min(axis=0), others.max(axis=0), color=plots.PALETTE[1], alpha=0.3)
    top = int(np.argmax(own))
    return CaptionedFigure(
        ax,
        "Spearman correlation with the grades, mean pooling, after each layer; 0 is the embedding layer's output. This "
        f"BERT has its highest value, {own[top]:.2f}, after layer {top}; the last has {own[-1]:.2f}. "
        f"{len(others)} untrained twins have {others.min():.2f} to {others.max():.2f} (the band), word overlap "
        f"{overlap:.2f}.",
    )


def _name_apart(ax: "Axes", names: Sequence[str], places: np.ndarray, circled: np.ndarray) -> None:
    """Write a name beside each point, where it covers no point, circle or other name; else leave it out."""
    figure = ax.get_figure(root=True)
    assert figure is not None, "it was just drawn"
    figure.draw_without_rendering()  # only now each point has its place on the page
    taken = [
        Bbox([centre - radius * figure.dpi / 72, centre + radius * figure.dpi / 72])
        for points, radius in ((places, 4), (circled, 12))
        for centre in ax.transData.transform(points)
    ]
    for name, place in zip(names, places, strict=True):
        for side, offset in (("left", (7, 5)), ("right", (-7, 5)), ("left", (7, -15)), ("right", (-7, -15))):
            written = ax.annotate(name, tuple(place), offset, textcoords="offset points", ha=side)
            box = written.get_window_extent()
            if not any(box.overlaps(other) for other in taken):
                taken.append(box)
                break
            written.remove()

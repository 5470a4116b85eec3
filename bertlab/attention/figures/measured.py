"""The figures of lesson 4 with measurements: attention weights, and what is lost without a head."""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike
from torch import Tensor

from bertlab.bert.reading import Reading
from bertlab.figures import plots
from bertlab.figures.captioned import CaptionedFigure

LONG = 16  # tokens; for a longer text fewer heads are drawn, so that its labels stay readable
WIDE = 12  # heads of a layer; of more, two decimals do not fit into a cell
WEIGHT = "attention weight"


def one_head(reading: Reading, layer: int, head: int) -> CaptionedFigure:
    """Show the attention weights of one head."""
    weights = reading.attention[layer, head]  # (tokens, tokens)
    return CaptionedFigure(
        _matrix(reading.tokens, weights, limit=1, bar=WEIGHT),
        f"The attention weights of head {head} in layer {layer}. Darker means more weight. From a token to the "
        f"previous one the weight is {weights.diagonal(-1).mean():.2f} on average.",
    )


def heads_of_layer(reading: Reading, layer: int) -> CaptionedFigure:
    """Show the first four heads of a layer side by side, or the first two for a long text."""
    tokens = len(reading.tokens)
    weights = reading.attention[layer, : 4 if tokens <= LONG else 2]  # (heads, tokens, tokens)
    side = 2.6 if tokens <= LONG else min(0.25 * tokens, 7.0)
    panels = plots.axes(len(weights), width=0.8 + side * len(weights), height=side + 1.5)
    for head, ax in enumerate(panels):
        _matrix(reading.tokens, weights[head], limit=1, title=f"head {head}", bar=WEIGHT, ax=ax)
        ax.tick_params(labelsize=min(14.0, 60 * side / tokens))  # one label per token, side by side
    bars = [ax.collections[0].colorbar for ax in panels]
    for bar in filter(None, bars[:-1]):  # all have one scale
        bar.remove()
    for ax in panels[1:]:
        ax.set(ylabel="", yticks=[])
    names = {-1: "the previous token", 0: "the token itself", 1: "the next token"}
    means = {offset: weights.diagonal(offset, dim1=1, dim2=2).mean(dim=1) for offset in names}  # (heads,) each
    offset = max(names, key=lambda offset: float(means[offset].max()))
    head, share = int(means[offset].argmax()), float(means[offset].max())
    return CaptionedFigure(
        panels[0],
        f"The first {len(weights)} heads of layer {layer} on one sentence. Head {head} puts {share:.2f} of its weight "
        f"on {names[offset]}. A uniform head puts {1 / tokens:.2f} there.",
    )


def where_one_looks(tokens: Sequence[str], looks: Tensor | ArrayLike, name: str) -> CaptionedFigure:
    """Show the attention weights of one token, one row per layer."""
    rows = np.asarray(looks, dtype=float)
    layers = [f"layer {number}" for number in range(len(rows))]
    first, last = (tokens[int(row.argmax())] for row in (rows[0], rows[-1]))
    return CaptionedFigure(
        plots.heatmap(rows, layers, tokens, numbers=len(tokens) <= LONG, sequential=True),
        f"Where {name} looks, layer by layer: the mean over the heads. It looks most at {first!r} in the first layer, "
        f"and at {last!r} in the last.",
    )


@plots.styled()
def rise_of_loss(change: pd.DataFrame, named: Collection[tuple[int, int]], texts: int) -> CaptionedFigure:
    """Show how much the loss rises without each head, one row per layer, and frame the named heads."""
    # pivot_table would average a head that occurs twice, as in two tables joined; pivot refuses it.
    grid = change.pivot(index="layer", columns="head", values="change")  # noqa: PD010
    few = grid.shape[1] <= WIDE
    ax = plots.axes(width=11, height=1.6 + 0.5 * len(grid))[0]
    rows = [f"layer {layer}" for layer in grid.index]
    bar = "" if few else "nats"
    plots.heatmap(grid.clip(lower=0), rows, list(map(str, grid.columns)), numbers=few, sequential=True, bar=bar, ax=ax)
    for layer, head in named:
        ax.add_patch(Rectangle((head, layer), 1, 1, fill=False, edgecolor="black", linewidth=3, clip_on=False))
    ax.set(xlabel="head", ylabel="")
    return CaptionedFigure(
        ax,
        f"How much the loss on hidden pieces rises without each head, in nats, over {texts} sentences. Darker means "
        "more, and 0 that it does not rise. The framed heads look at a neighbour.",
    )


def _matrix(
    tokens: Sequence[str],
    values: Tensor | ArrayLike,
    *,
    limit: float | None = None,
    title: str = "",
    bar: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw a matrix of numbers, (tokens, tokens), on square Axes; nan stays blank."""
    side = min(2.0 + 0.3 * len(tokens), 6.0)
    ax = ax or plots.axes(width=side + 1.0, height=side)[0]
    plots.heatmap(values, rows=tokens, columns=tokens, sequential=True, limit=limit, title=title, bar=bar, ax=ax)
    ax.tick_params(axis="x", labelrotation=90)
    ax.set(xlabel="is looked at", ylabel="looks")
    return ax


def needed_in_words(change: pd.DataFrame) -> str:
    """Say which head's removal raises the loss most, and which comes second."""
    change = change.sort_values("change", ascending=False)
    first, *rest = change.itertuples(index=False)
    sentence = f"without head {first.head} of layer {first.layer} the loss rises most, by {first.change:.2f} nats."
    if not rest:
        return sentence
    return f"{sentence} Head {rest[0].head} of layer {rest[0].layer} comes second, with {rest[0].change:.2f}."

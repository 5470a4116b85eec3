"""The figures of lesson 4 with measurements: attention weights, heads, and the effect of removing a word or a head."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike
from torch import Tensor

from bertlab.bert.reading import Reading
from bertlab.evidence import listed
from bertlab.figures import plots
from bertlab.figures.captioned import CaptionedFigure

LONG = 16  # tokens; for a longer text fewer heads are drawn, so that its labels stay readable
MANY = 40  # heads
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


def previous_and_next(measured: pd.DataFrame, texts: int) -> CaptionedFigure:
    """Show each head's mean weight on the previous and on the next piece."""
    panels = plots.axes(2, width=11, height=1.8 + 0.45 * measured["layer"].nunique())
    for ax, name in zip(panels, ("previous", "next"), strict=True):
        _heads(measured, name, ax)
    counts = {name: int((measured[name] > 0.5).sum()) for name in ("previous", "next")}
    return CaptionedFigure(
        panels[0],
        f"Each head's mean weight on the previous and on the next piece, in {texts} sentences. Darker means more. "
        f"Heads with more than half of their weight there: {counts['previous']} of {len(measured)} on the previous "
        f"piece, {counts['next']} on the next. A uniform head puts {measured['uniform previous'].iloc[0]:.2f} there.",
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


def masking_effect(tokens: Sequence[str], effect: Tensor) -> CaptionedFigure:
    """Show how far each token's last vector moves when another token is masked."""
    ax = _matrix(tokens, effect, bar="distance moved")
    ax.set(xlabel="is hidden", ylabel="moves")
    strongest = tokens[int(effect.nan_to_num(0).sum(dim=0).argmax())]
    return CaptionedFigure(
        ax,
        "How far the last vector of each token (row) moves when another token (column) is hidden. Darker means "
        f"farther. Hiding {strongest!r} moves the others most.",
    )


def change_of_loss(change: pd.DataFrame, named: dict[tuple[int, int], str], texts: int) -> CaptionedFigure:
    """Show how much the loss rises without each head, in the order of the table, and mark the named heads."""
    pairs = list(change[["layer", "head"]].itertuples(index=False, name=None))
    ax = plots.axes(width=11, height=4.5)[0]
    for i, (value, low, high) in enumerate(change[["change", "low", "high"]].to_numpy(dtype=float)):
        marked = pairs[i] in named
        errors = [[value - low], [high - value]]
        ax.errorbar(i, value, errors, fmt="D" if marked else "o", markersize=9, color=plots.PALETTE[0], lw=2)
        if marked:
            bold = {"weight": "bold", "size": plots.STYLE["font.size"]}
            ax.annotate(named[pairs[i]], (i, high), (4, 8), textcoords="offset points", **bold)
    ax.axhline(0, color="black", linestyle="--")
    labels = [f"{layer}\n{head}" for layer, head in pairs] if len(pairs) <= MANY else []  # more would overlap
    ax.set_xticks(range(len(labels)), labels)
    ax.set(xlabel="heads (layer above, head below)", ylabel="rise of the loss (nats)")
    rises = [f"{row.change:.2f} without head {row.head} of layer {row.layer}" for row in change[:3].itertuples()]
    return CaptionedFigure(
        ax,
        "How much the loss on hidden pieces rises without each head, in nats, "
        f"over {texts} sentences (95 % intervals). It rises by {listed(rises)}.",
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


def _heads(measured: pd.DataFrame, measure: str, ax: Axes) -> None:
    """Draw one measure of all heads, one row per layer and one column per head."""
    # pivot_table would average a head that occurs twice, as in two tables joined; pivot refuses it.
    grid = measured.pivot(index="layer", columns="head", values=measure)  # noqa: PD010
    plots.heatmap(
        grid,
        rows=[f"layer {layer}" for layer in grid.index],
        columns=[str(head) for head in grid.columns],
        numbers=grid.shape[1] <= 12,  # two decimals must fit into a cell
        sequential=True,
        limit=1,
        title=measure,
        ax=ax,
    )
    ax.set(xlabel="head", ylabel="")


def missed_in_words(change: pd.DataFrame) -> str:
    """Say which head's removal raises the loss most, and which comes second."""
    change = change.sort_values("change", ascending=False)
    first, *rest = change.itertuples(index=False)
    sentence = f"without head {first.head} of layer {first.layer} the loss rises most, by {first.change:.2f} nats."
    if not rest:
        return sentence
    return f"{sentence} Head {rest[0].head} of layer {rest[0].layer} comes second, with {rest[0].change:.2f}."

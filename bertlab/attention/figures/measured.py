"""Lesson 4's figures of what was measured: weights, heads, and what changes when something is taken away."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bertlab.evidence.controls import LEVEL
from bertlab.figures import plots
from bertlab.figures.captioned import CaptionedFigure

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike
    from torch import Tensor

    from bertlab.bert.reading import Reading


def one_head(reading: "Reading", layer: int, head: int) -> CaptionedFigure:
    """Show one head's weights: the row looks, the column is looked at."""
    weights = reading.attention[layer, head]  # (tokens, tokens)
    return CaptionedFigure(
        _matrix(reading.tokens, weights, limit=1),
        f"The attention weights of head {head} in layer {layer}. Each row is a token that looks, each column one that "
        "is looked at; the darker, the more. Here a token puts on average "
        f"{weights.diagonal(-1).mean():.2f} of its weight on the token before it.",
    )


def bend(before: "Tensor", after: "Tensor") -> CaptionedFigure:
    """Show what the function between a feed-forward block's two matrices makes of the numbers that enter it."""
    ax = plots.axes(width=7, height=3.5)[0]
    order = before.flatten().argsort()
    ax.plot(before.flatten()[order], after.flatten()[order], linewidth=3, color=plots.PALETTE[0])
    ax.set(xlabel="before", ylabel="after")
    return CaptionedFigure(
        ax,
        f"The bend between the two matrices, as the {before.numel():,} numbers of this sentence go through it: what is "
        "well above zero passes, what is well below becomes nearly zero. "
        f"{(after > 0.01).float().mean():.0%} of the numbers come out above 0.01.",
    )


def heads_of_layer(reading: "Reading", layer: int, count: int = 4) -> CaptionedFigure:
    """Show a layer's first heads side by side."""
    weights = reading.attention[layer, :count]  # (heads, tokens, tokens)
    drawn = plots.axes(len(weights), width=0.8 + 2.6 * len(weights), height=4.1)
    for head, ax in enumerate(drawn):
        _matrix(reading.tokens, weights[head], limit=1, title=f"head {head}", ax=ax)
    bars = [ax.collections[0].colorbar for ax in drawn]
    for bar in filter(None, bars[:-1]):  # all have one scale
        bar.remove()
    for ax in drawn[1:]:
        ax.set(ylabel="", yticks=[])
    names = {-1: "the token before", 0: "the token itself", 1: "the next token"}
    means = {place: weights.diagonal(place, dim1=1, dim2=2).mean(dim=1) for place in names}  # (heads,) each
    place = max(names, key=lambda each: float(means[each].max()))
    head, share = int(means[place].argmax()), float(means[place].max())
    return CaptionedFigure(
        drawn[0],
        f"The first heads of layer {layer} on one sentence. Of these, head {head} looks most at one neighbour: on "
        f"average {share:.2f} of its weight is on {names[place]}. A head that looked everywhere alike would have "
        f"{1 / len(reading.tokens):.2f} there.",
    )


def previous_and_next(measured: "pd.DataFrame", texts: int) -> CaptionedFigure:
    """Show every head's mean weight on the previous and on the next piece."""
    drawn = plots.axes(2, width=11, height=1.8 + 0.45 * measured["layer"].nunique())
    for ax, name in zip(drawn, ("previous", "next"), strict=True):
        _heads(measured, name, ax)
    most = {name: int((measured[name] > 0.5).sum()) for name in ("previous", "next")}
    return CaptionedFigure(
        drawn[0],
        f"Each head's mean weight on the previous and on the next piece, in {texts} texts. More than half of the "
        f"weight: {most['previous']} of {len(measured)} heads on the previous, {most['next']} on the next piece. A "
        f"uniform head would have {measured['uniform previous'].iloc[0]:.2f}.",
    )


def where_one_looks(tokens: Sequence[str], looks: "Tensor | ArrayLike", name: str) -> CaptionedFigure:
    """Show where one token looks, a row a layer."""
    rows = np.asarray(looks, dtype=float)
    layers = [f"layer {number}" for number in range(len(rows))]
    top = [f"{tokens[place]!r} in {layer}" for place, layer in zip(rows.argmax(axis=1), layers, strict=True)]
    return CaptionedFigure(
        plots.heatmap(rows, layers, tokens, numbers=True, sequential=True),
        f"Where {name} looks, layer by layer, as a mean over the heads. Its largest weight is on {', '.join(top)}.",
    )


def masking_effect(tokens: Sequence[str], effect: "Tensor") -> CaptionedFigure:
    """Show how far each token's last vector moves when another is hidden."""
    ax = _matrix(tokens, effect)
    ax.set(xlabel="is hidden", ylabel="moves")
    strongest = tokens[int(effect.nan_to_num(0).sum(dim=0).argmax())]
    return CaptionedFigure(
        ax,
        "How far the last vector of each token (row) moves when another (column) is hidden. Special tokens are not "
        f"hidden. Hiding {strongest!r} moves the others most, in all.",
    )


def change_of_loss(change: "pd.DataFrame", head: tuple[int, int], texts: int) -> CaptionedFigure:
    """Show how much the loss rises without each head, in the order of the table, and where one head stands in it."""
    pairs = list(change[["layer", "head"]].itertuples(index=False, name=None))
    place = pairs.index(tuple(head))
    rises = ((change["p"] < LEVEL) & (change["change"] > 0)).tolist()
    ax = plots.axes(width=12, height=4.5)[0]
    for i, (middle, low, high) in enumerate(change[["change", "low", "high"]].to_numpy(dtype=float)):
        marked = i == place
        ax.errorbar(
            i,
            middle,
            [[middle - low], [high - middle]],
            fmt="D" if marked else "o",
            markersize=11 if marked or rises[i] else 6,
            color=plots.PALETTE[1 if marked else 0],
            markerfacecolor=None if rises[i] else "white",
            linewidth=2,
        )
    ax.axhline(0, color="black", linestyle="--")
    named = [i for i in range(len(pairs)) if (rises[i] or i == place) and len(pairs) <= 40]  # more would run together
    ax.set_xticks(named, [f"L{pairs[i][0]}\nH{pairs[i][1]}" for i in named])
    ax.set(xlabel="heads (L: layer, H: head)", ylabel="rise of the loss (nats)")
    return CaptionedFigure(
        ax,
        f"How much the loss on hidden words rises when one head is switched off, for all {len(change)} heads, those "
        f"that are missed most first, with 95 % bootstrap intervals over {texts} sentences. Of so many intervals some "
        f"may lie above zero by luck; tested head by head and corrected for their number, it is shown to rise for "
        f"{sum(rises)} of them, the filled ones. The clearest 'previous' head, in orange, is in place {place + 1}.",
    )


def _matrix(
    tokens: Sequence[str],
    values: "Tensor | ArrayLike",
    *,
    limit: float | None = None,
    title: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw weights, or other numbers of the same shape, on square Axes; what is not a number stays blank."""
    side = min(2.0 + 0.3 * len(tokens), 6.0)
    ax = ax or plots.axes(width=side + 1.0, height=side)[0]
    plots.heatmap(values, rows=tokens, columns=tokens, sequential=True, limit=limit, title=title, ax=ax)
    ax.tick_params(axis="x", labelrotation=90)
    ax.set(xlabel="is looked at", ylabel="looks")
    return ax


def _heads(measured: "pd.DataFrame", measure: str, ax: "Axes") -> None:
    """Draw one measure of all heads: a row a layer, a column a head."""
    # pivot_table would take the mean of a head that comes twice, as in two tables glued together; pivot refuses it.
    grid = measured.pivot(index="layer", columns="head", values=measure)  # noqa: PD010
    plots.heatmap(
        grid,
        rows=[f"layer {layer}" for layer in grid.index],
        columns=[str(head) for head in grid.columns],
        numbers=grid.shape[1] <= 12,  # beyond, two decimals do not fit into a cell
        sequential=True,
        limit=1,
        title=measure,
        ax=ax,
    )
    ax.set(xlabel="head", ylabel="")

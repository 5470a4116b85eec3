"""The figures of lesson 4: each is one call, which draws what the lesson computed and says in words what it shows."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import FancyBboxPatch

from bertlab.evidence.controls import LEVEL
from bertlab.figures import plots
from bertlab.figures.captioned import CaptionedFigure

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike
    from torch import Tensor

    from bertlab.bert.loading import Bert
    from bertlab.bert.reading import Reading

HERE, PALE = plots.PALETTE[1], "0.94"
"""The colours of a box that the text speaks of, and of the others."""


def one_head(reading: "Reading", layer: int, head: int) -> CaptionedFigure:
    """Show one head's weights: the row looks, the column is looked at.

    Parameters
    ----------
    reading
        Of two tokens or more, with attention weights.
    layer, head
        As in ``reading.attention[layer, head]``.

    Returns
    -------
    CaptionedFigure
    """
    weights = reading.attention[layer, head]  # (tokens, tokens)
    return CaptionedFigure(
        _matrix(reading.tokens, weights, limit=1),
        f"The attention weights of head {head} in layer {layer}. Each row is a token that looks, each column one that "
        "is looked at; the darker, the more. Here a token puts on average "
        f"{weights.diagonal(-1).mean():.2f} of its weight on the token before it.",
    )


def inside_of_a_layer(bert: "Bert") -> CaptionedFigure:
    """Show what is inside an encoder layer: attention, the feed-forward block, and the two ways around them.

    Parameters
    ----------
    bert
        Its shapes are written below the boxes.

    Returns
    -------
    CaptionedFigure
    """
    config = bert.model.config
    heads, hidden, wide = config.num_attention_heads, config.hidden_size, config.intermediate_size
    ax = _sheet(100, 30)
    boxes = [  # left edge, width, name, what leaves it
        (0, 10, "a token's\nvector", f"({hidden})"),
        (14, 14, f"attention:\n{heads} heads", f"{heads} × {hidden // heads}"),
        (31, 13, "output\nprojection", f"({hidden})"),
        (47, 13, "add,\nLayerNorm", f"({hidden})"),
        (64, 9, "wider,\nbend", f"({wide:,})"),
        (76, 8, "back", f"({hidden})"),
        (87, 13, "add,\nLayerNorm", f"({hidden})"),
    ]
    for left, width, name, leaving in boxes:
        _box(ax, left, 8, width, 10, name, HERE if name.startswith("attention") else PALE)
        _write(ax, left + width / 2, 5.5, leaving)
    for (left, width, *_), (right, *_) in pairwise(boxes):
        _arrow(ax, (left + width, 13), (right, 13))
    for start, end in ((12, 53.5), (62, 93.5)):  # around attention, and around the feed-forward block
        ax.plot([start, start, end], [13, 24, 24], color="0.35", linewidth=2)
        _arrow(ax, (end, 24), (end, 18))
        _write(ax, (start + end) / 2, 26, "residual connection: as it was")
    return CaptionedFigure(
        ax,
        f"Inside a layer of {bert.name}; it has {config.num_hidden_layers} of them. In attention, orange, {heads} "
        f"heads gather {hidden // heads} numbers each from all tokens, and the output projection mixes them; this is "
        f"added to what the token had. Then the feed-forward block makes the vector {wide:,} numbers wide, bends it, "
        "and brings it back, and this is added too. Only in the orange box do tokens meet.",
    )


def formula() -> CaptionedFigure:
    """Show the formula of attention, typeset.

    Returns
    -------
    CaptionedFigure
    """
    ax = _sheet(100, 44)
    text = r"$\mathrm{attention}\;=\;\mathrm{softmax}\left(\frac{Q\,K^{\mathsf{T}}}{\sqrt{d}}\right)V$"
    ax.text(50, 32, text, size=52, ha="center", va="center", parse_math=True)
    parts = [  # left and right end of what a bracket embraces, its height, its name
        (7.5, 35.5, 18, "what a head makes"),
        (46.5, 87.5, 8, "weights"),
        (74.5, 84.5, 18, "scores"),
        (88.2, 93.2, 18, "values"),
    ]
    for left, right, height, name in parts:
        ax.plot([left, left, right, right], [height + 1.5, height, height, height + 1.5], color="0.35", linewidth=1.5)
        _write(ax, (left + right) / 2, height - 4.5, name, size=22)
    return CaptionedFigure(
        ax,
        "The formula of attention, after Vaswani et al. (2017). In words: the queries Q times the keys K, turned on "
        "their side (T), divided by the square root of d, the head's size, are the scores. Softmax makes weights of "
        "each row of scores. The weights times the values V are what the head makes.",
    )


def query_key_value(
    tokens: Sequence[str],
    vectors: "dict[str, Tensor]",
    scores: "Tensor",
    weights: "Tensor",
    looks: int,
) -> CaptionedFigure:
    """Show how one token looks at three: its query and their keys, the scores, the weights, the values and their sum.

    Parameters
    ----------
    tokens
        Three or more.
    vectors : (tokens, head size)
        The ``"query"``, ``"key"`` and ``"value"`` of each token, and what the head made for it, ``"made"``.
    scores, weights : (tokens, tokens)
    looks
        The place of the token that looks. Shown are the three that it gives most.

    Returns
    -------
    CaptionedFigure
    """
    places = sorted(weights[looks].topk(3).indices.tolist())
    ax = _sheet(100, 58)
    _box(ax, 0, 38, 22, 10, f"query of {tokens[looks]!r}\n{_numbers(vectors['query'][looks])}", HERE)
    for x, place in zip((30, 54, 78), places, strict=True):
        _write(ax, x + 11, 55, repr(tokens[place]), bold=True)
        _box(ax, x, 38, 22, 10, f"key\n{_numbers(vectors['key'][place])}")
        _write(ax, x + 11, 33.5, f"score {scores[looks, place]:.1f}")
        _write(ax, x + 11, 28, f"weight {weights[looks, place]:.2f}", bold=True)
        _box(ax, x, 14, 22, 10, f"value\n{_numbers(vectors['value'][place])}")
        _arrow(ax, (x + 11, 14), (x + 11, 8))
    _arrow(ax, (22, 43), (30, 43))
    _write(ax, 11, 33.5, "times each key, over the root:")
    _write(ax, 11, 28, "softmax:")
    _write(ax, 11, 19, "times the weight,\nadded up:")
    _box(ax, 30, 0, 70, 8, f"what the head makes for {tokens[looks]!r}: {_numbers(vectors['made'][looks])}", HERE)
    shares = ", ".join(f"{tokens[place]!r} {weights[looks, place]:.2f}" for place in places)
    others = len(tokens) - 3
    rest = float(1 - weights[looks, places].sum())
    return CaptionedFigure(
        ax,
        f"How {tokens[looks]!r} looks at the three of {len(tokens)} tokens that it gives most; of each vector's "
        f"{vectors['key'].shape[1]} numbers the first three stand here. Its query times each token's key, divided by "
        f"the root, gives a score; softmax makes weights of all scores: {shares}, and the other {others} tokens "
        f"{abs(rest):.2f} together. The values, times these weights and added up, are what the head makes.",
    )


def bend(before: "Tensor", after: "Tensor") -> CaptionedFigure:
    """Show what the function between a feed-forward block's two matrices makes of the numbers that enter it.

    Parameters
    ----------
    before, after : (tokens, intermediate)

    Returns
    -------
    CaptionedFigure
    """
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
    """Show a layer's first heads side by side.

    Parameters
    ----------
    reading
        With attention weights.
    layer
    count
        How many heads at most.

    Returns
    -------
    CaptionedFigure
    """
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
    """Show every head's mean weight on the previous and on the next piece.

    Parameters
    ----------
    measured
        As `bertlab.attention.measure_heads` returns it, with the measures ``previous`` and ``next``.
    texts
        How many were measured.

    Returns
    -------
    CaptionedFigure
    """
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
    """Show where one token looks, a row a layer.

    Parameters
    ----------
    tokens
    looks : (layers, tokens)
        The token's row of weights, as a mean over each layer's heads.
    name
        The token that looks.

    Returns
    -------
    CaptionedFigure
    """
    rows = np.asarray(looks, dtype=float)
    layers = [f"layer {number}" for number in range(len(rows))]
    top = [f"{tokens[place]!r} in {layer}" for place, layer in zip(rows.argmax(axis=1), layers, strict=True)]
    return CaptionedFigure(
        plots.heatmap(rows, layers, tokens, numbers=True, sequential=True),
        f"Where {name} looks, layer by layer, as a mean over the heads. Its largest weight is on {', '.join(top)}.",
    )


def masking_effect(tokens: Sequence[str], effect: "Tensor") -> CaptionedFigure:
    """Show how far each token's last vector moves when another is hidden.

    Parameters
    ----------
    tokens
    effect : (tokens, tokens)
        As `bertlab.attention.masking_effect` returns it: the row moves, the column is hidden.

    Returns
    -------
    CaptionedFigure
    """
    ax = _matrix(tokens, effect)
    ax.set(xlabel="is hidden", ylabel="moves")
    strongest = tokens[int(effect.nan_to_num(0).sum(dim=0).argmax())]
    return CaptionedFigure(
        ax,
        "How far the last vector of each token (row) moves when another (column) is hidden. Special tokens are not "
        f"hidden. Hiding {strongest!r} moves the others most, in all.",
    )


def change_of_loss(change: "pd.DataFrame", head: tuple[int, int], texts: int) -> CaptionedFigure:
    """Show how much the loss rises without each head, in the order of the table, and where one head stands in it.

    Heads for which a rise is shown are filled and named.

    Parameters
    ----------
    change
        As `bertlab.attention.change_of_loss` returns it, sorted.
    head
        Layer and head that are drawn in orange and named, too: the clearest "previous" head.
    texts
        How many were read.

    Returns
    -------
    CaptionedFigure
    """
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


def _sheet(width: float, height: float) -> "Axes":
    """Return Axes to put boxes on, without lines around them."""
    ax = plots.axes(width=12, height=0.09 * height + 0.2)[0]
    ax.set(xlim=(-1, width + 1), ylim=(-1, height + 1))
    ax.axis("off")
    return ax


def _box(ax: "Axes", x: float, y: float, width: float, height: float, text: str, colour: str = PALE) -> None:
    """Draw a box with a text in its middle."""
    style = "round,pad=0,rounding_size=1"
    ax.add_patch(FancyBboxPatch((x, y), width, height, boxstyle=style, facecolor=colour, edgecolor="0.35"))
    _write(ax, x + width / 2, y + height / 2, text)


def _write(ax: "Axes", x: float, y: float, text: str, *, bold: bool = False, size: float = 14) -> None:
    """Write a text around a point; a dollar sign in it is one."""
    weight = "bold" if bold else "normal"
    ax.text(x, y, text, size=size, weight=weight, ha="center", va="center", parse_math=False)


def _arrow(ax: "Axes", start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw an arrow."""
    ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "linewidth": 2, "color": "0.35"})


def _numbers(vector: "Tensor") -> str:
    """Return the first three numbers of a vector."""
    return "  ".join(f"{number:.1f}" for number in vector[:3].tolist()) + "  …"

"""The drawings of lesson 4: how a layer works, the arithmetic of one head, and squares of weights."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Rectangle
from torch import Tensor

from bertlab.bert.loading import Bert
from bertlab.figures import plots
from bertlab.figures.captioned import CaptionedFigure


def inside_of_a_layer(bert: Bert) -> CaptionedFigure:
    """Show the parts of an encoder layer: attention, the feed-forward block, and the residual connections."""
    config = bert.model.config
    heads, hidden, wide = config.num_attention_heads, config.hidden_size, config.intermediate_size
    ax = _sheet(100, 30)
    boxes = [  # left edge, width, name, what leaves it
        (0, 10, "a token's\nvector", f"({hidden})"),
        (14, 14, f"attention:\n{heads} heads", f"{heads} × {hidden // heads}"),
        (31, 13, "output\nprojection", f"({hidden})"),
        (47, 13, "add,\nLayerNorm", f"({hidden})"),
        (64, 9, "wider,\nGELU", f"({wide:,})"),
        (76, 8, "back", f"({hidden})"),
        (87, 13, "add,\nLayerNorm", f"({hidden})"),
    ]
    for left, width, name, leaving in boxes:
        _box(ax, left, 8, width, 10, name, plots.HERE if name.startswith("attention") else plots.PALE)
        _write(ax, left + width / 2, 5.5, leaving)
    for (left, width, *_), (right, *_) in pairwise(boxes):
        _arrow(ax, (left + width, 13), (right, 13))
    for start, end in ((12, 53.5), (62, 93.5)):  # around attention, and around the feed-forward block
        ax.plot([start, start, end], [13, 24, 24], color="0.35", linewidth=2)
        _arrow(ax, (end, 24), (end, 18))
        _write(ax, (start + end) / 2, 26, "residual connection: as it was")
    _write(ax, 74, 20.5, "feed-forward block")
    return CaptionedFigure(
        ax,
        f"One of the {config.num_hidden_layers} layers of {bert.name}. In the yellow box (attention), each token takes "
        f"something from all tokens. In all other boxes each token is processed alone: its vector of {hidden} numbers "
        f"is mixed, expanded to {wide:,} numbers, and reduced to {hidden} again.",
    )


def formula() -> CaptionedFigure:
    """Show the formula of attention, typeset."""
    ax = _sheet(100, 44)
    text = r"$\mathrm{attention}\;=\;\mathrm{softmax}\left(\frac{Q\,K^{\mathsf{T}}}{\sqrt{d}}\right)V$"
    typeset = ax.text(50, 32, text, size=52, ha="center", va="center")
    parts = [  # left and right end of a bracket, its height, its name
        (7.5, 35.5, 18, "what a head makes"),
        (46.5, 87.5, 8, "weights"),
        (74.5, 84.5, 18, "scores"),
        (88.2, 93.2, 18, "values"),
    ]
    for left, right, height, name in parts:
        ax.plot([left, left, right, right], [height + 1.5, height, height, height + 1.5], color="0.35", linewidth=1.5)
        _write(ax, (left + right) / 2, height - 4.5, name, size=22)
    figure = CaptionedFigure(
        ax,
        "The formula of attention (Vaswani et al. 2017). The scores are the queries Q times the transposed (T) keys "
        "K, divided by the square root of the head's size d. Softmax turns scores into weights. The head's output is "
        "the weights times the values V.",
    )
    typeset.set_parse_math(True)  # the one formula that a figure draws
    return figure


def columns_of_heads(bert: Bert, head: int) -> CaptionedFigure:
    """Show which columns of a layer's queries, keys and values belong to each head."""
    heads = bert.model.config.num_attention_heads
    size = bert.model.config.hidden_size // heads
    ax = _sheet(100, 18)
    width = 100 / heads
    for number in range(heads):
        columns = f"{number * size} to {(number + 1) * size - 1}"
        _box(ax, number * width, 6, width, 8, f"head {number}", plots.HERE if number == head else plots.PALE)
        if heads <= 8 or number == head:  # more labels would overlap
            _write(ax, (number + 0.5) * width, 3, columns)
    return CaptionedFigure(
        ax,
        f"Which columns belong to which head. A layer makes a query of {heads * size} numbers for each token; keys "
        f"and values are as long. Each head takes {size} columns: head {head} takes {head * size} to "
        f"{(head + 1) * size - 1}.",
    )


def query_key_value(
    tokens: Sequence[str], vectors: dict[str, Tensor], scores: Tensor, weights: Tensor, looks: int
) -> CaptionedFigure:
    """Show how one token attends to the three with its largest weights: queries, keys, scores, weights, values, sum."""
    places = sorted(weights[looks].topk(3).indices.tolist())
    ax = _sheet(100, 58)
    _box(ax, 0, 38, 22, 10, f"query of {tokens[looks]!r}\n{_numbers(vectors['query'][looks])}", plots.HERE)
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
    _box(ax, 30, 0, 70, 8, f"what the head makes for {tokens[looks]!r}: {_numbers(vectors['made'][looks])}", plots.HERE)
    return CaptionedFigure(
        ax,
        f"How {tokens[looks]!r} looks at the three tokens that get most of its weight, "
        f"{weights[looks, places].sum():.2f} together. "
        f"Of each vector the first three of {vectors['key'].shape[1]} numbers are shown.",
    )


def weight_times_given(tokens: Sequence[str], weights: Tensor, lengths: Tensor) -> CaptionedFigure:
    """Show the length of the vector that each token gives to one token, (tokens,), and of the part that arrives."""
    arrives = weights * lengths
    ax = plots.axes(width=9, height=0.8 + 0.5 * len(tokens))[0]
    numbers = zip(weights.tolist(), lengths.tolist(), arrives.tolist(), strict=True)
    for row, (weight, whole, part) in enumerate(numbers):
        for length, colour, width in ((whole, "0.8", 9), (part, plots.PALETTE[0], 5)):
            ax.plot([0, length], [row, row], color=colour, linewidth=width, solid_capstyle="butt")
            ax.plot(length, row, marker=">", color=colour, markersize=2.2 * width, clip_on=False)
        product = f"{weight:.3f} × {whole:.2f} = {part:.2f}"
        ax.annotate(product, (whole, row), (15, 0), textcoords="offset points", size=14, va="center")
    ax.set(xlim=(0, 1.4 * float(lengths.max())), ylim=(len(tokens) - 0.4, -0.6), xlabel="length of the vector")
    ax.set_yticks(range(len(tokens)), tokens)
    looked, given = int(weights.argmax()), int(arrives.argmax())
    source = f"but most arrives from {tokens[given]!r}: {arrives[given]:.2f} against {arrives[looked]:.2f}."
    if looked == given:
        source = "and most arrives from it."
    return CaptionedFigure(
        ax,
        "Grey: the length of what each token gives. Blue: what arrives, the weight times that length. "
        f"{tokens[looked]!r} gets the largest weight, {weights[looked]:.3f}, {source}",
    )


def square(tokens: Sequence[str], weights: Tensor, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw the weights of one head, (tokens, tokens)."""
    side = min(2.0 + 0.3 * len(tokens), 6.0)
    ax = ax or plots.axes(width=side + 1.0, height=side)[0]
    plots.heatmap(weights, tokens, tokens, sequential=True, limit=1, title=title, bar="attention weight", ax=ax)
    ax.tick_params(axis="x", labelrotation=90)
    ax.set(xlabel="is looked at", ylabel="looks")
    return ax


def squares(tokens: Sequence[str], weights: Tensor) -> Axes:
    """Draw the weights of some heads side by side, (heads, tokens, tokens), and return the first one's Axes."""
    side = 2.6 if len(tokens) <= 16 else min(0.25 * len(tokens), 7.0)
    panels = plots.axes(len(weights), width=0.8 + side * len(weights), height=side + 1.5)
    for head, ax in enumerate(panels):
        square(tokens, weights[head], title=f"head {head}", ax=ax)
        ax.tick_params(labelsize=min(14.0, 60 * side / len(tokens)))  # one label per token, side by side
    for bar in filter(None, [ax.collections[0].colorbar for ax in panels[:-1]]):  # all have one scale
        bar.remove()
    for ax in panels[1:]:
        ax.set(ylabel="", yticks=[])
    return panels[0]


@plots.styled()
def rise_of_loss(change: pd.DataFrame, named: Iterable[tuple[int, int]]) -> Axes:
    """Draw how much the loss rises without each head, one row per layer, and frame the named heads."""
    # pivot_table would average a head that occurs twice, as in two tables joined; pivot refuses it.
    grid = change.pivot(index="layer", columns="head", values="change")  # noqa: PD010
    few = grid.shape[1] <= 12  # heads; with more, two decimals do not fit into a cell
    ax = plots.axes(width=11, height=1.6 + 0.5 * len(grid))[0]
    rows, bar = [f"layer {layer}" for layer in grid.index], "" if few else "nats"
    plots.heatmap(grid.clip(lower=0), rows, list(map(str, grid)), numbers=few, sequential=True, bar=bar, ax=ax)
    for layer, head in named:
        ax.add_patch(Rectangle((head, layer), 1, 1, fill=False, edgecolor="black", linewidth=3, clip_on=False))
    ax.set(xlabel="head", ylabel="")
    return ax


def _sheet(width: float, height: float) -> Axes:
    """Return empty Axes without lines around them."""
    ax = plots.axes(width=12, height=0.09 * height + 0.2)[0]
    ax.set(xlim=(-1, width + 1), ylim=(-1, height + 1))
    ax.axis("off")
    return ax


def _box(ax: Axes, x: float, y: float, width: float, height: float, text: str, colour: str = plots.PALE) -> None:
    """Draw a box with text in its middle."""
    style = "round,pad=0,rounding_size=1"
    ax.add_patch(FancyBboxPatch((x, y), width, height, boxstyle=style, facecolor=colour, edgecolor="0.35"))
    _write(ax, x + width / 2, y + height / 2, text)


def _write(ax: Axes, x: float, y: float, text: str, *, bold: bool = False, size: float = 15) -> None:
    """Write text centred on a point; a dollar sign stays one."""
    weight = "bold" if bold else "normal"
    ax.text(x, y, text, size=size, weight=weight, ha="center", va="center", parse_math=False)


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw an arrow."""
    ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "linewidth": 2, "color": "0.35"})


def _numbers(vector: Tensor) -> str:
    """Return the first three numbers of a vector as text."""
    return "  ".join(f"{number:.1f}" for number in vector[:3].tolist()) + "  …"

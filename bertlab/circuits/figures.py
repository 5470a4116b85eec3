"""The figures of lesson 9, each with a caption that states its result."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from torch import Tensor

from bertlab.evidence import listed
from bertlab.figures import PALETTE, CaptionedFigure, axes, plots


@plots.styled()
def knobs(doses: Mapping[str, pd.DataFrame], of: int) -> CaptionedFigure:
    """Draw how many answers `of` so many are right against a head's factor: a panel a head, a line a column."""
    row = axes(len(doses), width=5.2 * len(doses), height=4.4)
    panel_texts = []
    for ax, (name, table) in zip(row, doses.items(), strict=True):
        for (kind, values), colour, mark in zip(table.items(), plots.KINDS, "osD", strict=False):
            ax.plot(table.index, values, color=colour, marker=mark, linewidth=3, markersize=9, label=kind)
        ax.axhline(of / 2, color="black", linestyle="--", linewidth=1)
        ax.axvline(1, color="0.8", zorder=0)
        factors = [f"{dose:g}" for dose in table.index]
        ax.set(xlabel=f"factor of {name}", ylim=(0, 1.05 * of), xticks=list(table.index), xticklabels=factors)
        ends = [f"{kind} {values.iloc[0]} to {values.iloc[-1]}" for kind, values in table.items()]
        panel_texts.append(f"{name}, {factors[0]} to {factors[-1]}: {', '.join(ends)}")
    row[0].set(ylabel=f"right, of {of}")
    row[0].legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, edgecolor="none")  # where no curve is
    for ax in row[1:]:
        ax.set_yticklabels([])
    what = f"Right answers of {of} against a head's factor (1: as now; dashed: half)"
    return CaptionedFigure(row[0], f"{what}. With {'; with '.join(panel_texts)}.")


@plots.styled()
def circuit(names: Sequence[str], heads: Sequence[tuple[int, int, int, int]]) -> CaptionedFigure:
    """Draw heads on a sentence as arrows; `heads` are (layer, head, position that it reads, position that it fills)."""
    layers = [layer for layer, _, _, _ in heads]
    low, high = min(layers), max(layers) + 1
    ax = axes(width=max(8.0, 1.1 * len(names)), height=1.6 + 1.3 * (high - low))[0]
    used = {(read, layer) for layer, _, read, _ in heads} | {(filled, layer + 1) for layer, _, _, filled in heads}
    for x, y in ((x, y) for x in range(len(names)) for y in range(low, high + 1)):
        busy = (x, y) in used
        ax.plot(x, y, "o", color="black" if busy else "0.85", markersize=10 if busy else 6)
    groups: dict[tuple[int, int, int], list[str]] = {}
    style = {"arrowstyle": "-|>", "color": PALETTE[0], "linewidth": 3, "shrinkA": 7, "shrinkB": 7}
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    look: Any = {"ha": "center", "va": "center", "weight": "bold", "color": PALETTE[0], "bbox": box}
    for layer, head, read, filled in heads:
        groups.setdefault((layer, head, filled), []).append(repr(names[read]))
        ax.annotate("", (filled, layer + 1), (read, layer), arrowprops=style)
        near = (read + 0.35 * (filled - read), layer + 0.35)  # arrows of one head meet at their ends
        ax.annotate(f"L{layer}H{head}", near, **look)
    rows = [f"after {i} layer" + "s" * (i != 1) for i in range(low, high + 1)]
    ax.set(xticks=range(len(names)), xticklabels=names, yticks=range(low, high + 1), yticklabels=rows)
    ax.set(xlim=(-0.6, len(names) - 0.4), ylim=(high + 0.3, low - 0.3))  # layers go down, as in the map of positions
    ax.tick_params(length=0, labeltop=True, labelbottom=False)
    ax.spines[["left", "bottom"]].set_visible(False)
    head_texts = [f"L{i}H{j} from {listed(read)} to {names[filled]!r}" for (i, j, filled), read in groups.items()]
    drawn = "as arrows from the token that a head reads to where its output goes"
    return CaptionedFigure(ax, f"Heads on the sentence, {drawn}: {listed(head_texts)}.")


@plots.styled()
def pulls(texts: Sequence[str], preferences: Sequence[float] | Tensor, words: Sequence[str]) -> CaptionedFigure:
    """Draw which of two kinds of `words` each text prefers, as bars left and right of zero."""
    ax = axes(width=9, height=1.2 + 0.6 * len(texts))[0]
    values = [float(value) for value in preferences]
    ax.barh(list(texts), values, color=PALETTE[0])
    ax.axvline(0, color="black", linewidth=1)
    for y, value in enumerate(values):
        beside: Any = {"xytext": (6 if value > 0 else -6, 0), "textcoords": "offset points"}
        ax.annotate(f"{value:+.2f}", (value, y), **beside, va="center", ha="left" if value > 0 else "right")
    ax.margins(x=0.15)
    ax.invert_yaxis()
    ax.set(xlabel=f"preference, in logits (left: {words[0]}; right: {words[1]})")
    value_texts = [f"{value:+.2f} with {text!r}" for text, value in zip(texts, values, strict=True)]
    return CaptionedFigure(ax, f"How much {words[1]!r} is preferred to {words[0]!r}: {listed(value_texts)}.")

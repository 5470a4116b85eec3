"""Lesson 8's figures of the inside of a fine-tuned copy: what moved, what was forgotten, what a probe finds."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bertlab.evidence import beside_controls, holm, interval
from bertlab.evidence.controls import LEVEL
from bertlab.figures import CaptionedFigure, plots, points

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def moved(changes: "Mapping[str, float]") -> CaptionedFigure:
    """Show how far each part of a model moved in training, as a share of its own size."""
    ax = plots.axes(width=8, height=1.2 + 0.45 * len(changes))[0]
    ax.barh(list(changes), list(changes.values()), color=plots.PALETTE[0], height=0.6)
    ax.invert_yaxis()
    ax.set_xlabel("length of the change / length before")
    largest = max(changes.values())
    bound = next((f"less than {bound:g}" for bound in (0.05, 0.1, 0.5, 1, 2) if largest < bound), "up to 2 and more")
    return CaptionedFigure(
        ax,
        f"How far each of {len(changes)} parts moved in training, as a share of its own length. Every part moved by "
        f"{bound} of it.",
    )


def change_of_attention(gain: "ArrayLike") -> CaptionedFigure:
    """Show by how much more weight each head puts on the same noun after training than before."""
    values = np.asarray(gain, dtype=float)
    layers, heads = values.shape
    ax = plots.axes(width=9, height=1.6 + 0.5 * layers)[0]
    rows = [f"layer {layer}" for layer in range(1, layers + 1)]
    plots.heatmap(values, rows, [str(head) for head in range(heads)], numbers=True, limit=0.5, ax=ax)
    ax.set_xlabel("head")
    largest = np.abs(values).max()
    bound = next(bound for bound in (0.1, 0.2, 0.5, 1.01) if largest < bound)
    return CaptionedFigure(
        ax,
        "How much more weight each head puts, from a noun of the second sentence, on the same noun of the first, after "
        f"training than before: orange is more, violet less. No head has changed by {min(bound, 1):g} or more of its "
        "attention.",
    )


def forgotten(changes: "Mapping[str, ArrayLike]") -> CaptionedFigure:
    """Show by how much the loss on hidden words has risen, in the mean over sentences, with intervals."""
    rises = {name: interval(of_sentences) for name, of_sentences in changes.items()}
    ax = points(rises, x="rise of the loss on a hidden word", mark=0)
    risen = [name for name, rise in rises.items() if rise.low > 0]
    count = len(np.asarray(next(iter(changes.values()))))
    return CaptionedFigure(
        ax,
        f"By how much the loss on a hidden word rises, the mean over {count} sentences with a 95 % bootstrap interval; "
        f"the dashed line is no change. The whole interval lies above it for: {', '.join(risen) or 'none'}.",
    )


def probes(told: "Mapping[str, ArrayLike]", groups: Sequence[int]) -> CaptionedFigure:
    """Show what a linear classifier tells rightly from frozen vectors after each layer, (layers + 1, items).

    `told` has the model first, then its controls; `groups` says which items stand in one sentence.
    """
    right = {name: np.asarray(values, dtype=bool) for name, values in told.items()}
    ax = plots.lines({name: values.mean(axis=1) for name, values in right.items()}, x="layer", y="share right")
    ax.axhline(0.5, color="black", linestyle="--")
    ax.set_ylim(0.35, 1.05)
    model, *controls = right
    layers = range(len(right[model]))
    p, before = [], []
    for layer in layers:
        at_layer = {name: values[layer] for name, values in right.items()}
        table = beside_controls(at_layer, groups).table.iloc[1:]
        p.append(table["p"].max())  # ahead of each: as sure as of the one it is least ahead of
        before.append((table["ahead"] > 0).all())
    shown = [layer for layer in layers if holm(p)[layer] < LEVEL and before[layer]]
    where = f"after layer {', '.join(map(str, shown))} of 0 to {layers[-1]}" if shown else "after no layer"
    return CaptionedFigure(
        ax,
        "What a linear classifier finds in frozen vectors after each layer (0 is the embedding layer's output), on "
        f"words that it never saw; the dashed line is guessing. {model} is shown to be ahead of each of "
        f"{len(controls)} controls {where} (sentence by sentence; sign flips, corrected after Holm).",
    )

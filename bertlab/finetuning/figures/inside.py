"""Lesson 8's figures of the inside of a fine-tuned copy: what moved, what was forgotten, what a probe finds."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bertlab.evidence import beside_controls, holm, interval
from bertlab.evidence.controls import LEVEL
from bertlab.figures import CaptionedFigure, plots
from bertlab.finetuning.figures.points import points

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def moved(changes: "Mapping[str, float]") -> CaptionedFigure:
    """Show how far each part of a model moved in training, as a share of its own size.

    Parameters
    ----------
    changes
        Each part, from the input to the output, and the length of its change over its length before.

    Returns
    -------
    CaptionedFigure
    """
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
    """Show by how much more weight each head puts on the same noun after training than before.

    Parameters
    ----------
    gain : (layers, heads)

    Returns
    -------
    CaptionedFigure
    """
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
    """Show by how much the loss on hidden words has risen, in the mean over sentences, with intervals.

    Parameters
    ----------
    changes : (sentences,)
        A name, and the loss of each sentence minus that of the model before.

    Returns
    -------
    CaptionedFigure
    """
    losses_of = {name: np.asarray(values, dtype=float) for name, values in changes.items()}
    found = {name: interval(values) for name, values in losses_of.items()}
    ax = points(found, x="rise of the loss on a hidden word", mark=0)
    risen = [name for name, each in found.items() if each.low > 0]
    count = len(next(iter(losses_of.values())))
    return CaptionedFigure(
        ax,
        f"By how much the loss on a hidden word rises, the mean over {count} sentences with a 95 % bootstrap interval; "
        f"the dashed line is no change. The whole interval lies above it for: {', '.join(risen) or 'none'}.",
    )


def probes(found: "Mapping[str, ArrayLike]", groups: Sequence[int], chance: float = 0.5) -> CaptionedFigure:
    """Show what a linear classifier finds in frozen vectors after each layer, of a model and of its controls.

    Parameters
    ----------
    found : (layers + 1, items)
        A name, and whether each item was told rightly after each layer: first of the model, then of its controls.
    groups : (items,)
        Which items stand in one sentence.
    chance
        What guessing would reach.

    Returns
    -------
    CaptionedFigure
        It says after which layers the model's vectors tell more than those of each control.
    """
    right = {name: np.asarray(values, dtype=bool) for name, values in found.items()}
    ax = plots.lines({name: values.mean(axis=1) for name, values in right.items()}, x="layer", y="share right")
    ax.axhline(chance, color="black", linestyle="--")
    ax.set_ylim(min(0.35, chance), 1.05)
    layers = range(len(next(iter(right.values()))))
    compared = [beside_controls({name: values[i] for name, values in right.items()}, groups) for i in layers]
    tables = [each.table.iloc[1:] for each in compared]
    p = holm([table["p"].max() for table in tables])  # ahead of each: as sure as of the one it is least ahead of
    ahead = [i for i in layers if p[i] < LEVEL and (tables[i]["ahead"] > 0).all()]
    where = f"after layer {', '.join(map(str, ahead))} of 0 to {layers[-1]}" if ahead else "after no layer"
    model, *controls = right
    return CaptionedFigure(
        ax,
        "What a linear classifier finds in frozen vectors after each layer (0 is the embedding layer's output), on "
        f"words that it never saw; the dashed line is guessing. {model} is shown to be ahead of each of "
        f"{len(controls)} controls {where} (sentence by sentence; sign flips, corrected after Holm).",
    )

"""Lesson 8's figures of the inside of a copy: what it has forgotten, and what a probe finds."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bertlab.evidence import LEVEL, beside_controls, holm, interval, listed
from bertlab.figures import CaptionedFigure, plots, points

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def forgotten(changes: "Mapping[str, ArrayLike]") -> CaptionedFigure:
    """Show by how much the loss on hidden words has risen, in the mean over sentences, with intervals."""
    rises = {name: interval(of_sentences) for name, of_sentences in changes.items()}
    _, *controls = rises
    ax = points(rises, orange=set(controls), x="rise of the loss on a hidden word, in nats", mark=0)
    count = len(np.asarray(next(iter(changes.values()))))
    each = "; ".join(f"{name} {rise.value:+.2f} ({rise.low:.2f} to {rise.high:.2f})" for name, rise in rises.items())
    return CaptionedFigure(
        ax, f"The rise of the loss on a hidden word, the mean over {count} sentences with its 95 % interval: {each}."
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
        before.append((table["lead"] > 0).all())
    shown = [str(layer) for layer in layers if holm(p)[layer] < LEVEL and before[layer]]
    where = f"ahead after layer {listed(shown)}" if shown else "not shown to be ahead after any layer"
    own = _numbers(right[model].mean(axis=1))
    best = _numbers(np.max([right[name].mean(axis=1) for name in controls], axis=0))
    return CaptionedFigure(
        ax,
        f"The share right on words that the probe never saw, after layer 0 to {layers[-1]}: {model} {own}; the better "
        f"twin {best}. {model} is {where} (paired test).",
    )


def _numbers(values: "ArrayLike") -> str:
    return ", ".join(f"{value:.2f}" for value in np.asarray(values))

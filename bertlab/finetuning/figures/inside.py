"""Lesson 8's figures of what is inside a copy: what it has forgotten, and what a probe finds."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from bertlab.evidence import LEVEL, beside_controls, holm, interval, listed
from bertlab.figures import CaptionedFigure, plots, points


def forgotten(changes: Mapping[str, ArrayLike]) -> CaptionedFigure:
    """Draw the rise of the mean loss on hidden words, with intervals."""
    rises = {name: interval(by_sentence) for name, by_sentence in changes.items()}
    _, *controls = rises
    ax = points(rises, grey=set(controls), x="rise of the loss on a hidden word, in nats", mark=0)
    count = len(np.asarray(next(iter(changes.values()))))
    values = "; ".join(f"{name} {rise.value:+.2f} ({rise.low:.2f} to {rise.high:.2f})" for name, rise in rises.items())
    return CaptionedFigure(
        ax, f"The rise of the loss on a hidden word, the mean over {count} sentences with its 95 % interval: {values}."
    )


def probes(answers: Mapping[str, ArrayLike], groups: Sequence[int]) -> CaptionedFigure:
    """Draw the share that a linear classifier gets right from the frozen vectors after each layer.

    `answers` says which items are right, (layers + 1, items), first for the model and then for its controls; `groups`
    is the sentence of each item.
    """
    right = {name: np.asarray(values, dtype=bool) for name, values in answers.items()}
    shares = {name: values.mean(axis=1) for name, values in right.items()}
    colours = (plots.PALETTE[0], plots.TWIN, "0.7")
    ax = plots.lines(shares, x="layer", y="share right", colours=colours)
    ax.axhline(0.5, color="black", linestyle="--")
    ax.set_ylim(0.35, 1.05)
    model, *controls = right
    layers = range(len(right[model]))
    p, leads = [], []
    for layer in layers:
        at_layer = {name: values[layer] for name, values in right.items()}
        table = beside_controls(at_layer, groups).table.iloc[1:]
        p.append(table["p"].max())  # that of the control which is nearest
        leads.append((table["lead"] > 0).all())
    shown = [str(layer) for layer, p_layer in enumerate(holm(p)) if p_layer < LEVEL and leads[layer]]
    where = f"ahead after layer {listed(shown)}" if shown else "not significantly ahead after any layer"
    mean = _numbers(right[model].mean(axis=1))
    best = _numbers(np.max([right[name].mean(axis=1) for name in controls], axis=0))
    return CaptionedFigure(
        ax,
        f"The share right of words that the probe never saw, after layer 0 to {layers[-1]}: {model} {mean}; the better "
        f"twin {best}. {model} is {where} (paired test).",
    )


def _numbers(values: ArrayLike) -> str:
    return ", ".join(f"{value:.2f}" for value in np.asarray(values))

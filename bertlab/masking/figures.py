"""The figures of lesson 6, each with the caption that says in words what it shows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from bertlab.evidence import verdict
from bertlab.evidence.controls import LEVEL
from bertlab.figures import PALETTE, CaptionedFigure, axes, heatmap, shares

if TYPE_CHECKING:
    import pandas as pd
    from torch import Tensor

NEARLY_NONE = 0.01
"""A line at a smaller share would lie on the axis."""


def most_probable(answers: "pd.DataFrame", text: str, vocabulary: int) -> CaptionedFigure:
    """Draw the first answers of the fill-mask pipeline as bars, the most probable on top.

    Parameters
    ----------
    answers
        With the columns ``token_str`` and ``score``, as the pipeline gives them.
    text
        What was asked.
    vocabulary
        How many pieces share the probability.

    Returns
    -------
    bertlab.figures.CaptionedFigure
    """
    ax = axes(width=8, height=0.7 + 0.5 * len(answers))[0]
    ax.barh(answers["token_str"], answers["score"], color=PALETTE[0])
    ax.invert_yaxis()  # the first on top
    ax.set(xlabel="probability")
    caption = (
        f"The {len(answers)} pieces that are most probable in the place of [MASK] in {text!r} They have "
        f"{answers['score'].sum():.2f} together; the other {vocabulary - len(answers):,} pieces of the vocabulary "
        "share the rest."
    )
    return CaptionedFigure(ax, caption)


def right_answers(table: "pd.DataFrame", what: str, chance: float, groups: str) -> CaptionedFigure:
    """Draw how often each way is right, the first beside its controls, and say what that shows.

    Parameters
    ----------
    table
        As `bertlab.evidence.beside_controls` returns it.
    what
        What each item is, in the plural: ``"pairs"``.
    chance
        The share that guessing reaches; said and not drawn where it is nearly none.
    groups
        What items belong together in, in the plural: ``"sentences"``. Not used where each item stands alone.

    Returns
    -------
    bertlab.figures.CaptionedFigure
    """
    intervals = list(zip(table["low"], table["high"], strict=True))
    seen = chance >= NEARLY_NONE
    ax = shares(table.index.tolist(), table["share"].tolist(), intervals, chance=chance if seen else None)
    ax.set(xlabel="share that is right")
    number = table.attrs["groups"]
    drawn = f" over {number:,} {groups}" if number < table.attrs["items"] else ""
    guessing = "" if seen else f" Guessing is right in one of {1 / chance:,.0f}."
    unit = groups if drawn else what
    caption = f"{verdict(table, what)} The lines are 95 % intervals{drawn}.{guessing}{_though_above(table, unit)}"
    return CaptionedFigure(ax, caption)


def _though_above(table: "pd.DataFrame", unit: str) -> str:
    """Say why what lies below the first way's interval is not shown to: how few decide, and how p was corrected."""
    controls = table.iloc[1:]
    corrected = f", corrected for {len(controls)} controls" if len(controls) > 1 else ""
    said = ""
    for name, row in controls[(controls["share"] < table["low"].iloc[0]) & (controls["p"] >= LEVEL)].iterrows():
        said += (
            f" The interval lies above {row.share:.2f}, and yet: only {table.attrs['differ'][name]} of "
            f"{table.attrs['groups']:,} {unit} tell {table.index[0]} from {name}. These alone decide: "
            f"p = {row.p:.3f}{corrected}."
        )
    return said


def piece_scores(texts: Sequence[str], pieces: Sequence[Sequence[str]], scores: "Sequence[Tensor]") -> CaptionedFigure:
    """Draw the log-probability of each piece of two texts that have equally many, below each other.

    Parameters
    ----------
    texts
        Two sentences.
    pieces
        The pieces of each.
    scores : (pieces,) each
        For each text the log-probability of each piece when it is hidden.

    Returns
    -------
    bertlab.figures.CaptionedFigure

    Raises
    ------
    ValueError
        If the texts do not have equally many pieces.
    """
    first, second = pieces
    if len(first) != len(second):
        raise ValueError(
            f"{texts[0]!r} has {len(first)} pieces and {texts[1]!r} has {len(second)}; only texts with the same "
            "number compare. Take words that are not split, or as many of them."
        )
    names = [a if a == b else f"{a} / {b}" for a, b in zip(first, second, strict=True)]
    values = torch.stack(list(scores))  # (2, pieces)
    totals = values.sum(dim=-1)  # (2,)
    ax = heatmap(values, rows=list(texts), columns=names, numbers=True)
    caption = (
        f"The log-probability of each piece when it is hidden. They add up to {totals[0]:.1f} for the first sentence "
        f"and {totals[1]:.1f} for the second. The largest difference is at "
        f"{names[int((values[0] - values[1]).abs().argmax())]!r}."
    )
    return CaptionedFigure(ax, caption)


def leans(words: Sequence[str], values: "Tensor", model: str) -> CaptionedFigure:
    """Draw how far a model moves from its prior after each word, a dot a sentence, in the order of the means.

    Parameters
    ----------
    words
        The occupations.
    values : (words, sentences)
        The logarithm of 'he' to 'she', minus the same with 'person'.
    model
        Its name.

    Returns
    -------
    bertlab.figures.CaptionedFigure
        The upper half of the order on the left.
    """
    order = values.mean(dim=1).argsort(stable=True).tolist()
    limits = values.min().item() - 0.1, values.max().item() + 0.1
    halves = order[len(order) // 2 :], order[: len(order) // 2]
    left, right = axes(2, width=11, height=1.1 + 0.27 * len(halves[0]))
    for ax, half in zip((left, right), halves, strict=True):
        for row, word in enumerate(half):
            ax.plot(values[word], np.full(values.shape[1], row), "o-", color=PALETTE[0], alpha=0.8)
        ax.axvline(0, color="black", linestyle="--")
        ax.set_yticks(range(len(half)), [words[word] for word in half])
        ax.set(xlim=limits, xlabel="to 'she'  <  as for 'person'  >  to 'he'")
    one_sided = int((values.sign().sum(dim=1).abs() == values.shape[1]).sum())
    caption = (
        f"How far {model} moves from its prior after each of {len(order)} occupations, in order, the upper half on "
        f"the left: the logarithm of 'he' to 'she', minus the same with 'person'; one to the right is 2.7 times the "
        f"ratio. Each dot is one of {values.shape[1]} sentences. For {one_sided} occupations all dots lie on one side "
        "of the line. It describes the model, not people."
    )
    return CaptionedFigure(left, caption)

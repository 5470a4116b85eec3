"""The figures of lesson 6, each with the caption that says in words what it shows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from bertlab.evidence import Comparison, verdict
from bertlab.figures import PALETTE, CaptionedFigure, axes, heatmap, shares_beside_controls

if TYPE_CHECKING:
    import pandas as pd
    from torch import Tensor

NEARLY_NONE = 0.01  # a line at a smaller share would lie on the axis


def most_probable(answers: "pd.DataFrame", text: str, vocabulary: int) -> CaptionedFigure:
    """Draw the first answers of the fill-mask pipeline as bars, the most probable on top."""
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


def change_of_answers(before: "pd.DataFrame", after: "pd.DataFrame") -> tuple[str, str]:
    """Return what changed from some answers of the fill-mask pipeline to others, and the first of both in words."""
    words, others = before["token_str"].tolist(), after["token_str"].tolist()
    changed = "their order" if set(words) == set(others) else "the words"
    first = f"{words[0]!r} has {before['score'][0]:.2f} with it"
    return (
        "only the numbers" if words == others else changed,
        f"{first}, {others[0]!r} has {after['score'][0]:.2f} without.",
    )


def right_answers(compared: Comparison, what: str, chance: float, groups: str) -> CaptionedFigure:
    """Draw how often each way is right on `what` ("facts"), which come in `groups` ("swaps"), and what that shows."""
    seen = chance >= NEARLY_NONE
    ax = shares_beside_controls(compared, chance if seen else None)
    ax.set(xlabel="share that is right")
    drawn = f" over {compared.groups:,} {groups}" if compared.groups < compared.items else ""
    guessing = "" if seen else f" Guessing is right in one of {1 / chance:,.0f}."
    return CaptionedFigure(ax, f"{verdict(compared, what)} The lines are 95 % intervals{drawn}.{guessing}")


def piece_scores(texts: Sequence[str], pieces: Sequence[Sequence[str]], scores: "Sequence[Tensor]") -> CaptionedFigure:
    """Draw the log-probability of each piece, when hidden, of two texts with equally many, below each other."""
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
    """Draw how far a model moves from its prior after each word, (words, sentences), in the order of the means."""
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

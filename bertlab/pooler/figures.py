"""The figures of lesson 2, each drawn and put into words, which are computed from what is drawn, by one call."""

import textwrap
from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from bertlab.evidence import Comparison, beside_controls, holm, verdict
from bertlab.evidence.controls import LEVEL, p_value
from bertlab.figures import CaptionedFigure, plots, shares_beside_controls

THRESHOLD = 0.5  # above it, the next-sentence head says "is next"
LETTERS = plots.STYLE["font.size"]


def does_it_follow(first: str, seconds: Sequence[str], probabilities: Tensor) -> CaptionedFigure:
    """Show how probable it is that each of several sentences follows the first, as bars."""
    values = probabilities.tolist()
    ax = plots.axes(width=10, height=1.2 + 0.7 * len(values))[0]
    places = range(len(values))
    ax.barh(places, values, color=plots.PALETTE[0], height=0.6)
    for place, value in zip(places, values, strict=True):
        ax.annotate(f"{value:.2f}", (value, place), (8, 0), textcoords="offset points", va="center", fontsize=LETTERS)
    ax.set_yticks(places, [textwrap.fill(second, 36) for second in seconds])
    ax.set(xlim=(0, 1.12), xticks=np.linspace(0, 1, 6), xlabel="probability that it follows")
    ax.invert_yaxis()  # the first sentence on top
    best, worst = int(np.argmax(values)), int(np.argmin(values))
    return CaptionedFigure(
        ax,
        f"“{first}” What comes next? The next-sentence head gives “{seconds[best]}” the highest probability, "
        f"{values[best]:.2f}, and “{seconds[worst]}” the lowest, {values[worst]:.2f}.",
    )


def tokens_and_pooled(tokens: Sequence[str], last: Tensor, pooled: Tensor, features: int = 48) -> CaptionedFigure:
    """Show the tokens' vectors after the last layer and, framed below them, the text's pooled vector."""
    rows = [*tokens, "pooled"]
    drawn = torch.cat([last, pooled[None]])[:, :features]
    return CaptionedFigure(
        plots.heatmap(drawn, rows=rows, limit=3, highlight=len(rows) - 1),
        f"The first {drawn.shape[1]} of {last.shape[1]} numbers of each token's vector after the last layer and, "
        f"framed, of the one pooled vector of the text. Violet is below zero, orange above; colours end at 3. The "
        f"largest number in size is {last.abs().max():.1f} among the tokens' and {pooled.abs().max():.1f} in it.",
    )


def before_and_after_tanh(before: Tensor, after: Tensor, features: int = 10) -> CaptionedFigure:
    """Show what tanh makes of a vector, in some features evenly spread from the smallest in size to the largest."""
    order = before.abs().argsort()
    some = order[torch.linspace(0, len(order) - 1, features).long()]
    drawn = torch.stack([before, after])[:, some]
    return CaptionedFigure(
        plots.heatmap(drawn, rows=["before tanh", "after tanh"], numbers=True),
        f"One text's pooled vector before and after tanh, in {features} of {len(order)} features, from the smallest in "
        "size to the largest. tanh leaves small numbers nearly as they are and brings large ones near to 1 or -1: the "
        f"largest was {before[order[-1]]:.2f} and is {after[order[-1]]:.2f} now.",
    )


def pairs_judged_right(compared: Comparison) -> CaptionedFigure:
    """Show how often each way tells pairs that follow from pairs that do not, beside guessing."""
    name, low, high = compared.table.index[0], *compared.table[["low", "high"]].iloc[0]
    lies = "lies above it" if low > THRESHOLD else "lies below it" if high < THRESHOLD else "does not exclude it"
    return CaptionedFigure(
        shares_beside_controls(compared, chance=0.5),
        f"Share of pairs judged right, half of which follow, with 95 % bootstrap intervals over {compared.groups}"
        f" texts. {verdict(compared, 'pairs')} Guessing reaches 0.50, and the interval of {name} {lies}.",
    )


def nearest_of_the_same_text(compared: Comparison, chance: float) -> CaptionedFigure:
    """Show for how many sentences the nearest other vector is that of a sentence of the same text."""
    return CaptionedFigure(
        shares_beside_controls(compared, chance),
        "Share of sentences whose nearest other vector belongs to a sentence of the same text, with 95 % bootstrap "
        f"intervals over {compared.groups} texts. Guessing would reach {chance:.2f}. {verdict(compared, 'sentences')}",
    )


def followers_and_others(kinds: Mapping[str, Tensor], groups: Sequence[Hashable]) -> CaptionedFigure:
    """Show the probability of "is next" for pairs of several kinds, each pair a point, first of those that follow.

    The pairs at one place in all kinds belong together; `groups` says of which text they are.
    """
    ax = plots.axes(width=10, height=1.4 + 0.9 * len(kinds))[0]
    for place, values in enumerate(kinds.values()):
        ax.scatter(values.numpy(), place + plots.apart(len(values)), s=26, alpha=0.6, color=plots.PALETTE[place])
    ax.axvline(THRESHOLD, color="black", linestyle="--")
    ax.text(THRESHOLD, 1.02, "threshold", transform=ax.get_xaxis_transform(), ha="center", fontsize=LETTERS)
    ax.set_yticks(range(len(kinds)), list(kinds))
    ax.set(xlim=(-0.02, 1.02), ylim=(len(kinds) - 0.5, -0.5), xlabel="probability of “is next”")
    above = ", ".join(f"{float((values > THRESHOLD).float().mean()):.2f} of “{name}”" for name, values in kinds.items())
    told = _told_apart(kinds, groups)
    return CaptionedFigure(ax, f"Each point is a pair. Right of the threshold, as “is next”, lie {above}. {told}")


def _told_apart(kinds: Mapping[str, Tensor], groups: Sequence[Hashable]) -> str:
    """Say how well each other kind of pairs is told from the first, at any threshold and case by case."""
    from sklearn.metrics import roc_auc_score

    (true, followers), *others = kinds.items()
    comparisons = []
    for _, values in others:  # a tie counts for neither
        comparisons.append(beside_controls({"follower": followers > values, "other": values > followers}, groups))
    corrected = holm([compared.table["p"].iloc[1] for compared in comparisons])
    over = f"(intervals and p over {len(set(groups))} texts)"
    sentences = [f"A case is a pair of “{true}” and the pair of another kind that belongs to it {over}."]
    for (name, values), compared, p in zip(others, comparisons, corrected, strict=True):
        (own, other), told = compared.table.to_dict("records"), "not shown to be told apart"
        if p < LEVEL:
            told = "told apart" if own["share"] > other["share"] else "taken for less"
        area = roc_auc_score([1] * len(followers) + [0] * len(values), torch.cat([followers, values]))
        sentences.append(
            f"“{true}” beside “{name}”: the higher probability in {round(own['share'] * compared.items)} of "
            f"{compared.items} cases ({own['share']:.2f} [{own['low']:.2f}, {own['high']:.2f}], {p_value(p)}), "
            f"AUC {area:.2f}: {told}."
        )
    return " ".join(sentences)

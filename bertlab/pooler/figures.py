"""The figures of lesson 2, each drawn and put into words by one call.

A caption is computed from what its figure draws, so it says what this model shows, whatever model that is.
"""

import textwrap
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from bertlab.evidence import beside_controls, holm, verdict
from bertlab.evidence.controls import LEVEL, p_value
from bertlab.figures import plots
from bertlab.figures.captioned import CaptionedFigure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

THRESHOLD = 0.5
"""Above it, the next-sentence head says "is next"."""

LETTERS = plots.STYLE["font.size"]


def does_it_follow(first: str, seconds: Sequence[str], probabilities: Tensor) -> CaptionedFigure:
    """Show how probable it is that each of several sentences follows the first, as bars.

    Parameters
    ----------
    first
    seconds
    probabilities : (sentences,)
        Of "is next", for each of `seconds`.

    Returns
    -------
    CaptionedFigure
    """
    values = probabilities.tolist()
    plots.refuse_other_number(seconds, len(values), "probabilities")
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
    """Show the tokens' vectors after the last layer and, framed below them, the text's pooled vector.

    Parameters
    ----------
    tokens
    last : (tokens, hidden)
    pooled : (hidden,)
    features
        How many numbers of each vector are drawn, from the first one on.

    Returns
    -------
    CaptionedFigure
    """
    rows = [*tokens, "pooled"]
    drawn = torch.cat([last, pooled[None]])[:, :features]
    return CaptionedFigure(
        plots.heatmap(drawn, rows=rows, limit=3, highlight=len(rows) - 1),
        f"The first {drawn.shape[1]} of {last.shape[1]} numbers of each token's vector after the last layer and, "
        f"framed, of the one pooled vector of the text. Violet is below zero, orange above; colours end at 3. The "
        f"largest number in size is {last.abs().max():.1f} among the tokens' and {pooled.abs().max():.1f} in it.",
    )


def before_and_after_tanh(before: Tensor, after: Tensor, features: int = 10) -> CaptionedFigure:
    """Show what tanh makes of a vector, in some features from the smallest in size to the largest.

    Parameters
    ----------
    before, after : (hidden,)
    features
        How many are drawn, evenly spread over the order of sizes.

    Returns
    -------
    CaptionedFigure
    """
    order = before.abs().argsort()
    some = order[torch.linspace(0, len(order) - 1, features).long()]
    drawn = torch.stack([before, after])[:, some]
    return CaptionedFigure(
        plots.heatmap(drawn, rows=["before tanh", "after tanh"], numbers=True),
        f"One text's pooled vector before and after tanh, in {features} of {len(order)} features, from the smallest in "
        "size to the largest. tanh leaves small numbers nearly as they are and brings large ones near to 1 or -1: the "
        f"largest was {before[order[-1]]:.2f} and is {after[order[-1]]:.2f} now.",
    )


def pairs_judged_right(table: "DataFrame") -> CaptionedFigure:
    """Show how often each way tells pairs that follow from pairs that do not, beside guessing.

    Parameters
    ----------
    table
        Of `bertlab.evidence.beside_controls`, with groups: the texts.

    Returns
    -------
    CaptionedFigure
    """
    low, high = table["low"].iloc[0], table["high"].iloc[0]
    place = "lies above it" if low > THRESHOLD else "lies below it" if high < THRESHOLD else "does not exclude it"
    return CaptionedFigure(
        _shares(table, chance=0.5),
        f"Share of pairs judged right, half of which follow, with 95 % bootstrap intervals over {table.attrs['groups']}"
        f" texts. {verdict(table, 'pairs')} Guessing reaches 0.50, and the interval of {table.index[0]} {place}.",
    )


def nearest_of_the_same_text(table: "DataFrame", chance: float) -> CaptionedFigure:
    """Show for how many sentences the nearest other vector is that of a sentence of the same text.

    Parameters
    ----------
    table
        Of `bertlab.evidence.beside_controls`, with groups: the texts.
    chance
        What guessing would reach.

    Returns
    -------
    CaptionedFigure
    """
    return CaptionedFigure(
        _shares(table, chance=chance),
        "Share of sentences whose nearest other vector belongs to a sentence of the same text, with 95 % bootstrap "
        f"intervals over {table.attrs['groups']} texts. Guessing would reach {chance:.2f}. "
        f"{verdict(table, 'sentences')}",
    )


def followers_and_others(kinds: Mapping[str, Tensor], groups: Sequence[Hashable] | None = None) -> CaptionedFigure:
    """Show the probability of "is next" for pairs of several kinds, each pair a point, with the threshold.

    Parameters
    ----------
    kinds : (pairs,)
        First the pairs that follow, then other kinds. The pairs at one place in all of them belong together: the same
        first sentence, or the same two sentences turned round.
    groups : (pairs,)
        Which places are not independent of each other: the text of each pair that follows.

    Returns
    -------
    CaptionedFigure
        The caption says what lies above the threshold, then how well each other kind is told from the first.
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


def _told_apart(kinds: Mapping[str, Tensor], groups: Sequence[Hashable] | None) -> str:
    """Say how well each other kind of pairs is told from the first, at any threshold and case by case."""
    from sklearn.metrics import roc_auc_score

    (true, followers), *others = kinds.items()
    tables = [_cases(followers, values, groups) for _, values in others]
    corrected = holm([1.0 if table is None else table["p"].iloc[1] for table in tables])
    over = f" (intervals and p over {len(set(groups))} texts)" if groups is not None else ""
    said = f"A case is a pair of “{true}” and the pair of another kind that belongs to it{over}."
    for (name, values), table, p in zip(others, tables, corrected, strict=True):
        area = roc_auc_score([1] * len(followers) + [0] * len(values), torch.cat([followers, values]))
        said += f" “{true}” beside “{name}”: "
        if table is None:
            alike, says = "but in one text", "not shown to be told apart"  # no interval over texts
            if torch.equal(followers, values):
                alike, says = "", "not told apart"
            said += f"{' '.join(['all probabilities are the same', alike]).strip()}, AUC {area:.2f}: {says}."
            continue
        own, cases = table.iloc[0], table.attrs["items"]
        shown = "told apart" if own["share"] > 0.5 else "taken for less"
        said += (
            f"the higher probability in {round(own['share'] * cases)} of {cases} cases "
            f"({own['share']:.2f} [{own['low']:.2f}, {own['high']:.2f}], {p_value(p)}), AUC {area:.2f}: "
            f"{shown if p < LEVEL else 'not shown to be told apart'}."
        )
    return said


def _cases(followers: Tensor, others: Tensor, groups: Sequence[Hashable] | None) -> "DataFrame | None":
    """Return how often either has the higher probability, as two ways; nothing where too few of them differ."""
    unequal = followers != others  # ties tell nothing
    left = None if groups is None else [group for group, tells in zip(groups, unequal, strict=True) if tells]
    if not unequal.any() or (left is not None and len(set(left)) == 1):
        return None
    higher = (followers > others)[unequal]
    return beside_controls({"follower": higher, "other": ~higher}, left)


def _shares(table: "DataFrame", chance: float) -> "Axes":
    """Draw a table of `bertlab.evidence.beside_controls` as bars."""
    return plots.shares(
        list(table.index), table["share"].tolist(), list(zip(table["low"], table["high"], strict=True)), chance=chance
    )

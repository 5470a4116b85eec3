"""The figures of lesson 6, each with a caption that states its result."""

import textwrap
from collections.abc import Mapping, Sequence

import pandas as pd
import torch
from torch import Tensor

from bertlab.figures import PALETTE, CaptionedFigure, axes, heatmap, plots


def empty_bars(words: Sequence[str], text: str) -> CaptionedFigure:
    """Draw an empty bar for each word that a student expects in a gap, the surest on top."""
    ax = axes(width=8, height=0.7 + 0.5 * len(words))[0]
    ax.barh(range(len(words)), [1] * len(words), fill=False, edgecolor=plots.TWIN, linestyle="--")
    names = [word or f"your word {rank}" for rank, word in enumerate(words, start=1)]
    ax.set(yticks=range(len(words)), yticklabels=names, xticks=[], xlabel="probability: how sure are you?")
    ax.invert_yaxis()
    return CaptionedFigure(ax, f"An empty bar for each of the {len(words)} words that you expect at {text!r}.")


def most_probable(answers: pd.DataFrame, text: str, vocabulary: int) -> CaptionedFigure:
    """Draw the answers of the fill-mask pipeline as bars, the most probable on top."""
    ax = axes(width=8, height=0.7 + 0.5 * len(answers))[0]
    ax.barh(answers["token_str"], answers["score"], color=PALETTE[0])
    ax.invert_yaxis()
    ax.set(xlabel="probability")
    caption = (
        f"The {len(answers)} most probable pieces at {text!r}: together they get {answers['score'].sum():.2f}; the "
        f"other {vocabulary - len(answers):,} pieces of the vocabulary share the rest."
    )
    return CaptionedFigure(ax, caption)


def change_of_answers(before: pd.DataFrame, after: pd.DataFrame) -> tuple[str, str]:
    """Return what differs between two answers of the fill-mask pipeline: numbers (a), order (b) or words (c)."""
    words, words_after = before["token_str"].tolist(), after["token_str"].tolist()
    letter, changed = ("b", "the order changes") if set(words) == set(words_after) else ("c", "the words change")
    if words == words_after:
        letter, changed = "a", "only the numbers change"
    first = f"with the full stop {words[0]!r} comes first with {before['score'][0]:.2f}"
    return letter, f"{changed}; {first}, without it {words_after[0]!r} with {after['score'][0]:.2f}."


@plots.styled()
def right_answers(counts: Mapping[str, int], of: int, what: str) -> CaptionedFigure:
    """Draw how many of `what` ("words") each method gets right; those named like the first, up to a comma, are blue."""
    ax = axes(width=8, height=1.1 + 0.6 * len(counts))[0]
    (first, best), *rest = counts.items()
    own = first.partition(",")[0]
    colours = [PALETTE[not name.startswith(own)] if "twin" not in name else plots.TWIN for name in counts]
    bars = ax.barh([textwrap.fill(name, 26) for name in counts], list(counts.values()), color=colours, height=0.6)
    ax.bar_label(bars, [f"{count:,}" for count in counts.values()], padding=6)
    ax.set(xlim=(0, 1.12 * of), xlabel=f"right, of {of:,} {what}")
    ax.invert_yaxis()  # the first name on top
    others = "; ".join(f"{name}: {count:,}" for name, count in rest)
    return CaptionedFigure(ax, f"{first}: {best:,} of {of:,} {what} are right; {others}.")


def piece_scores(texts: Sequence[str], pieces: Sequence[Sequence[str]], scores: Sequence[Tensor]) -> CaptionedFigure:
    """Draw the log-probability of each hidden piece of two texts that have the same number of pieces."""
    names = [a if a == b else f"{a} / {b}" for a, b in zip(*pieces, strict=True)]
    values = torch.stack(list(scores))  # (2, pieces)
    totals = values.sum(dim=-1)  # (2,)
    ax = heatmap(values, rows=list(texts), columns=names, numbers=True)
    most = names[int((values[0] - values[1]).abs().argmax())]
    caption = (
        "The log-probability of each piece when it is hidden. They add up to "
        f"{totals[0]:.1f} for the first sentence and {totals[1]:.1f} for the second. They differ most at {most!r}."
    )
    return CaptionedFigure(ax, caption)


def marked(text: str, found: pd.DataFrame) -> str:
    """Return a text in which each doubtful word is marked, as ``[then → than 0.98]``."""
    parts, end = [], 0
    places = zip(found["start"].tolist(), found["end"].tolist(), strict=True)
    for (start, stop), suggestion, probability in zip(places, found["suggestion"], found["probability"], strict=True):
        sure = f"{probability:.2f}".replace("1.00", ">0.99")
        parts += [text[end:start], f"[{text[start:stop]} → {suggestion} {sure}]"]
        end = stop
    lines = "".join([*parts, text[end:]]).split("\n")
    return "\n".join(textwrap.fill(line, 100, break_long_words=False, break_on_hyphens=False) for line in lines)

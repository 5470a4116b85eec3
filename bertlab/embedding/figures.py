"""The figures of lesson 1, each with a caption that is computed from the data it shows."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from torch import Tensor

from bertlab.bert.reading import Reading
from bertlab.figures import CaptionedFigure, axes, heatmap, plots

FEATURES, COLOURED = 10, 48  # how many numbers of a vector fit beside each other: written, and as colours alone


def token_vectors(reading: Reading) -> CaptionedFigure:
    """Show the output of the embedding layer as colours, and say whether the rows of a repeated token differ."""
    tokens, vectors = reading.tokens, reading.hidden[0]
    features = vectors[:, :COLOURED]
    repeated = _repeated(tokens)
    if repeated is None:
        comparison = "No token occurs twice."
    else:
        last = len(tokens) - 1 - tokens[::-1].index(repeated)
        difference = (vectors[tokens.index(repeated)] - vectors[last]).abs().max()
        result = f"differ by up to {difference:.2f}" if difference > 0 else "are the same"
        comparison = f"The rows of the first and the last '{repeated}' {result}."
    ax = heatmap(features, rows=tokens, bar="value")
    ax.set_xlabel("features")
    return CaptionedFigure(
        ax,
        f"Each row is a token's vector, the first {features.shape[1]} of its {vectors.shape[1]} numbers. Orange is "
        f"above zero, violet below. {comparison}",
    )


def lookup(reading: Reading, rows: Tensor, place: int) -> CaptionedFigure:
    """Show the rows of the word table that a text's ids select, (tokens, hidden), one of them in a frame."""
    ids = reading.ids.tolist()
    names = [f"{token}  {number}" for token, number in zip(reading.tokens, ids, strict=True)]
    repeated = _repeated(reading.tokens)
    same = f" Wherever '{repeated}' appears, its row is the same." if repeated else ""
    return CaptionedFigure(
        _with_numbers(rows, names, highlight=place),
        f"The text's {len(names)} tokens with their ids, and the row that each id selects from the word table. The "
        f"frame is around row {ids[place]}.{same}",
    )


def addition(reading: Reading, place: int, rows: Sequence[Tensor], total: Tensor) -> CaptionedFigure:
    """Show a token's word row, position row and segment row, and their sum, (hidden,) each."""
    names = [f"word: {reading.tokens[place]}", f"+ position {place}", f"+ segment {reading.segments[place]}", "= sum"]
    return CaptionedFigure(
        _with_numbers([*rows, total], names, highlight=len(rows)),
        f"The sum for the token at position {place} (counted from 0), in {len(total[:FEATURES])} features. Each number "
        "in the last row is the sum of those above it, before rounding.",
    )


def positions(cosines: Mapping[str, Tensor], neighbours: Mapping[str, object]) -> CaptionedFigure:
    """Show the cosines of models' position rows, (positions, positions); `neighbours` counts nearest neighbours."""
    count = len(next(iter(cosines.values())))
    marks = [str(place) if place % 8 == 0 else "" for place in range(count)]
    panels = axes(len(cosines), height=4.4)
    for ax, (name, matrix) in zip(panels, cosines.items(), strict=True):
        heatmap(matrix, rows=marks, columns=marks, limit=1, title=name, bar="cosine", ax=ax)
        ax.set(xlabel="position", ylabel="position")
    # Of count - 1 other rows two are neighbours', and one at either end: (2 (count - 2) + 2) / (count - 1) is 2.
    numbers = ", ".join(f"{number} in {name}" for name, number in neighbours.items())
    return CaptionedFigure(
        panels[0],
        f"Cosines of the rows of the first {count} positions, each with each. Positions whose most similar row is "
        f"a neighbour's: {numbers}, 2 by random picking.",
    )


@plots.styled()
def kinds(right: Mapping[str, Sequence[bool]], kind_of_each: Sequence[str], of_twins: Sequence[int]) -> CaptionedFigure:
    """Show, for each kind of words, the share that a model and a rule get right; `of_twins` are counts of words."""
    (model, rule), words = right, len(kind_of_each)
    by_kind = pd.DataFrame(right).groupby(list(kind_of_each))
    sizes, shares = by_kind.size(), by_kind.mean().sort_values(model, ascending=False, kind="stable")
    half = -(-len(shares) // 2)
    panels = axes(2, height=6)
    for ax, part in zip(panels, (shares[:half], shares[half:]), strict=True):
        counts = [f"{share * size:.0f} of {size}" for share, size in zip(part[model], sizes[part.index], strict=True)]
        ax.bar_label(ax.barh(part.index, part[model], color=plots.PALETTE[0]), counts, padding=4)
        ax.barh(part.index, part[rule], color=plots.PALETTE[1], height=0.3)
        ax.set(xlim=(0, 1.35), xticks=[0, 0.5, 1], xticklabels=["0", "50 %", "100 %"], xlabel="share of its words")
        ax.invert_yaxis()
    return CaptionedFigure(
        panels[0],
        f"For each kind, the words whose nearest word is of that kind: {model} (blue; {sum(right[model])} of {words} "
        f"in all), {rule} (orange; {sum(right[rule])}). Untrained twins reach {min(of_twins)} to {max(of_twins)}.",
    )


def _with_numbers(rows: Sequence[Tensor] | Tensor, names: list[str], highlight: int | None = None) -> Axes:
    """Draw the first features of each vector, one row per vector, with their numbers."""
    features = [row[:FEATURES].tolist() for row in rows]
    ax = heatmap(
        features, rows=names, columns=[str(i) for i in range(len(features[0]))], numbers=True, highlight=highlight
    )
    ax.set_xlabel("feature")
    return ax


def _repeated(tokens: list[str]) -> str | None:
    """Return the first token that occurs more than once, or None."""
    return next((token for token in tokens if tokens.count(token) > 1), None)

"""The figures of lesson 1, each with its caption: they draw what a cell computed, and say it in words."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from torch import Tensor

from bertlab.embedding.similarity import cosine
from bertlab.evidence import Comparison, verdict
from bertlab.figures import CaptionedFigure, arrows, axes, heatmap, shares_beside_controls

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bertlab.bert.reading import Reading

FEATURES, COLOURED = 10, 48  # how many numbers of a vector fit beside each other: written, and as colours alone


def token_vectors(reading: "Reading") -> CaptionedFigure:
    """Show what leaves the embedding layer as colours, and say whether a token that comes twice has two rows."""
    tokens, vectors = reading.tokens, reading.hidden[0]
    shown = vectors[:, :COLOURED]
    twice = next((token for token in tokens if tokens.count(token) > 1), None)
    if twice is None:
        repeated = "No token occurs twice in this text."
    else:
        last = len(tokens) - 1 - tokens[::-1].index(twice)
        apart = (vectors[tokens.index(twice)] - vectors[last]).abs().max()
        compared = f"not the same: their numbers differ by up to {apart:.2f}" if apart > 0 else "the same"
        repeated = f"'{twice}' occurs {tokens.count(twice)} times. Its first and its last row are {compared}."
    return CaptionedFigure(
        heatmap(shown, rows=tokens),
        f"The first {shown.shape[1]} of {vectors.shape[1]} numbers of each token's vector, a row a token. Orange is "
        f"above zero, violet below. {repeated}",
    )


def table_row(token: str, number: int, row: Tensor) -> CaptionedFigure:
    """Show the beginning of one row of the word table, (hidden,), whose number is the token's id."""
    return CaptionedFigure(
        _with_numbers([row], [token]),
        f"A vector: the first {len(row[:FEATURES])} of the {len(row)} numbers in row {number} of the word table, the "
        f"row of '{token}'. Each column is one feature. Nobody gave a feature a name or a meaning.",
    )


def lookup(reading: "Reading", rows: Tensor, place: int) -> CaptionedFigure:
    """Show the rows, (tokens, hidden), that a text's ids take out of the word table, with a frame around one."""
    ids = reading.ids.tolist()
    names = [f"{token}  {number}" for token, number in zip(reading.tokens, ids, strict=True)]
    twice = next((token for token, number in zip(reading.tokens, ids, strict=True) if ids.count(number) > 1), None)
    repeated = f" Wherever '{twice}' occurs, it has exactly the same row." if twice else ""
    return CaptionedFigure(
        _with_numbers(rows, names, highlight=place),
        f"A lookup: {len(names)} rows of the word table, one a token, its id beside it. The frame is around row "
        f"{ids[place]}.{repeated}",
    )


def addition(place: int, terms: Mapping[str, Tensor], total: Tensor) -> CaptionedFigure:
    """Show the rows that are added for the token at one place, and their sum, (hidden,) each."""
    first, *others = terms
    names = [first, *(f"+ {name}" for name in others), "= sum"]
    lengths = ", ".join(f"{row.norm():.2f} ({name})" for name, row in terms.items())
    return CaptionedFigure(
        _with_numbers([*terms.values(), total], names, highlight=len(terms)),
        f"The sum for the token at position {place} (counting from 0), in {len(total[:FEATURES])} features: each "
        "number of the last row is those above it added up, before rounding to two decimals. The length of a row, the "
        f"root of the sum of all its squares, is {lengths}.",
    )


def dot_product(u: Tensor, v: Tensor, products: Tensor) -> CaptionedFigure:
    """Show two vectors and, below them, the products of their numbers, (features,) each."""
    rows = [vector.tolist() for vector in (u, v, products)]
    return CaptionedFigure(
        heatmap(rows, rows=["u", "v", "u × v"], numbers=True, highlight=2),
        f"A dot product of two vectors of {len(u)} features. Each number of the last row is the two above it "
        f"multiplied; added up they give {products.sum():g}, the dot product of u and v.",
    )


def directions(vectors: Mapping[str, Tensor]) -> CaptionedFigure:
    """Show vectors of two features as arrows, and say how each compares with the first."""
    first, *others = vectors
    one = vectors[first]
    compared = "; ".join(
        f"{name}, whose length is {vectors[name].norm():.2f}, has the dot product {one @ vectors[name]:g} with {first} "
        f"and the cosine {cosine(one, vectors[name]) + 0.0:.2f}"
        for name in others
    )
    longest_first = sorted(vectors, key=lambda name: -float(vectors[name].norm()))  # none lies hidden under another
    return CaptionedFigure(
        arrows({name: vectors[name].tolist() for name in longest_first}),
        f"{len(vectors)} vectors of two features. {first} has the length {one.norm():.2f}; {compared}.",
    )


def positions(cosines: Mapping[str, Tensor], neighbours: Mapping[str, object]) -> CaptionedFigure:
    """Show the cosines, (positions, positions), between position rows of several models side by side.

    `neighbours` says for each model for how many positions the most alike other row is a neighbour's.
    """
    count = len(next(iter(cosines.values())))
    marks = [str(place) if place % 8 == 0 else "" for place in range(count)]
    drawn = axes(len(cosines), height=4.4)
    for ax, (name, matrix) in zip(drawn, cosines.items(), strict=True):
        heatmap(matrix, rows=marks, columns=marks, limit=1, title=name, ax=ax)
        ax.set(xlabel="position", ylabel="position")
    # Of count - 1 other rows two are neighbours', and one at either end: (2 (count - 2) + 2) / (count - 1) is 2.
    numbers = "; ".join(f"{name}: {number}" for name, number in neighbours.items())
    return CaptionedFigure(
        drawn[0],
        f"Cosines between the rows of the first {count} positions; on the diagonal, each with itself. For how "
        f"many of the {count} positions is the most alike other row that of a neighbour? {numbers}. Blind "
        "picking would reach 2.",
    )


def own_group(compared: Comparison, sizes: Sequence[int]) -> CaptionedFigure:
    """Show how many words have their most alike word in their own group, by the way of finding it."""
    words = sum(sizes)
    chance = sum(size * (size - 1) for size in sizes) / (words * (words - 1))
    above = [str(name) for name, low in compared.table["low"].iloc[1:].items() if low > chance]
    beyond = f"the interval of {' and that of '.join(above)}" if above else "no control's interval"
    return CaptionedFigure(
        shares_beside_controls(compared, chance),
        "Share of words whose most alike word is of their own group, with 95 % Wilson intervals (as if words were "
        f"independent). {verdict(compared, 'words')} Blind picking (chance, the dashed line) would reach {chance:.2f}; "
        f"{beyond} lies above it.",
    )


def _with_numbers(rows: "Sequence[Tensor] | Tensor", names: list[str], highlight: int | None = None) -> "Axes":
    """Draw the first features of vectors, a row each, with their numbers written in."""
    few = [row[:FEATURES].tolist() for row in rows]
    columns = [str(column) for column in range(len(few[0]))]
    return heatmap(few, rows=names, columns=columns, numbers=True, highlight=highlight)

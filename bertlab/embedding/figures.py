"""The figures of lesson 1, each with its caption: they draw what a cell computed, and say it in words."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from torch import Tensor

from bertlab.embedding.similarity import cosine
from bertlab.evidence import verdict
from bertlab.figures import CaptionedFigure, arrows, axes, heatmap, shares

if TYPE_CHECKING:
    import pandas as pd

    from bertlab.bert.reading import Reading

FEATURES = 10
"""How many numbers of a vector are written into a figure: more would not fit beside each other."""

COLOURED = 48
"""How many are shown as colours alone."""


def token_vectors(reading: "Reading") -> CaptionedFigure:
    """Show what leaves the embedding layer as colours, and say whether a token that comes twice has two rows.

    Parameters
    ----------
    reading

    Returns
    -------
    CaptionedFigure
    """
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
    """Show the beginning of one row of the word table.

    Parameters
    ----------
    token
    number
        Which row it is: the token's id.
    row : (hidden,)

    Returns
    -------
    CaptionedFigure
    """
    few = row[None, :FEATURES]
    return CaptionedFigure(
        heatmap(few, rows=[token], columns=_numbered(few), numbers=True),
        f"A vector: the first {few.shape[1]} of the {len(row)} numbers in row {number} of the word table, the row of "
        f"'{token}'. Each column is one feature. Nobody gave a feature a name or a meaning.",
    )


def lookup(reading: "Reading", rows: Tensor, place: int) -> CaptionedFigure:
    """Show the rows that a text's ids take out of the word table, with a frame around one.

    Parameters
    ----------
    reading
    rows : (tokens, hidden)
        What was looked up.
    place
        The token to put a frame around, counted from 0.

    Returns
    -------
    CaptionedFigure
    """
    ids = reading.ids.tolist()
    names = [f"{token}  {number}" for token, number in zip(reading.tokens, ids, strict=True)]
    few = rows[:, :FEATURES]
    twice = next((token for token, number in zip(reading.tokens, ids, strict=True) if ids.count(number) > 1), None)
    repeated = f" Wherever '{twice}' occurs, it has exactly the same row." if twice else ""
    return CaptionedFigure(
        heatmap(few, rows=names, columns=_numbered(few), numbers=True, highlight=place),
        f"A lookup: {len(names)} rows of the word table, one a token, its id beside it. The frame is around row "
        f"{ids[place]}.{repeated}",
    )


def addition(place: int, terms: Mapping[str, Tensor], total: Tensor) -> CaptionedFigure:
    """Show the rows that are added for one token, and their sum.

    Parameters
    ----------
    place
        Where the token stands, counted from 0.
    terms : (hidden,)
        What is added, by name.
    total : (hidden,)
        The sum.

    Returns
    -------
    CaptionedFigure
    """
    rows = [*terms.values(), total]
    first, *others = terms
    few = [row[:FEATURES].tolist() for row in rows]
    lengths = ", ".join(f"{row.norm():.2f} ({name})" for name, row in terms.items())
    return CaptionedFigure(
        heatmap(
            few,
            rows=[first, *(f"+ {name}" for name in others), "= sum"],
            columns=_numbered(total[None, :FEATURES]),
            numbers=True,
            highlight=len(terms),
        ),
        f"The sum for the token at position {place} (counting from 0), in {len(few[0])} features: each number of the "
        "last row is those above it added up, before rounding to two decimals. The length of a row, the root of the "
        f"sum of all its squares, is {lengths}.",
    )


def dot_product(u: Tensor, v: Tensor, products: Tensor) -> CaptionedFigure:
    """Show two vectors and, below them, the products of their numbers.

    Parameters
    ----------
    u, v, products : (features,)

    Returns
    -------
    CaptionedFigure
    """
    rows = [vector.tolist() for vector in (u, v, products)]
    return CaptionedFigure(
        heatmap(rows, rows=["u", "v", "u × v"], numbers=True, highlight=2),
        f"A dot product of two vectors of {len(rows[0])} features. Each number of the last row is the two above it "
        f"multiplied; added up they give {products.sum():g}, the dot product of u and v.",
    )


def directions(vectors: Mapping[str, Tensor]) -> CaptionedFigure:
    """Show vectors of two features as arrows, and say how each compares with the first.

    Parameters
    ----------
    vectors : (2,)

    Returns
    -------
    CaptionedFigure
    """
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
    """Show the cosines between position rows of several models side by side.

    Parameters
    ----------
    cosines : (positions, positions)
        Of each model, by name.
    neighbours
        For how many positions the most alike other row is a neighbour's, by model or kind of model.

    Returns
    -------
    CaptionedFigure
    """
    count = len(next(iter(cosines.values())))
    marks = [str(place) if place % 8 == 0 else "" for place in range(count)]
    drawn = axes(len(cosines), height=4.4)
    for ax, (name, matrix) in zip(drawn, cosines.items(), strict=True):
        heatmap(matrix, rows=marks, columns=marks, limit=1, title=name, ax=ax)
        ax.set(xlabel="position", ylabel="position")
    # Of count - 1 other rows two are neighbours', and one at either end: (2 (count - 2) + 2) / (count - 1) is 2.
    found = "; ".join(f"{name}: {number}" for name, number in neighbours.items())
    return CaptionedFigure(
        drawn[0],
        f"Cosines between the rows of the first {count} positions; on the diagonal, each with itself. For how "
        f"many of the {count} positions is the most alike other row that of a neighbour? {found}. Blind "
        "picking would reach 2.",
    )


def own_group(table: "pd.DataFrame", sizes: Sequence[int]) -> CaptionedFigure:
    """Show how many words have their most alike word in their own group, by the way of finding it.

    Parameters
    ----------
    table
        As `bertlab.evidence.beside_controls` returns it.
    sizes
        How many words each group has.

    Returns
    -------
    CaptionedFigure
        The caption says of which controls the interval lies above blind picking, too.
    """
    words = sum(sizes)
    chance = sum(size * (size - 1) for size in sizes) / (words * (words - 1))
    above = [str(name) for name, low in table["low"].iloc[1:].items() if low > chance]
    beyond = f"the interval of {' and that of '.join(above)}" if above else "no control's interval"
    return CaptionedFigure(
        shares(
            list(table.index),
            table["share"].tolist(),
            list(zip(table["low"], table["high"], strict=True)),
            chance=chance,
        ),
        "Share of words whose most alike word is of their own group, with 95 % Wilson intervals (as if words were "
        f"independent). {verdict(table, 'words')} Blind picking (chance, the dashed line) would reach {chance:.2f}; "
        f"{beyond} lies above it.",
    )


def _numbered(rows: Tensor) -> list[str]:
    """Return the numbers of the columns, as names."""
    return [str(column) for column in range(rows.shape[1])]

"""The figures of lesson 1, each with a caption that is computed from the data it shows."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from torch import Tensor

from bertlab.bert.reading import Reading
from bertlab.embedding.layer import cosine
from bertlab.evidence import Comparison, verdict
from bertlab.figures import CaptionedFigure, arrows, axes, heatmap, plots, shares_beside_controls

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


def table_row(token: str, number: int, row: Tensor) -> CaptionedFigure:
    """Show the first features of a token's row of the word table, (hidden,); `number` is its id."""
    return CaptionedFigure(
        _with_numbers([row], [token]),
        f"Row {number} of the word table, the vector of '{token}': the first {len(row[:FEATURES])} of its {len(row)} "
        "numbers. Each column is a feature. Features have no names.",
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


def addition(place: int, terms: Mapping[str, Tensor], total: Tensor) -> CaptionedFigure:
    """Show the rows that are added for the token at one position, and their sum, (hidden,) each."""
    first, *added = terms
    names = [first, *(f"+ {name}" for name in added), "= sum"]
    return CaptionedFigure(
        _with_numbers([*terms.values(), total], names, highlight=len(terms)),
        f"The sum for the token at position {place} (counted from 0), in {len(total[:FEATURES])} features. Each number "
        "in the last row is the sum of those above it, before rounding.",
    )


@plots.styled()
def dot_product(u: Tensor, v: Tensor, products: Tensor) -> CaptionedFigure:
    """Show two vectors and the products of their numbers, (features,) each."""
    rows = [vector.tolist() for vector in (u, v, products)]
    ax = heatmap(rows, rows=["u", "v", "u × v"], columns=[str(i) for i in range(len(u))], numbers=True, highlight=2)
    ax.set_xlabel("feature")
    ax.annotate(f"added up: {products.sum():g}", (1.02, 1 / 6), xycoords="axes fraction", va="center")
    return CaptionedFigure(
        ax,
        f"Each number in the last row is the product of the two above it. Added up, the row gives {products.sum():g}: "
        "the dot product of u and v.",
    )


def directions(vectors: Mapping[str, Tensor]) -> CaptionedFigure:
    """Show vectors of two features as arrows, and give their dot products and cosines with the first."""
    (first, u), *rest = vectors.items()
    comparisons = " ".join(
        f"{first} and {name}: dot product {u @ v:g}, cosine {cosine(u, v) + 0.0:.2f}." for name, v in rest
    )
    longest_first = sorted(vectors, key=lambda name: -float(vectors[name].norm()))  # none lies hidden under another
    return CaptionedFigure(
        arrows({name: vectors[name].tolist() for name in longest_first}),
        f"{len(vectors)} vectors of two features each. {comparisons}",
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
        f"a neighbour's: {numbers}, 2 by blind picking.",
    )


def own_kind(compared: Comparison, sizes: Sequence[int]) -> CaptionedFigure:
    """Show, for each method, how many words have their most similar word of their own kind."""
    words = sum(sizes)
    chance = sum(size * (size - 1) for size in sizes) / (words * (words - 1))
    return CaptionedFigure(
        shares_beside_controls(compared, chance, x="share of words"),
        f"{verdict(compared, 'words', 'kinds')} The dashed line is blind picking, {100 * chance:.0f} %.",
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

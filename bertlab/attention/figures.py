"""The two pictures of attention in lesson 4: one matrix of weights, and one measure of all heads at a glance."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bertlab.figures import plots

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike
    from torch import Tensor


def weights(
    tokens: Sequence[str],
    values: "Tensor | ArrayLike",
    *,
    limit: float | None = None,
    title: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw one head's weights, or other numbers of the same shape: the row looks, the column is looked at.

    Parameters
    ----------
    tokens : sequence of str
        ``reading.tokens``.
    values : tensor or array, (tokens, tokens)
        Never negative, such as ``reading.attention[layer, head]``. What is not a number stays blank.
    limit : float, optional
        The value that gets the darkest colour; by default the largest. Give 1 to compare heads.
    title : str
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default on a new, square figure.

    Returns
    -------
    matplotlib.axes.Axes
    """
    side = min(2.5 + 0.42 * len(tokens), 10.0)
    ax = ax or plots.axes(width=side + 1.0, height=side)[0]
    plots.heatmap(values, rows=tokens, columns=tokens, sequential=True, limit=limit, title=title, ax=ax)
    ax.tick_params(axis="x", labelrotation=90)
    ax.set(xlabel="is looked at", ylabel="looks")
    return ax


def heads(
    table: "pd.DataFrame", measure: str, *, limit: float | None = None, title: str = "", ax: "Axes | None" = None
) -> "Axes":
    """Draw one measure of all heads: a row a layer, a column a head.

    Parameters
    ----------
    table : pandas.DataFrame
        With the columns ``layer`` and ``head``, such as `bertlab.attention.measure_heads` returns.
    measure : str
        The column to draw; never negative.
    limit : float, optional
        The value that gets the darkest colour; by default the largest.
    title : str
        By default the measure's name.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    if measure not in table:
        raise ValueError(f"The table has no column {measure!r}; it has {', '.join(map(str, table.columns))}.")
    # pivot_table would take the mean of a head that comes twice, as in two tables glued together; pivot refuses it.
    grid = table.pivot(index="layer", columns="head", values=measure)  # noqa: PD010
    plots.heatmap(
        grid,
        rows=[f"layer {layer}" for layer in grid.index],
        columns=[str(head) for head in grid.columns],
        numbers=grid.shape[1] <= 12,  # beyond, two decimals do not fit into a cell
        sequential=True,
        limit=limit,
        title=title or measure,
        ax=(ax := ax or plots.axes(height=1.8 + 0.42 * len(grid))[0]),
    )
    ax.set(xlabel="head", ylabel="")
    return ax


def changes(table: "pd.DataFrame", highlight: int | None = None, *, ax: "Axes | None" = None) -> "Axes":
    """Draw how much each head changes something, as points with their intervals, in the order of the table.

    Parameters
    ----------
    table : pandas.DataFrame
        With the columns ``layer``, ``head``, ``change``, ``low`` and ``high``, such as
        `bertlab.attention.change_of_loss` returns.
    highlight : int, optional
        The row whose point is orange and larger.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = ax or plots.axes(width=12, height=4.5)[0]
    for i, (change, low, high) in enumerate(table[["change", "low", "high"]].to_numpy(dtype=float)):
        marked = i == highlight
        ax.errorbar(
            i,
            change,
            [[change - low], [high - change]],
            fmt="D" if marked else "o",
            markersize=11 if marked else 7,
            color=plots.PALETTE[1 if marked else 0],
            linewidth=2,
        )
    ax.axhline(0, color="black", linestyle="--")
    named = len(table) <= 40  # beyond, the names would run into each other
    names = [f"{layer}.{head}" for layer, head in table[["layer", "head"]].to_numpy(dtype=int)]
    ax.set_xticks(range(len(table)) if named else [], names if named else [], rotation=90)
    ax.set(xlabel="layer.head", ylabel="rise of the loss (nats)")
    return ax

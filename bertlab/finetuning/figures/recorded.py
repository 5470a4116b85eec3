"""Lesson 8's figures of runs: in rows, and on mixed voices."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from bertlab.figures import CaptionedFigure, plots
from bertlab.finetuning.figures.task import GUESSING, twins


@plots.styled()
def in_rows(shares: Mapping[str, Sequence[float]], of: str, said: Sequence[str] = ()) -> CaptionedFigure:
    """Draw the share of right answers of a few runs in each row; the caption says the range of all rows or some."""
    runs = {name: np.asarray(values, dtype=float) for name, values in shares.items()}
    ax = plots.axes(width=9, height=1.2 + 0.42 * len(runs))[0]
    for row, (name, values) in enumerate(runs.items()):
        twin = name in twins(runs)
        heights = row + 0.2 * (np.arange(len(values)) - (len(values) - 1) / 2)  # the first run above the next
        ax.scatter(values, heights, s=70, alpha=0.75, color=plots.TWIN if twin else plots.PALETTE[0], marker="oD"[twin])
    ax.axvline(GUESSING, color="black", linestyle="--")
    ax.set(yticks=range(len(runs)), yticklabels=list(runs), xlabel="share right", xlim=(0, 1.02))
    ax.set_ylim(len(runs) - 0.5, -0.5)
    ax.grid(color="0.9")
    ax.set_axisbelow(True)
    spans = "; ".join(f"{name}: {_span(runs[name].min(), runs[name].max())}" for name in said or runs)
    return CaptionedFigure(
        ax,
        f"The share of {of} answered correctly, one point per run; dashed: guessing. Lowest to highest run: {spans}.",
    )


def mixed_voices(table: pd.DataFrame) -> CaptionedFigure:
    """Draw the share of right answers over all six kinds of pair, for runs trained on mixed voices."""
    share = table["six_right"] / table["six_of"]
    ax = plots.axes(width=9, height=4.2)[0]
    sizes = sorted(table["epochs"].unique())
    places = np.array([sizes.index(size) for size in table["epochs"]], dtype=float)
    spans = _runs(ax, table, places, share)
    _by_size(ax, sizes, "epochs on pairs of mixed voices")
    return CaptionedFigure(
        ax,
        "Recorded runs on mixed voices, one point each: the share right, six kinds of pair counted equally. "
        f"Lowest to highest by epochs: {spans}.",
    )


def _runs(ax: Axes, table: pd.DataFrame, places: np.ndarray, share: pd.Series) -> str:
    """Draw one point per run, blue for a BERT and grey for its twin; return the range of each model's runs in words."""
    values, spans = share.to_numpy(dtype=float), []
    for (name, part), colour, mark in zip(
        table.reset_index(drop=True).groupby("model", sort=False), (plots.PALETTE[0], plots.TWIN), "oD", strict=False
    ):
        rows = part.index.to_numpy()
        shifts = (part["seed"].to_numpy() - table["seed"].mean()) * 0.06
        ax.scatter(places[rows] + shifts, values[rows], s=70, alpha=0.75, color=colour, marker=mark, label=name)
        by_epochs = part.groupby("epochs").groups.items()
        ends = [f"{size}: {_span(values[runs].min(), values[runs].max())}" for size, runs in by_epochs]
        spans.append(f"{name}, {', '.join(ends)}")
    return "; ".join(spans)


def _span(low: float, high: float) -> str:
    """Return a range in words, or one number if both ends are printed alike."""
    return " to ".join(dict.fromkeys((f"{low:.2f}", f"{high:.2f}")))


@plots.styled()
def _by_size(ax: Axes, names: Sequence[object], x: str) -> None:
    """Label a figure of shares over a few sizes."""
    ax.axhline(GUESSING, color="black", linestyle="--")
    ax.set(xticks=range(len(names)), xticklabels=[str(name) for name in names], xlabel=x, ylabel="share right")
    ax.set_ylim(0.35, 1.02)
    ax.annotate(
        "guessing", (1, GUESSING), xytext=(6, -5), xycoords=("axes fraction", "data"), textcoords="offset points"
    )
    ax.grid(axis="y", color="0.9")
    if len(ax.get_legend_handles_labels()[0]) > 1:
        ax.legend(loc="lower right", frameon=False)

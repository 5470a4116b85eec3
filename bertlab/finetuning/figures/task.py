"""Lesson 8's figures of the task: how often fine-tuned copies are right, beside controls, and on other tests."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from bertlab.evidence import Interval, wilson
from bertlab.evidence import beside_controls as side_by_side
from bertlab.evidence.controls import LEVEL
from bertlab.figures import CaptionedFigure, plots
from bertlab.finetuning.figures.points import points

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike


def kinds_of_pair(cosines: "ArrayLike", same: "ArrayLike") -> CaptionedFigure:
    """Show the cosines of pairs that say the same and of pairs that do not.

    Parameters
    ----------
    cosines : (pairs,)
    same : (pairs,)
        Whether the two sentences say the same.

    Returns
    -------
    CaptionedFigure
    """
    values, truth = np.asarray(cosines, dtype=float), np.asarray(same, dtype=bool)
    ax = plots.axes(width=9, height=3)[0]
    for place, (row, colour) in enumerate(zip((values[truth], values[~truth]), plots.PALETTE, strict=False)):
        ax.scatter(row, place + plots.apart(len(row)), s=22, alpha=0.6, color=colour)
    ax.set(yticks=[0, 1], yticklabels=["the same", "not the same"], xlabel="cosine of mean vectors", ylim=(1.5, -0.5))
    found = stats.mannwhitneyu(values[truth], values[~truth])
    area = found.statistic / (truth.sum() * (~truth).sum())
    which = "the same" if area > 0.5 else "not the same"
    higher = f"on the whole it is higher for {which}" if found.pvalue < LEVEL else "neither kind is shown to lie higher"
    return CaptionedFigure(
        ax,
        f"The cosine of the two sentences of {len(values)} pairs, {truth.sum()} of which say the same: {higher} "
        f"(Mann-Whitney test). Of one pair of each kind, the one that says the same has the higher cosine in a share "
        f"of {area:.2f}.",
    )


@plots.styled
def losses(runs: Mapping[str, Sequence[float]], labels: int = 2) -> CaptionedFigure:
    """Show the mean loss of each epoch of several runs, beside that of guessing.

    Parameters
    ----------
    runs
        A name and the losses, as many for each.
    labels
        Guessing among so many has a loss of their number's logarithm.

    Returns
    -------
    CaptionedFigure
    """
    ax = plots.lines(dict(runs), x="epoch", y="mean loss")
    ax.xaxis.set_major_formatter(lambda epoch, _: f"{epoch + 1:g}")  # the first is the first
    guessing = float(np.log(labels))
    ax.axhline(guessing, color="black", linestyle="--")
    ax.annotate("guessing", (0, guessing), xytext=(12, 4), textcoords="offset points")
    ends = {
        name: "falls far below it" if values[-1] < guessing / 2 else "does not fall below half of it"
        for name, values in runs.items()
    }
    said = "; ".join(f"{name} {end}" for name, end in ends.items())
    return CaptionedFigure(
        ax, f"The mean loss in each epoch; the dashed line is the loss of guessing. In the end: {said}."
    )


def beside_controls(
    runs: "Mapping[str, ArrayLike]", controls: "Mapping[str, ArrayLike]", chance: float = 0.5
) -> CaptionedFigure:
    """Show the shares of right answers of fine-tuned runs and of their controls, each with its interval.

    Parameters
    ----------
    runs, controls : (items,)
        A name, and of each item of the same test whether it was got right.
    chance
        What guessing would reach.

    Returns
    -------
    CaptionedFigure
        It says than which controls the middle one of the runs is right more often, item by item.
    """
    found = {name: _share(right) for name, right in {**runs, **controls}.items()}
    ax = points(found, orange=set(controls), x="share of right answers", mark=chance)
    ax.set_xlim(0, 1.05)
    middle = sorted(runs, key=lambda name: found[name].value)[(len(runs) - 1) // 2]
    table = side_by_side({middle: runs[middle], **controls}).table.iloc[1:]
    beaten = (table["p"] < LEVEL) & (table["ahead"] > 0)
    said = "more often than each control" if beaten.all() else f"not shown to be ahead of {_names(table[~beaten])}"
    return CaptionedFigure(
        ax,
        f"The share of right answers on {len(np.asarray(runs[middle]))} held-out items, with 95 % intervals (Wilson); "
        f"controls in orange, the dashed line is guessing. The middle one of {len(runs)} fine-tuned runs is right "
        f"{said} (item by item; McNemar's test, corrected for their number).",
    )


def by_pairs(table: "pd.DataFrame") -> CaptionedFigure:
    """Show the held-out share of every run by the number of pairs it was trained on.

    Parameters
    ----------
    table
        A row a run: ``pairs``, ``model``, ``seed``, ``right``, ``of``.

    Returns
    -------
    CaptionedFigure
    """
    ax = plots.axes(width=9, height=4.2)[0]
    sizes = sorted(table["pairs"].unique())
    for (name, part), colour, mark in zip(table.groupby("model", sort=False), plots.PALETTE, "oD", strict=False):
        places = np.array([sizes.index(size) for size in part["pairs"]], dtype=float)
        shifts = (part["seed"].to_numpy() - table["seed"].mean()) * 0.05
        ax.scatter(places + shifts, part["right"] / part["of"], s=70, alpha=0.75, color=colour, marker=mark, label=name)
    _by_size(ax, sizes, "pairs to train on")
    spans = []
    for name, part in table.groupby("model", sort=False):
        share = (part["right"] / part["of"]).groupby(part["pairs"])
        ends = zip(share.min().items(), share.max(), strict=True)
        spans.append(f"{name}, " + ", ".join(f"{size}: {_span(low, high)}" for (size, low), high in ends))
    return CaptionedFigure(
        ax,
        "Measured beforehand: the share of right answers on words never trained on, one point a run; the dashed line "
        f"is guessing. Lowest to highest of {table['seed'].nunique()} seeds, by pairs trained on: {'; '.join(spans)}.",
    )


def by_setting(table: "pd.DataFrame") -> CaptionedFigure:
    """Show the held-out share of every run by the largest step and the number of epochs.

    Parameters
    ----------
    table
        A row a run: ``rate``, ``epochs``, ``seed``, ``right``, ``of``.

    Returns
    -------
    CaptionedFigure
        It names the setting with the seeds farthest apart, and those that succeeded with one and failed with another.
    """
    ax = plots.axes(width=9, height=4.2)[0]
    lows = [wilson(right, of).low for right, of in table[["right", "of"]].to_numpy().tolist()]
    names = [f"{rate:g}, {epochs} epochs" for rate, epochs in zip(table["rate"], table["epochs"], strict=True)]
    runs = table.assign(low=lows, setting=names).sort_values(["rate", "epochs", "seed"])
    settings = list(dict.fromkeys(runs["setting"]))
    places = np.array([settings.index(name) for name in runs["setting"]], dtype=float)
    shifts = (runs["seed"].to_numpy() - runs["seed"].mean()) * 0.08
    ax.scatter(places + shifts, runs["right"] / runs["of"], s=70, alpha=0.75, color=plots.PALETTE[0])
    _by_size(ax, settings, "largest step size, and epochs")
    by_seed = runs.groupby("setting", sort=False)["low"]
    both = [name for name in settings if by_seed.min()[name] <= 0.5 and by_seed.max()[name] > 0.8]
    share = (runs["right"] / runs["of"]).groupby(runs["setting"], sort=False)
    widest = (share.max() - share.min()).idxmax()
    return CaptionedFigure(
        ax,
        f"Measured beforehand: {len(table)} runs that differ in the largest step size, the epochs and the seed, "
        f"{by_seed.size().max()} seeds a setting, one point each; the dashed line is guessing. The seeds lie "
        f"farthest apart with {widest}: {_span(share.min()[widest], share.max()[widest])}. Success with one seed (the "
        "whole interval above 0.8), and with another not shown to be better than guessing: "
        f"{'; '.join(both) or 'in no setting'}.",
    )


def shortcut(
    shares: "Mapping[str, ArrayLike]", simple: "Mapping[str, ArrayLike]", chance: float = 0.5
) -> CaptionedFigure:
    """Show what a model that was trained with a telltale word does on several tests, and a simple rule beside it.

    Parameters
    ----------
    shares : (items,)
        A test, and whether each of its items was got right: first of its like, then the honest test.
    simple
        The same for rules that cannot do the task; drawn in orange.
    chance
        What guessing would reach.

    Returns
    -------
    CaptionedFigure
    """
    found = {name: _share(right) for name, right in {**shares, **simple}.items()}
    ax = points(found, orange=set(simple), x="share of right answers", mark=chance)
    ax.set_xlim(-0.05, 1.05)
    words = {name: _beside(each, chance) for name, each in found.items()}
    return CaptionedFigure(
        ax,
        "The share of right answers, with 95 % intervals (Wilson); a simple rule in orange, the dashed line is "
        f"guessing. Right: {'; '.join(f'{name}, {word}' for name, word in words.items())}.",
    )


def rule_of_thumb(said: Mapping[str, Sequence[int]]) -> CaptionedFigure:
    """Show how often models call two active sentences with exchanged roles the same.

    Parameters
    ----------
    said
        A name, and for each pair 1 for the same.

    Returns
    -------
    CaptionedFigure
    """
    found = {name: wilson(int(sum(values)), len(values)) for name, values in said.items()}
    ax = points(found, x="share called the same", mark=0.5)
    ax.set_xlim(-0.05, 1.05)
    pairs = len(next(iter(said.values())))
    thumb = sum(each.low > 0.5 for each in found.values())
    return CaptionedFigure(
        ax,
        f"How many of {pairs} pairs of two active sentences with exchanged roles are called the same, with 95 % "
        "intervals (Wilson). None of them is the same, and the rule of thumb calls all of them so. With the whole "
        f"interval above one half, as the rule has it: {thumb} of {len(found)} runs.",
    )


def _span(low: float, high: float) -> str:
    """Return two shares as from one to the other, or as one where they are printed alike."""
    ends = f"{low:.2f}", f"{high:.2f}"
    return " to ".join(dict.fromkeys(ends))


def _share(right: "ArrayLike") -> Interval:
    """Return the share of items that were got right."""
    values = np.asarray(right, dtype=bool)
    return wilson(int(values.sum()), len(values))


def _names(table: "pd.DataFrame") -> str:
    """Return the names of a table's rows."""
    return ", ".join(map(str, table.index))


def _beside(share: Interval, chance: float) -> str:
    """Return where a share lies beside chance, in words."""
    if share.low > 0.9 or share.high < 0.1:
        return "nearly all" if share.low > 0.9 else "nearly none"
    if share.low > chance:
        return "more than by guessing"
    return "fewer than by guessing" if share.high < chance else "as by guessing"


@plots.styled
def _by_size(ax: "Axes", names: Sequence[object], x: str) -> None:
    """Finish a picture of shares over a few sizes."""
    ax.axhline(0.5, color="black", linestyle="--")
    ax.set(xticks=range(len(names)), xticklabels=[str(name) for name in names], xlabel=x, ylabel="share right")
    ax.set_ylim(0.35, 1.02)
    ax.grid(axis="y", color="0.9")
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="lower right", frameon=False)

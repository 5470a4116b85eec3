"""Lesson 8's figures of the task: how often fine-tuned copies are right, beside controls, and on other tests."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from bertlab.evidence import Interval, wilson
from bertlab.evidence import beside_controls as side_by_side
from bertlab.evidence.controls import LEVEL
from bertlab.figures import CaptionedFigure, plots, points, strips

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

GUESSING = 0.5  # the share that is right by guessing one of two labels


def kinds_of_pair(cosines: "ArrayLike", same: "ArrayLike") -> CaptionedFigure:
    """Show the cosines of pairs that say the same and of pairs that do not."""
    values, truth = np.asarray(cosines, dtype=float), np.asarray(same, dtype=bool)
    kinds = {"the same": values[truth], "not the same": values[~truth]}
    ax = strips(kinds, x="cosine of mean vectors", colours=plots.PALETTE, width=9)
    test = stats.mannwhitneyu(*kinds.values())
    area = test.statistic / (truth.sum() * (~truth).sum())
    which = "the same" if area > 0.5 else "not the same"
    higher = f"on the whole it is higher for {which}" if test.pvalue < LEVEL else "neither kind is shown to lie higher"
    return CaptionedFigure(
        ax,
        f"The cosine of the two sentences of {len(values)} pairs, {truth.sum()} of which say the same: {higher} "
        f"(Mann-Whitney test). Of one pair of each kind, the one that says the same has the higher cosine in a share "
        f"of {area:.2f}.",
    )


@plots.styled
def losses(runs: Mapping[str, Sequence[float]]) -> CaptionedFigure:
    """Show the mean loss of each epoch of several runs, beside that of guessing one of two labels."""
    ax = plots.lines(dict(runs), x="epoch", y="mean loss")
    ax.xaxis.set_major_formatter(lambda epoch, _: f"{epoch + 1:g}")  # the first is the first
    guessing = float(np.log(2))
    ax.axhline(guessing, color="black", linestyle="--")
    ax.annotate("guessing", (0, guessing), xytext=(12, 4), textcoords="offset points")
    ends = []
    for name, values in runs.items():
        low = values[-1] < guessing / 2
        ends.append(f"{name} {'falls far below it' if low else 'does not fall below half of it'}")
    return CaptionedFigure(
        ax, f"The mean loss in each epoch; the dashed line is the loss of guessing. In the end: {'; '.join(ends)}."
    )


def beside_controls(runs: "Mapping[str, ArrayLike]", controls: "Mapping[str, ArrayLike]") -> CaptionedFigure:
    """Show the shares of right answers of fine-tuned runs and of their controls, each with its interval."""
    shares = {name: _share(right) for name, right in {**runs, **controls}.items()}
    ax = points(shares, orange=set(controls), x="share of right answers", mark=GUESSING)
    ax.set_xlim(0, 1.05)
    middle = sorted(runs, key=lambda name: shares[name].value)[(len(runs) - 1) // 2]
    table = side_by_side({middle: runs[middle], **controls}).table.iloc[1:]
    beaten = (table["p"] < LEVEL) & (table["ahead"] > 0)
    unbeaten = ", ".join(map(str, table.index[~beaten]))
    often = f"not shown to be ahead of {unbeaten}" if unbeaten else "more often than each control"
    return CaptionedFigure(
        ax,
        f"The share of right answers on {len(np.asarray(runs[middle]))} held-out items, with 95 % intervals (Wilson); "
        f"controls in orange, the dashed line is guessing. The middle one of {len(runs)} fine-tuned runs is right "
        f"{often} (item by item; McNemar's test, corrected for their number).",
    )


def by_pairs(table: "pd.DataFrame") -> CaptionedFigure:
    """Show the held-out share of every run by the number of pairs it was trained on."""
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
    """Show the held-out share of every run by the largest step and the number of epochs."""
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


def shortcut(tests: "Mapping[str, ArrayLike]", simple: "Mapping[str, ArrayLike]") -> CaptionedFigure:
    """Show what a model that was trained with a telltale word does on several tests, and a simple rule beside it."""
    shares = {name: _share(right) for name, right in {**tests, **simple}.items()}
    ax = points(shares, orange=set(simple), x="share of right answers", mark=GUESSING)
    ax.set_xlim(-0.05, 1.05)
    words = "; ".join(f"{name}, {_beside_guessing(share)}" for name, share in shares.items())
    return CaptionedFigure(
        ax,
        "The share of right answers, with 95 % intervals (Wilson); a simple rule in orange, the dashed line is "
        f"guessing. Right: {words}.",
    )


def rule_of_thumb(answers: Mapping[str, Sequence[int]]) -> CaptionedFigure:
    """Show how often models call two active sentences with exchanged roles the same, which is answer 1."""
    shares = {name: _share(values) for name, values in answers.items()}
    ax = points(shares, x="share called the same", mark=GUESSING)
    ax.set_xlim(-0.05, 1.05)
    pairs = len(next(iter(answers.values())))
    by_thumb = sum(share.low > GUESSING for share in shares.values())
    return CaptionedFigure(
        ax,
        f"How many of {pairs} pairs of two active sentences with exchanged roles are called the same, with 95 % "
        "intervals (Wilson). None of them is the same, and the rule of thumb calls all of them so. With the whole "
        f"interval above one half, as the rule has it: {by_thumb} of {len(shares)} runs.",
    )


def _span(low: float, high: float) -> str:
    """Return two shares as from one to the other, or as one where they are printed alike."""
    ends = f"{low:.2f}", f"{high:.2f}"
    return " to ".join(dict.fromkeys(ends))


def _share(right: "ArrayLike") -> Interval:
    """Return the share of items that were got right."""
    values = np.asarray(right, dtype=bool)
    return wilson(int(values.sum()), len(values))


def _beside_guessing(share: Interval) -> str:
    """Return where a share lies beside guessing, in words."""
    if share.low > 0.9 or share.high < 0.1:
        return "nearly all" if share.low > 0.9 else "nearly none"
    if share.low > GUESSING:
        return "more than by guessing"
    return "fewer than by guessing" if share.high < GUESSING else "as by guessing"


@plots.styled
def _by_size(ax: "Axes", names: Sequence[object], x: str) -> None:
    """Finish a picture of shares over a few sizes."""
    ax.axhline(GUESSING, color="black", linestyle="--")
    ax.set(xticks=range(len(names)), xticklabels=[str(name) for name in names], xlabel=x, ylabel="share right")
    ax.set_ylim(0.35, 1.02)
    ax.grid(axis="y", color="0.9")
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="lower right", frameon=False)

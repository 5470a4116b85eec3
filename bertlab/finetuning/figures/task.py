"""Lesson 8's figures of the task: training, and how often fine-tuned copies and controls are right."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike
from scipy import stats

from bertlab.evidence import wilson
from bertlab.figures import CaptionedFigure, plots, points, strips

GUESSING = 0.5  # the share of right answers when guessing one of two labels
KINDS = dict(zip(("the same", "not the same"), plots.KINDS, strict=False))


@plots.styled()
def to_judge(first: str, seconds: Mapping[str, str]) -> CaptionedFigure:
    """Draw a sentence with each of some second ones on a card, and whether both say the same: an answer or "?"."""
    ax = plots.axes(width=7.2, height=1.25 * len(seconds))[0]
    ax.set(xlim=(0, 100), ylim=(len(seconds), 0))
    ax.axis("off")
    for row, (second, answer) in enumerate(seconds.items()):
        colour = KINDS.get(answer, "black")
        ax.add_patch(Rectangle((1, row + 0.08), 68, 0.84, facecolor="0.96", edgecolor="0.6"))
        ax.text(4, row + 0.32, first, va="center")
        ax.text(4, row + 0.68, second, va="center")
        ax.text(85, row + 0.5, answer, color=colour, weight="bold", ha="center", va="center", size=16)
    asked = ", ".join(f"“{second}” ({answer})" for second, answer in seconds.items())
    return CaptionedFigure(ax, f"Does “{first}” say the same as these? {asked}.")


def kinds_of_pair(cosines: ArrayLike, same: ArrayLike) -> CaptionedFigure:
    """Draw the cosines of pairs that say the same and of pairs that do not."""
    values, truth = np.asarray(cosines, dtype=float), np.asarray(same, dtype=bool)
    kinds = {"the same": values[truth], "not the same": values[~truth]}
    ax = strips(kinds, x="cosine of mean vectors", colours=list(KINDS.values()), width=9)
    area = stats.mannwhitneyu(*kinds.values()).statistic / (truth.sum() * (~truth).sum())
    return CaptionedFigure(
        ax,
        f"The cosines of {len(values)} pairs, {truth.sum()} of which say the same; black: each row's median. Of two "
        f"pairs, one of each kind, the one that says the same has the higher cosine in {100 * area:.0f} % of all "
        "combinations.",
    )


@plots.styled()
def step_sizes(sizes: Sequence[float]) -> CaptionedFigure:
    """Draw the learning rate at each step of a run."""
    largest = int(np.argmax(sizes)) + 1
    ax = plots.axes(width=8, height=2.6)[0]
    ax.plot(range(1, len(sizes) + 1), sizes, color=plots.PALETTE[0], linewidth=3)
    ax.set(xlabel="step", ylabel="learning rate", ylim=(0, None))
    return CaptionedFigure(
        ax,
        f"The learning rate at each of {len(sizes)} steps. It rises to {max(sizes):g} in step {largest}, and falls "
        "from there.",
    )


@plots.styled()
def losses(values: Sequence[float]) -> CaptionedFigure:
    """Draw the mean loss of each epoch of a run; dashed, the loss of guessing."""
    ax = plots.lines({"this run": list(values)}, x="epoch", y="mean loss")
    ax.xaxis.set_major_formatter(lambda epoch, _: f"{epoch + 1:g}")  # epochs count from 1
    guessing = float(np.log(2))
    ax.axhline(guessing, color="black", linestyle="--")
    ax.annotate("guessing", (0, guessing), xytext=(12, 4), textcoords="offset points")
    ax.set_ylim(bottom=0)
    series = ", ".join(f"{value:.2f}" for value in values)
    return CaptionedFigure(
        ax, f"The mean loss in each epoch: {series}. For guessing, the dashed line, it is {guessing:.2f}."
    )


def twins(names: Iterable[str]) -> set[str]:
    """Return which of the names are those of twins, which are grey in all figures of lesson 8."""
    return {name for name in names if "twin" in name}


def shortcut(tests: Mapping[str, ArrayLike], simple: Mapping[str, ArrayLike]) -> CaptionedFigure:
    """Draw the shares of right answers, on several tests, of a model trained with a telltale word and a simple rule."""
    shares = {}
    for name, right in {**tests, **simple}.items():
        values = np.asarray(right, dtype=bool)
        shares[name] = wilson(int(values.sum()), len(values))
    ax = points(shares, orange=set(simple), x="share of right answers", mark=GUESSING)
    ax.set_xlim(-0.05, 1.05)
    words = "; ".join(f"{name} {share.value:.2f}" for name, share in shares.items())
    return CaptionedFigure(
        ax, f"The share of right answers, with 95 % intervals; a simple rule in orange, guessing dashed: {words}."
    )

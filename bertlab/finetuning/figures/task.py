"""Lesson 8's figures: pairs to judge, the losses of a run, and the cosines of sentences and their partners."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.patches import Rectangle
from torch import Tensor

from bertlab.figures import CaptionedFigure, plots

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


def partners(cosines: Tensor, sentences: Sequence[str]) -> CaptionedFigure:
    """Draw the cosine of each sentence with each partner; its own partner is on the diagonal."""
    numbers = [str(i + 1) for i in range(len(sentences))]
    rows = [f"{sentence} {number}" for sentence, number in zip(sentences, numbers, strict=True)]
    ax = plots.axes(width=11, height=1.4 + 0.5 * len(rows))[0]
    plots.heatmap(cosines, rows, numbers, numbers=True, sequential=True, lowest=float(cosines.min()), ax=ax)
    ax.set_xlabel("partner")
    nearest = int((cosines.argmax(dim=1).numpy() == np.arange(len(rows))).sum())
    return CaptionedFigure(
        ax,
        f"The cosine of each of {len(rows)} sentences with each partner: the darker, the more similar. On the diagonal "
        f"are their own partners, and {nearest} of {len(rows)} sentences are nearest to theirs.",
    )

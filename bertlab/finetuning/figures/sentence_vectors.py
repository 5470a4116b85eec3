"""Lesson 8's figures of sentence vectors before and after training."""

from collections.abc import Mapping, Sequence

import numpy as np
from torch import Tensor

from bertlab.evidence import Interval, listed
from bertlab.figures import CaptionedFigure, plots, points


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


def correlations(
    measured: Mapping[str, Interval], controls: Sequence[str], gains: Mapping[str, Interval]
) -> CaptionedFigure:
    """Draw Spearman correlations with the grades; the caption says them, and what the trained vectors are ahead of."""
    ax = points(measured, orange=set(controls), x="Spearman correlation with the grades", mark=0)
    ahead = [f"“{name}”" for name, gain in gains.items() if gain.low > 0]
    not_shown = [f"“{name}”" for name, gain in gains.items() if gain.low <= 0]
    verdicts = [f"ahead of {listed(ahead)}"] if ahead else []
    verdicts += [f"not significantly ahead of {listed(not_shown, 'or')}"] if not_shown else []
    numbers = "; ".join(f"{name} {found.value:.2f}" for name, found in measured.items())
    return CaptionedFigure(
        ax,
        f"Spearman correlation of the cosines with the grades: {numbers}; controls in orange. On the same pairs the "
        f"trained vectors are {' and '.join(verdicts)}.",
    )

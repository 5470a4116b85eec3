"""Lesson 8's figure of sentences and their partners."""

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from bertlab.figures import CaptionedFigure, plots


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

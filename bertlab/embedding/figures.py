"""What lesson 1 draws by itself: how much the word table knows about each kind of words."""

from collections.abc import Mapping, Sequence

import pandas as pd

from bertlab.figures import CaptionedFigure, axes, plots


@plots.styled()
def kinds(right: Mapping[str, Sequence[bool]], kind_of_each: Sequence[str], of_twins: Sequence[int]) -> CaptionedFigure:
    """Draw, for each kind of words, the share that a model and a rule get right; `of_twins` are counts of words."""
    (model, rule), words = right, len(kind_of_each)
    by_kind = pd.DataFrame(right).groupby(list(kind_of_each))
    sizes, shares = by_kind.size(), by_kind.mean().sort_values(model, ascending=False, kind="stable")
    half = -(-len(shares) // 2)
    panels = axes(2, height=6)
    for ax, part in zip(panels, (shares[:half], shares[half:]), strict=True):
        counts = [f"{share * size:.0f} of {size}" for share, size in zip(part[model], sizes[part.index], strict=True)]
        ax.bar_label(ax.barh(part.index, part[model], color=plots.PALETTE[0]), counts, padding=4)
        ax.barh(part.index, part[rule], color=plots.PALETTE[1], height=0.3)
        ax.set(xlim=(0, 1.35), xticks=[0, 0.5, 1], xticklabels=["0", "50 %", "100 %"], xlabel="share of its words")
        ax.invert_yaxis()
    return CaptionedFigure(
        panels[0],
        f"For each kind, the words whose nearest word is of that kind: {model} (blue; {sum(right[model])} of {words} "
        f"in all), {rule} (orange; {sum(right[rule])}). Untrained twins reach {min(of_twins)} to {max(of_twins)}.",
    )

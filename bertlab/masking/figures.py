"""What lesson 6 draws by itself: counts of right answers, and the marks of the proof-reader."""

import textwrap
from collections.abc import Mapping

from bertlab.figures import PALETTE, CaptionedFigure, axes, plots


@plots.styled()
def right_answers(counts: Mapping[str, int], of: int, what: str) -> CaptionedFigure:
    """Draw how many of `what` ("words") each method gets right; those named like the first, up to a comma, are blue."""
    ax = axes(width=8, height=1.1 + 0.6 * len(counts))[0]
    (first, best), *rest = counts.items()
    own = first.partition(",")[0]
    colours = [PALETTE[not name.startswith(own)] if "twin" not in name else plots.TWIN for name in counts]
    bars = ax.barh([textwrap.fill(name, 26) for name in counts], list(counts.values()), color=colours, height=0.6)
    ax.bar_label(bars, [f"{count:,}" for count in counts.values()], padding=6)
    ax.set(xlim=(0, 1.12 * of), xlabel=f"right, of {of:,} {what}")
    ax.invert_yaxis()  # the first name on top
    others = "; ".join(f"{name}: {count:,}" for name, count in rest)
    return CaptionedFigure(ax, f"{first}: {best:,} of {of:,} {what} are right; {others}.")

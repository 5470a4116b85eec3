"""Evidence: intervals, paired tests, the range over seeds, and the sentence that says what was shown."""

from bertlab.evidence.controls import beside_controls, beside_first, holm, verdict, williams
from bertlab.evidence.intervals import Interval, Spread, interval, ratio, spearman, spread, wilson

__all__ = [
    "Interval",
    "Spread",
    "beside_controls",
    "beside_first",
    "holm",
    "interval",
    "ratio",
    "spearman",
    "spread",
    "verdict",
    "williams",
    "wilson",
]

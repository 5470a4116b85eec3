"""Evidence: intervals, paired tests, the range over seeds, and the sentence that says what was shown."""

from bertlab.evidence.controls import (
    Comparison,
    beside_controls,
    beside_first,
    holm,
    largest_p,
    listed,
    p_value,
    verdict,
)
from bertlab.evidence.findings import beside_half, finding
from bertlab.evidence.intervals import Interval, Spread, half_up, interval, ratio, spearman, spread, wilson
from bertlab.evidence.williams import williams

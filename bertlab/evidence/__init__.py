"""Evidence: confidence intervals, paired tests, the range over seeds, and sentences that state the result."""

from bertlab.evidence.controls import Comparison, beside_controls
from bertlab.evidence.intervals import Interval, Spread, half_up, interval, ratio, spearman, spread, wilson
from bertlab.evidence.sentences import LEVEL, finding, lead, listed, verdict
from bertlab.evidence.tests import holm

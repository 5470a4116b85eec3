"""Evidence: rank correlation, bootstrap intervals, and lists in a sentence."""

from bertlab.evidence.intervals import Interval, interval, spearman
from bertlab.evidence.sentences import listed

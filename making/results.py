"""Measures, and the results of a model or a rule on them: numbers by item, a figure with its interval, differences."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bertlab.evidence import Interval, interval

NAMES = {
    "loss": "masked words, held-out loss (nats)",
    "accuracy": "masked words, accuracy",
    "next": "next sentence, accuracy",
    "senses": "senses, leave-one-out accuracy",
    "grammar": "minimal pairs, accuracy",
    "agreement": "agreement across a distractor, accuracy",
    "facts": "facts: the true word first of its topic's six",
    "probes": "fill-mask: a sensible word in the first five",
    "graded": "pairs of {source}, Spearman, {way}",
    "head": "clearest head: {way}",
}


class Measure(NamedTuple):
    """A measure: its kind and, if there are several of a kind, its source and way of computing."""

    kind: str
    source: str = ""
    way: str = ""

    def __str__(self) -> str:
        """Return the measure's name in tables."""
        return NAMES[self.kind].format(source=self.source, way=self.way)


def ratio(sums: np.ndarray, counts: np.ndarray, axis: int = -1) -> Any:
    """Return the mean over all pieces, for items that hold several: their sums and their numbers of pieces."""
    return sums.sum(axis) / counts.sum(axis)


@dataclass(frozen=True, eq=False)
class Result:
    """The items of one measure: columns with one entry per item, and the statistic that turns them into a figure."""

    columns: tuple[np.ndarray, ...]
    statistic: Any = np.mean
    higher_is_better: bool = True

    @property
    def value(self) -> float:
        """The figure without its interval."""
        return float(self.statistic(*self.columns))

    @property
    def figure(self) -> Interval:
        """The figure with its interval."""
        return interval(*self.columns, statistic=self.statistic)

    def ahead_of(self, other: "Result") -> Interval:
        """Return how far this result is ahead of another on the same items (positive is better)."""
        sign, width = (1 if self.higher_is_better else -1), len(self.columns)

        def difference(*both: np.ndarray, axis: int = -1) -> np.ndarray:
            return sign * (self.statistic(*both[:width], axis=axis) - self.statistic(*both[width:], axis=axis))

        return interval(*self.columns, *other.columns, statistic=difference)

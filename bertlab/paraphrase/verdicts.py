"""What lesson 5 says of its tables: sentences made from their numbers, and p-values as they are read."""

from typing import TYPE_CHECKING

import numpy as np

from bertlab.evidence import spearman, wilson
from bertlab.paraphrase.benchmark import ahead

if TYPE_CHECKING:
    from pandas import DataFrame

    from bertlab.paraphrase.benchmark import Benchmark


def beside_one_answer(benchmark: "Benchmark") -> str:
    """Say which systems are right more often than one answer for all pairs would be."""
    better = []
    for system, accuracy in benchmark.table["accuracy"].items():
        if wilson(round(accuracy * benchmark.pairs), benchmark.pairs).low > benchmark.majority:
            better.append(str(system))
    return (
        f"One answer for all pairs has an accuracy of {benchmark.majority:.2f}. Above that by their intervals\n"
        f"(as if that share had been known beforehand): {' | '.join(better) or 'none'}. The others it does not tell "
        "apart."
    )


def with_overlap_or_grades(cosines: np.ndarray, overlap: np.ndarray, grades: np.ndarray) -> str:
    """Say whether cosines follow the share of common words more, or the grades."""
    difference = ahead(overlap, grades, cosines)
    go = "go" if difference.excludes_zero else "are not shown to go"
    which = "less" if difference.high < 0 else "more"
    return (
        f"The cosines {go} {which} with word overlap (Spearman {spearman(cosines, overlap):.2f})\n"
        f"than with the grades ({spearman(cosines, grades):.2f}); the difference is {difference}."
    )


def rounded(table: "DataFrame") -> "DataFrame":
    """Return a table with two decimals, and its p-values as they are read: 0.00 would say that it cannot be."""

    def read(p: float) -> str:
        return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"

    return table.assign(p=table["p"].map(read)).round(2)

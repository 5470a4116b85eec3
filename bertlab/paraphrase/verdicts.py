"""Sentences of lesson 5 that compare systems, made from their numbers."""

from collections.abc import Mapping

import numpy as np

from bertlab.evidence import LEVEL, p_value, spearman, williams
from bertlab.paraphrase.benchmark import ahead


def best_beside_second(systems: Mapping[str, np.ndarray], grades: np.ndarray) -> str:
    """Return the best system's correlation with the grades, and whether it is ahead of the second best, in words."""
    correlations = {name: float(spearman(values, grades)) for name, values in systems.items()}
    best, second = sorted(correlations, key=correlations.__getitem__, reverse=True)[:2]
    p = williams(systems[best], systems[second], grades)
    shown = "ahead" if p < LEVEL else "not significantly ahead"
    return (
        f"its correlation is {correlations[best]:.2f}, {shown} of {second} with {correlations[second]:.2f} "
        f"(Williams' test, {p_value(p)})."
    )


def with_overlap_or_grades(cosines: np.ndarray, overlap: np.ndarray, grades: np.ndarray) -> str:
    """Return whether cosines follow word overlap more closely than they follow the grades, in words."""
    difference = ahead(overlap, grades, cosines)
    words, with_grades = f"word overlap (Spearman {spearman(cosines, overlap):.2f})", f"{spearman(cosines, grades):.2f}"
    return difference.side(
        f"The cosines follow {words} more than the grades ({with_grades}).",
        f"The cosines follow {words} less than the grades ({with_grades}).",
        f"The cosines follow {words} and the grades ({with_grades}), and neither is significantly ahead.",
    )

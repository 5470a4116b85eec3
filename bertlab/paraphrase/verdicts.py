"""The sentence of lesson 5 that says what the cosines follow, made from their numbers."""

import numpy as np

from bertlab.evidence import spearman
from bertlab.paraphrase.benchmark import ahead


def with_overlap_or_grades(cosines: np.ndarray, overlap: np.ndarray, grades: np.ndarray) -> str:
    """Return whether cosines follow word overlap more closely than they follow the grades, in words."""
    difference = ahead(overlap, grades, cosines)
    words, with_grades = f"word overlap (Spearman {spearman(cosines, overlap):.2f})", f"{spearman(cosines, grades):.2f}"
    return difference.side(
        f"The cosines follow {words} more than the grades ({with_grades}).",
        f"The cosines follow {words} less than the grades ({with_grades}).",
        f"The cosines follow {words} and the grades ({with_grades}), and neither is significantly ahead.",
    )

"""What lesson 5 says of its systems, in sentences made from their numbers."""

from collections.abc import Mapping

import numpy as np

from bertlab.evidence import LEVEL, p_value, spearman, williams
from bertlab.paraphrase.benchmark import ahead


def best_beside_second(systems: Mapping[str, np.ndarray], grades: np.ndarray) -> str:
    """Say how well the system that follows the grades best does so, and whether it is ahead of the second."""
    follows = {name: float(spearman(values, grades)) for name, values in systems.items()}
    best, second = sorted(follows, key=follows.__getitem__, reverse=True)[:2]
    p = williams(systems[best], systems[second], grades)
    ahead_of = "ahead" if p < LEVEL else "not shown to be ahead"
    return (
        f"its correlation is {follows[best]:.2f}, {ahead_of} of {second} with {follows[second]:.2f} "
        f"(Williams' test, {p_value(p)})."
    )


def with_overlap_or_grades(cosines: np.ndarray, overlap: np.ndarray, grades: np.ndarray) -> str:
    """Say whether cosines follow the share of common words more, or the grades."""
    difference = ahead(overlap, grades, cosines)
    words, said = f"word overlap (Spearman {spearman(cosines, overlap):.2f})", f"{spearman(cosines, grades):.2f}"
    return difference.side(
        f"The cosines follow {words} more than the grades ({said}).",
        f"The cosines follow {words} less than the grades ({said}).",
        f"The cosines follow {words} and the grades ({said}), and neither is shown to be ahead.",
    )

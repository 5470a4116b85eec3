"""Lists in a sentence."""

from collections.abc import Iterable
from typing import Annotated

from bertlab.arguments import FINITE, guarded


@guarded
def listed(names: Annotated[Iterable[str], (1, FINITE)]) -> str:
    """Return names as a list in a sentence.

    Parameters
    ----------
    names : list of str
        At least one name.

    Returns
    -------
    str
        Such as *a*, *a and b*, or *a, b and c*.

    Examples
    --------
    >>> listed(["cat", "dog", "horse"])
    'cat, dog and horse'
    """
    *first, end = names
    return f"{', '.join(first)} and {end}" if first else end

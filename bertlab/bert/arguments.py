"""Whole numbers as they are given: Python's, numpy's or torch's, as a table or a tensor hands them out."""

from operator import index
from typing import Any


def whole_number(given: Any) -> int | None:
    """Return a whole number as an int, and None for what is none: 1.0, True, "1".

    Examples
    --------
    >>> import numpy
    >>> whole_number(numpy.int64(3)), whole_number(3.0), whole_number(True)
    (3, None, None)
    """
    if isinstance(given, bool):  # to Python True is 1; to whoever wrote it, it is not
        return None
    try:
        return index(given)
    except TypeError:
        return None

"""Guards against what a person may give by mistake, one per kind of argument; each error names the argument."""

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any

import numpy as np


def require_count(**counts: Any) -> None:
    """Raise `ValueError` unless each count is a whole number from 1."""
    for name, count in counts.items():
        if not isinstance(count, Integral) or count < 1:  # pyrefly: ignore[unsupported-operation]
            raise ValueError(f"{name} is {count!r:.60}; it counts something, so it must be a whole number from 1.")


def require_place(end: int, start: int = 0, **places: Any) -> None:
    """Raise `IndexError` unless each place, such as a layer, is a whole number from `start` to `end` - 1."""
    for name, place in places.items():
        if not isinstance(place, Integral) or not start <= place < end:  # pyrefly: ignore[unsupported-operation]
            raise IndexError(f"{name} is {place!r:.60}; here it must be a whole number from {start} to {end - 1}.")


def require_share(**shares: Any) -> None:
    """Raise `ValueError` for numbers below 0 or above 1; nan may pass."""
    for name, share in shares.items():
        numbers = np.asarray(share, dtype=float)
        if ((numbers < 0) | (numbers > 1)).any():
            raise ValueError(f"{name} is {share!r:.60}; shares and probabilities are numbers from 0 to 1.")


def require_finite(**values: Any) -> None:
    """Raise `ValueError` for nan and infinity."""
    for name, value in values.items():
        numbers = value.detach().cpu().float() if hasattr(value, "detach") else value
        if not np.isfinite(np.asarray(numbers, dtype=float)).all():
            raise ValueError(f"{name} holds nan or infinity, so nothing can be computed. Leave that item out.")


def require_axes(axes: str, **tensors: Any) -> None:
    """Raise `ValueError` unless each tensor has the named axes, such as ``"tokens, hidden"``."""
    for name, tensor in tensors.items():
        shape = tuple(getattr(tensor, "shape", ()))
        if len(shape) != len(axes.split(",")):
            what = f"this has shape {shape}" if shape else f"this is {type(tensor).__name__}"
            raise ValueError(f"{name} must be a tensor with the axes ({axes}), and {what}.")


def require_list(**lists: Any) -> list[Any]:
    """Return one argument as a list; refuse strings and mappings, which `list` would split, and unordered sets."""
    ((name, values),) = lists.items()
    if hasattr(values, "columns"):  # a table would give its columns' names
        raise TypeError(
            f"{name} must be a list, and this is a table ({type(values).__name__}), which may hold several columns. "
            "Give one column, table['sentence']; for pairs list(zip(table['first'], table['second']))."
        )
    if isinstance(values, str | bytes | Mapping | set | frozenset) or not isinstance(values, Iterable):
        raise TypeError(
            f"{name} must be a list, and this is {type(values).__name__}: {values!r:.60}. Put what is meant in [ ], "
            "a single item too, in the order in which the results are to come."
        )
    return values.tolist() if hasattr(values, "tolist") else list(values)  # tensors' own items are never equal


def require_pairs(**lists: Any) -> list[tuple[Any, Any]]:
    """Return one argument as a list of pairs."""
    (name,) = lists
    pairs = require_list(**lists)
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:  # a string of two letters is none
            raise TypeError(f"{name} must be a list of pairs, [(first, second)], and {pair!r:.60} is not a pair.")
    return [(first, second) for first, second in pairs]


def require_as_many(**lists: Any) -> None:
    """Raise `ValueError` unless all lists have the same length."""
    sizes = [f"{name} {len(values)}" for name, values in lists.items()]
    if len({len(values) for values in lists.values()}) > 1:
        raise ValueError(f"There must be as many of each, since they belong together one by one: {', '.join(sizes)}.")

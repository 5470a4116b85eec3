"""Guards against what a person may give by mistake, one per kind of argument; each error names the argument."""

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any

import numpy as np


def require_bert(bert: Any) -> None:
    """Raise `TypeError` unless `bert` is one, and not, say, its ``bert.model``."""
    from bertlab.bert.loading import Bert

    if not isinstance(bert, Bert):
        wanted = "what bertlab.load() returns: bert itself, and neither bert.model nor bert.tokenizer nor a name"
        raise TypeError(f"bert is of the kind {type(bert).__name__}; here it must be {wanted}.")


def require_reading(reading: Any) -> None:
    """Raise `TypeError` unless `reading` is one."""
    from bertlab.bert.reading import Reading

    if not isinstance(reading, Reading):
        wanted = "one that bert.read('The cat sat.') returns"
        raise TypeError(f"reading is of the kind {type(reading).__name__}; here it must be {wanted}.")


def require_count(**counts: Any) -> Any:
    """Return whole numbers from 1 as plain int, one alone or several in a tuple; else raise `ValueError`."""
    return _whole(counts, 1, np.inf, ValueError, "it counts something, so it must be a whole number from 1")


def require_place(end: int, start: int = 0, **places: Any) -> Any:
    """Return whole numbers from `start` to `end` - 1, such as a layer, as `require_count` does; else `IndexError`."""
    return _whole(places, start, end, IndexError, f"here it must be a whole number from {start} to {end - 1}")


def _whole(numbers: dict[str, Any], start: float, end: float, error: type[Exception], wanted: str) -> Any:
    for name, number in numbers.items():
        if not isinstance(number, Integral) or isinstance(number, bool) or not start <= int(number) < end:
            raise error(f"{name} is {number!r:.60}; {wanted}.")
    plain = tuple(map(int, numbers.values()))
    return plain if len(plain) > 1 else plain[0]


def require_share(**shares: Any) -> None:
    """Raise `ValueError` for numbers below 0 or above 1; nan may pass."""
    for name, share in shares.items():
        numbers = _numbers(name, share)
        if ((numbers < 0) | (numbers > 1)).any():
            raise ValueError(f"{name} is {share!r:.60}; shares and probabilities are numbers from 0 to 1.")


def require_finite(**values: Any) -> None:
    """Raise `ValueError` for nan and infinity."""
    for name, value in values.items():
        if not np.isfinite(_numbers(name, value)).all():
            raise ValueError(f"{name} holds nan or infinity, so nothing can be computed. Leave that item out.")


def require_rate(**rates: Any) -> float:
    """Return one finite number above 0, such as a learning rate, as plain float; else raise `ValueError`."""
    ((name, rate),) = rates.items()
    number = _numbers(name, rate)
    if number.ndim or not 0 < number < np.inf:
        raise ValueError(f"{name} is {rate!r:.60}; here it must be a single finite number above 0.")
    return float(number)


def _numbers(name: str, value: Any) -> np.ndarray:
    """Return numbers, or a tensor of them, as an array; raise `TypeError` for anything else."""
    try:
        return np.asarray(value.detach().cpu().float() if hasattr(value, "detach") else value, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r:.60}; here it must be a number, or a list of numbers.") from None


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


def require_some(**lists: Any) -> list[Any]:
    """Return one argument as a list of at least one item."""
    (name,) = lists
    if not (values := require_list(**lists)):
        raise ValueError(f"{name} must hold one item or more, and it is empty.")
    return values


def require_pairs(**lists: Any) -> list[tuple[Any, Any]]:
    """Return one argument as a list of pairs."""
    (name,) = lists
    pairs = require_list(**lists)
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:  # a string of two letters is none
            raise TypeError(f"{name} must be a list of pairs, [(first, second)], and {pair!r:.60} is not a pair.")
    return [(first, second) for first, second in pairs]


def require_heads(bert: Any, **lists: Any) -> list[tuple[int, int]]:
    """Return one argument as pairs of layer and head that the BERT has, counted from 0."""
    require_bert(bert)
    config = bert.model.config
    return [
        (require_place(config.num_hidden_layers, layer=layer), require_place(config.num_attention_heads, head=head))
        for layer, head in require_pairs(**lists)
    ]


def require_as_many(**lists: Any) -> None:
    """Raise `ValueError` unless all lists have the same length."""
    sizes = [f"{name} {len(values)}" for name, values in lists.items()]
    if len({len(values) for values in lists.values()}) > 1:
        raise ValueError(f"There must be as many of each, since they belong together one by one: {', '.join(sizes)}.")

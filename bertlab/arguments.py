"""What a person gives by mistake is refused at the door of each function that lessons call, by the argument's name.

A function says in its annotations what it takes, and `guarded` holds it to them. What one argument asks of another (as
many of each, a layer that this BERT has) is asked in the function, by the `require` functions below.
"""

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, wraps
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import ArrayLike

Given = ParamSpec("Given")
Returned = TypeVar("Returned")
Item = TypeVar("Item")
FINITE = np.finfo(float).max
Count = Annotated[int, (1, FINITE)]
Seed = Annotated[int, (0, 2**63 - 1)]
Share = Annotated[float, (0, 1)]
Positive = Annotated[float, (np.finfo(float).tiny, FINITE)]
Some = Annotated[Sequence[Item], (1, FINITE)]  # a list that is not empty
LISTS = (Sequence, Iterable, Collection)
MEANT = {
    "Bert": "what bertlab.load() returns: bert itself, and neither bert.model nor a name",
    "Reading": "what bert.read('The cat sat.') returns",
    "BertTokenizer": "a tokenizer, such as bert.tokenizer",
    "DataFrame": "a table (pandas.DataFrame)",
    "Tensor": "a tensor",
    "int": "a whole number",
    "float": "a number",
    "str": "a text in quotes",
    "bool": "True or False",
    "tuple": "a pair in round brackets",
    "Mapping": "a dictionary",
    "Callable": "a function",
    "Path": "a path",
    "Sequence": "a list in [ ], for a single item too, in the order in which the results are to come",
} | dict.fromkeys(("Iterable", "Collection"), "a list in [ ], for a single item too")
COLUMN = "; of a table give one column, table['sentence'], or list(zip(table['first'], table['second']))"


def guarded(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
    """Let a function take what its annotations name, and refuse anything else by the argument's name."""
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args: Given.args, **kwargs: Given.kwargs) -> Returned:
        given = signature.bind(*args, **kwargs)
        for name, hint in _hints(function).items():
            if name in given.arguments:
                given.arguments[name] = taken(given.arguments[name], hint, name)
        return function(*given.args, **given.kwargs)

    return call


@cache
def _hints(function: Callable) -> dict[str, Any]:
    import pandas as pd
    import torch
    from transformers import BertTokenizer

    later = {"Tensor": torch.Tensor, "DataFrame": pd.DataFrame, "BertTokenizer": BertTokenizer}
    hints = get_type_hints(function, localns=later, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            hints[name] = Mapping[str, hints[name]]
    return {name: hint for name, hint in hints.items() if name != "return"}


def taken(value: Any, hint: Any, name: str) -> Any:
    """Return a value in the form that an annotation names: lists for series of items, Python's numbers for numpy's."""
    if hint == ArrayLike:
        require_finite(**{name: value})
        return value
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    for kind in kinds:
        if _fits(value, kind, alone=len(kinds) == 1):
            return _formed(value, kind, name)
    words = " or ".join(MEANT.get(named := _origin(kind).__name__, named) for kind in kinds if kind is not NoneType)
    column = COLUMN if hasattr(value, "columns") else ""
    raise TypeError(f"{name} must be {words}, and this is {type(value).__name__}: {value!r:.60}{column}.")


def _origin(kind: Any) -> Any:
    return _origin(get_args(kind)[0]) if get_origin(kind) is Annotated else get_origin(kind) or kind


def _fits(value: Any, kind: Any, alone: bool) -> bool:
    """Return whether a value is of a kind, whatever it holds."""
    origin = _origin(kind)
    if origin in (int, float):
        return isinstance(value, Integral if origin is int else Real) and not isinstance(value, bool)
    if origin is tuple:  # a list of two is a pair where nothing else is meant
        return isinstance(value, tuple | list if alone else tuple)
    if origin in LISTS:
        unordered = isinstance(value, str | bytes | Mapping | set | frozenset) or hasattr(value, "columns")
        return isinstance(value, Iterable) and not unordered
    return not isinstance(origin, type) or isinstance(value, origin)


def _formed(value: Any, kind: Any, name: str) -> Any:
    """Return a value of the right kind, with all that it holds looked at, too."""
    origin, inside = _origin(kind), get_args(kind)
    if get_origin(kind) is Annotated:
        low, high = inside[1]
        return _between(_formed(value, inside[0], name), low, high, name)
    if origin is int:
        return int(value)
    if origin is float:
        return _between(float(value), -FINITE, FINITE, name)
    if origin is tuple:
        hints = inside[:1] * len(value) if ... in inside else inside
        if len(hints) != len(value):
            raise TypeError(f"{name} must be {MEANT['tuple']}, and this one has {len(value)} items: {value!r:.60}.")
        return tuple(taken(item, hint, f"{name}[{i}]") for i, (item, hint) in enumerate(zip(value, hints, strict=True)))
    if origin is Mapping and inside:
        of = {key: f"{name}[{key!r}]" for key in value}
        return {taken(key, inside[0], of[key]): taken(item, inside[1], of[key]) for key, item in value.items()}
    if origin in LISTS and inside:
        items = value.tolist() if hasattr(value, "tolist") else list(value)
        return [taken(item, inside[0], f"{name}[{i}]") for i, item in enumerate(items)]
    return value


def _between(value: Any, low: float, high: float, name: str) -> Any:
    """Return a number, or a list by its length, that lies between two limits; raise `ValueError` for another one."""
    if isinstance(value, list):
        if len(value) < low:
            raise ValueError(f"{name} must hold one item or more, and it is empty.")
    elif not low <= value <= high:
        limits = f"from {low:.0f}" + (f" to {high:g}" if high < FINITE else "") if low >= 0 else "that is finite"
        limits = "above 0" if 0 < low < 1 else limits
        raise ValueError(f"{name} is {value}; here it must be a {'whole ' * isinstance(value, int)}number {limits}.")
    return value


def require_place(end: int, start: int = 0, **places: int) -> None:
    """Raise `IndexError` unless each place, such as a layer, is from `start` to `end` - 1."""
    for name, place in places.items():
        if not start <= place < end:
            raise IndexError(f"{name} is {place}; here it must be a whole number from {start} to {end - 1}.")


def require_finite(**values: Any) -> None:
    """Raise `ValueError` for nan and infinity, and `TypeError` for what is no number."""
    for name, value in values.items():
        try:
            numbers = np.asarray(value.detach().cpu().float() if hasattr(value, "detach") else value, dtype=float)
        except (TypeError, ValueError):
            raise TypeError(f"{name} must be numbers, and this is {type(value).__name__}: {value!r:.60}.") from None
        if not np.isfinite(numbers).all():
            raise ValueError(f"{name} holds nan or infinity, so nothing can be computed. Leave that item out.")


def require_axes(axes: str, **tensors: Any) -> None:
    """Raise `ValueError` unless each tensor has the named axes, such as ``"tokens, hidden"``."""
    for name, tensor in tensors.items():
        if tensor.ndim != len(axes.split(",")):
            raise ValueError(
                f"{name} must be a tensor with the axes ({axes}), and this has shape {tuple(tensor.shape)}."
            )


def require_fit(fit: bool, **arrays: Any) -> None:
    """Raise `ValueError` with the shapes of arrays or tensors unless they fit."""
    if not fit:
        shapes = ", ".join(f"{name} {tuple(np.shape(array))}" for name, array in arrays.items())
        raise ValueError(f"These shapes do not fit: {shapes}.")


def require_as_many(**lists: Any) -> None:
    """Raise `ValueError` unless all lists have the same length."""
    sizes = [f"{name} {len(values)}" for name, values in lists.items()]
    if len({len(values) for values in lists.values()}) > 1:
        raise ValueError(f"There must be as many of each, since they belong together one by one: {', '.join(sizes)}.")

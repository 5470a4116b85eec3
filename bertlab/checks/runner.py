"""The runner that all checks share: it tries a student's function, compares, and says what is wrong and where."""

import inspect
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from bertlab.bert.loading import Bert
from bertlab.checks.inputs import copied
from bertlab.checks.outcome import Outcome
from bertlab.checks.student import failing_line, is_blank, notebook_names, words

Result = TypeVar("Result")

LIMIT = 60.0
"""Seconds that a student's function has for one call: far more than any exercise takes, on a slow machine too."""

ROUNDING = 5e-5
"""Largest difference that counts as rounding, as a share of the largest value of a tensor.

Kernels differ by some 1e-6 of it, whatever its scale: logits reach 28, probabilities stay below 1.
"""

NOT_YET = Outcome("not yet", "the function still returns None. Write its body, run its cell, then run this one.")


@dataclass(frozen=True)
class Slip:
    """A misconception: what to say about it, and what a function that holds it would return."""

    says: str
    gives: Callable[..., Any]


@dataclass(frozen=True)
class Shortcut:
    """A way to the right values that leaves out what the exercise is for.

    Attributes
    ----------
    says
        What was left out.
    taken
        Takes the words of a student's function (its names, attributes and keywords); returns whether it goes that way.
    """

    says: str
    taken: Callable[[set[str]], bool]


def judge(
    answer: Callable[..., object],
    cases: Sequence[tuple],
    truth: Callable[..., Any],
    slips: Sequence[Slip],
    praise: str | Callable[[], str],
    *,
    shortcuts: Sequence[Shortcut] = (),
    counts: Callable[..., Tensor] | None = None,
    atol: float = 1e-7,
) -> Outcome:
    """Try a student's function on every case, and name the misconception if it is wrong.

    Parameters
    ----------
    answer
        The student's function. It gets copies, of models and tokenizers too, so it may spoil them. One that has not
        returned after `LIMIT` seconds is stopped, where Python can do that (see `time_limit`). It may return a tensor,
        an array, a list of either, a number.
    cases
        Arguments for one call each.
    truth
        Takes the same arguments and returns the right tensor, from an independent source.
    slips
        Known mistakes, the likeliest first. The first that gives the student's value *in every case* is named.
    praise
        What the outcome says when all is right, or what returns it, where that takes a while to compute.
    shortcuts
        Ways to the right values that are not accepted.
    counts
        Takes the same arguments; returns which values count (bool, broadcast to the result). By default all do.
    atol
        Difference that counts as rounding beside `ROUNDING`, where small values come from the difference of large ones.

    Returns
    -------
    Outcome
    """
    given: list[Tensor] = []
    for case in cases:
        try:
            with time_limit(LIMIT):
                value = answer(*map(_copy, case))
        except TooLongError:
            return _not_quite(
                f"your function was stopped: it had not returned after {LIMIT:.0f} seconds. Does one of its loops "
                "never end?"
            )
        except Exception as error:  # a student's function may raise anything
            said = f"your function raised {type(error).__name__}: {_short(str(error), 300)}"
            line = failing_line(answer, error)
            return _unlike(answer, f"{said}{f' — in the line {line!r}' if line else ''}", case, bool(given))
        if value is None and is_blank(answer):
            return NOT_YET
        if value is None:
            return _unlike(
                answer,
                "your function has a body, and still it returns None. End it with return and the result; a return None "
                "at its end has to go, and print shows a value without returning it",
                case,
                bool(given),
            )
        try:
            given.append(as_tensor(value))
        except (TypeError, ValueError, RuntimeError):
            asked = "a number" if not _right(truth, case).ndim else "a tensor"
            return _unlike(
                answer, f"your function returns {type(value).__name__}, and {asked} is asked for", case, False
            )

    right = [_right(truth, case) for case in cases]
    place = [torch.ones((), dtype=torch.bool) if counts is None else counts(*case).cpu() for case in cases]
    same = [_close(mine, theirs, atol, here) for mine, theirs, here in zip(given, right, place, strict=True)]
    if all(same):
        return _praised(answer, shortcuts, praise)
    everywhere = [torch.ones((), dtype=torch.bool)] * len(cases)
    for where in (everywhere,) if counts is None else (everywhere, place):
        for slip in slips:
            cases_ = zip(given, cases, where, strict=True)
            if all(_close(mine, _right(slip.gives, case), atol, here) for mine, case, here in cases_):
                return _not_quite(slip.says)
    if all(_close(mine, theirs[None], atol) for mine, theirs in zip(given, right, strict=True)):
        return _not_quite("your result is a batch of one, with an axis too many in front: return result[0].")
    wrong = same.index(False)
    difference = _difference(given[wrong], right[wrong], place[wrong])
    return _unlike(answer, difference, cases[wrong], wrong > 0 and all(same[:wrong]), "The hints may help.")


def as_tensor(value: Any) -> Tensor:
    """Return what a student's function gave as a tensor of float64: a tensor, an array, a table, a list, a number.

    A list of tensors that differ in length is filled up with zeros, as the batch that it stands for would be.
    """
    if isinstance(value, Tensor):
        return value.detach().cpu().double()
    if isinstance(value, list | tuple):
        return _stacked([as_tensor(one) for one in value])
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{type(value).__name__} holds no numbers")
    return torch.from_numpy(array.astype(np.float64))


def _stacked(rows: list[Tensor]) -> Tensor:
    """Return tensors as one, the shorter ones filled up with zeros at the end."""
    if len({row.ndim for row in rows}) > 1:
        raise ValueError("numbers and tensors are mixed")
    if not rows:
        return torch.zeros(0, dtype=torch.float64)
    shape = [max(sizes) for sizes in zip(*(row.shape for row in rows), strict=True)]
    filled = torch.zeros(len(rows), *shape, dtype=torch.float64)
    for i, row in enumerate(rows):
        filled[(i, *map(slice, row.shape))] = row
    return filled


def _right(function: Callable[..., Any], case: tuple) -> Tensor:
    with torch.no_grad():
        return torch.as_tensor(function(*case)).detach().cpu()


def _close(mine: Tensor, theirs: Tensor, atol: float, where: Tensor | bool = True) -> bool:
    """Return whether two tensors are equal, but for rounding, wherever that counts."""
    if mine.shape != theirs.shape:
        return False
    exact = theirs.double()
    finite = exact[exact.isfinite()].abs()
    # A count has no rounding.
    allowed = atol + ROUNDING * float(finite.max()) if theirs.is_floating_point() and len(finite) else 0.0
    near = torch.isclose(mine, exact, rtol=0, atol=allowed, equal_nan=True)
    return bool((near | ~torch.as_tensor(where)).all())


def _praised(answer: object, shortcuts: Sequence[Shortcut], praise: str | Callable[[], str]) -> Outcome:
    """Return the outcome of right values: praise, unless a shortcut led to them."""
    used = words(answer) if shortcuts else set()
    for shortcut in shortcuts:
        if shortcut.taken(used):
            return _not_quite(f"the values are right, but by a shortcut: {shortcut.says}")
    return Outcome("right", praise if isinstance(praise, str) else praise())


def _difference(mine: Tensor, theirs: Tensor, where: Tensor) -> str:
    """Say where two tensors differ most: what was found there and what was expected."""
    if mine.shape != theirs.shape:
        return f"the shape of your result is {tuple(mine.shape)}, and {tuple(theirs.shape)} is asked for"
    if mine.isnan().any():
        return (
            "your result holds nan (not a number). That comes of 0 / 0, of the mean of nothing, of softmax over a row "
            "that is -inf throughout, or of the logarithm of a negative number, as logits often are"
        )
    exact = theirs.double()
    off = torch.where(where, (mine - exact).abs(), 0.0)
    at = tuple(int(i) for i in torch.unravel_index(off.argmax(), off.shape))
    found = f"{f'at {list(at)} it' if at else 'it'} is {_number(mine[at])}, and {_number(exact[at])} is right"
    if theirs.dtype == torch.bool:
        found = f"{f'at {list(at)} it' if at else 'it'} is {bool(mine[at])}, and {bool(exact[at])} is right"
        return (
            f"the shape of your result is right, but {int((off > 0).sum())} of {off.numel()} answers are not: {found}"
        )
    if not at:
        return f"your result is off by {_number(off.max())}: {found}"
    return f"the shape of your result is right, but a value is off by {_number(off.max())}: {found}"


def _unlike(answer: Callable[..., object], what: str, case: tuple, before: bool, end: str = "") -> Outcome:
    """Say what went wrong, on which input, and which of the notebook's names may be the cause."""
    names = notebook_names(answer)
    said = ""
    if names:
        said = f"your function uses {' and '.join(names)} from the notebook instead of what it is given. So "
    elif before:
        said = (
            "your function is right for some inputs and not for others; does it hold a number, a name or an assumption "
            "that fits the first ones only? Here "
        )
    return _not_quite(f"{said}{what}, given {_inputs(answer, case)}. {end}".strip())


def _not_quite(message: str) -> Outcome:
    return Outcome("not quite", message)


def _inputs(answer: Callable[..., object], case: tuple) -> str:
    """Return the arguments of one call as a student reads them."""
    try:
        names = list(inspect.signature(answer).bind(*case).arguments)
    except (TypeError, ValueError):
        names = []
    if len(names) != len(case):  # *args, say
        return ", ".join(map(shown, case))
    return ", ".join(f"{name} = {shown(value)}" for name, value in zip(names, case, strict=True))


def shown(value: object) -> str:
    """Return a value in few words: a tensor by its shape, or its numbers where they are few."""
    if isinstance(value, Bert):
        return value.name
    if isinstance(value, Tensor):
        if value.numel() > 4:
            return f"a tensor of shape {tuple(value.shape)}"
        return str(value.tolist()) if not value.is_floating_point() else _numbers(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple) and any(isinstance(one, Tensor) for one in value):
        return f"({', '.join(map(shown, value))})"
    return _short(repr(value), 160)


def _numbers(values: Tensor) -> str:
    return _number(values) if not values.ndim else f"[{', '.join(_number(value) for value in values.flatten())}]"


def _number(value: Tensor) -> str:
    number = float(value)
    return f"{number:.0f}" if number.is_integer() and abs(number) < 1e12 else f"{number:.4g}"


def _short(text: str, length: int) -> str:
    """Return the beginning of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def _copy(value: object) -> object:
    """Return a copy of whatever a function could change: a tensor, a list of them, a table, or a BERT."""
    if isinstance(value, Tensor):
        return value.clone()
    if isinstance(value, tuple | list):
        return type(value)(map(_copy, value))
    return copied(value) if isinstance(value, Bert) else deepcopy(value)


class TooLongError(BaseException):
    """A function took too long. No Exception: what a student's own ``except Exception`` caught would go on for ever."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop what runs inside the block after some seconds.

    That takes a signal, which Windows has not and which reaches the main thread alone; cells of a notebook run there.
    Elsewhere there is no limit.

    Raises
    ------
    TooLongError
        If the time is over.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGALRM, stop)
    timer = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before or signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, *timer)  # of whoever had set one, or none


def once(function: Callable[..., Result]) -> Callable[..., Result]:
    """Return a function that works only once for the same objects: slips ask again and again for what is slow.

    Objects are the same by identity, as a check's cases are as long as it runs; tensors and lists have no hash.
    """
    kept: dict[tuple[int, ...], tuple[tuple, Result]] = {}

    def remembered(*given: object) -> Result:
        key = tuple(map(id, given))
        if key not in kept:
            kept[key] = given, function(*given)  # kept alive, so that no other object gets the same id
        return kept[key][1]

    return remembered

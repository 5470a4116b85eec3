"""The runner that all checks share: it tries a student's function, compares, and says what is wrong and where."""

import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor

from bertlab.bert.loading import Bert
from bertlab.checks.compare import UnlikePartsError, as_tensor, close, difference, mistaken_alike, reordered
from bertlab.checks.inputs import copied
from bertlab.checks.outcome import Outcome
from bertlab.checks.student import failing_line, inputs, is_blank, notebook_names, short, words

Result = TypeVar("Result")

LIMIT = 60.0
"""Seconds that a student's function has for one call: far more than any exercise takes, on a slow machine too."""

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
    part: Callable[..., str] | None = None,
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
    part
        Takes the same arguments; returns in which part of the answer they lie, such as "in the rise". It is said which
        parts are right already.
    atol
        Difference that counts as rounding beside `bertlab.checks.compare.ROUNDING`, where small values come from the
        difference of large ones.

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
            said = f"your function raised {type(error).__name__}: {short(str(error), 300)}"
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
        except UnlikePartsError as error:
            unlike = f"the parts of your result make no tensor together, with the shapes {error}"
            return _unlike(answer, f"{unlike}; {_asked(truth, case)} is asked for", case, False)
        except (TypeError, ValueError, RuntimeError):
            said = f"your function returns {type(value).__name__}, and {_asked(truth, case)} is asked for"
            return _unlike(answer, said, case, False)

    right = [_right(truth, case) for case in cases]
    place = [torch.ones((), dtype=torch.bool) if counts is None else counts(*case).cpu() for case in cases]
    same = [close(mine, theirs, atol, here) for mine, theirs, here in zip(given, right, place, strict=True)]
    if all(same):
        return _praised(answer, shortcuts, praise)
    everywhere = [torch.ones((), dtype=torch.bool)] * len(cases)
    for where in (everywhere,) if counts is None else (everywhere, place):
        for slip in slips:
            cases_ = zip(given, cases, where, strict=True)
            if all(mistaken_alike(mine, _right(slip.gives, case), atol, here) for mine, case, here in cases_):
                return _not_quite(slip.says)
    if all(close(mine, theirs[None], atol) for mine, theirs in zip(given, right, strict=True)):
        return _not_quite("your result is a batch of one, with an axis too many in front: return result[0].")
    if all(reordered(mine, theirs, atol) for mine, theirs in zip(given, right, strict=True)):
        return _not_quite("the rows are right, but in another order: give them in the order of the inputs.")
    if len(given) > 1 and not notebook_names(answer) and all(torch.equal(mine, given[0]) for mine in given):
        return _not_quite("your function gives the same result whatever it is given: use what it is given.")
    wrong = same.index(False)
    if _by_lot(answer, cases[wrong], given[wrong]):
        return _not_quite(
            "your function gives another result when it is given the same again, as if it drew by lot: what is asked "
            "for follows from what it is given."
        )
    said = difference(given[wrong], right[wrong], place[wrong])
    parts = _parts(part, cases, same) if part is not None else ""
    before = wrong > 0 and all(same[:wrong])
    return _unlike(answer, said, cases[wrong], before, "The hints may help.", parts)


def _right(function: Callable[..., Any], case: tuple) -> Tensor:
    with torch.no_grad():
        return torch.as_tensor(function(*case)).detach().cpu()


def _praised(answer: object, shortcuts: Sequence[Shortcut], praise: str | Callable[[], str]) -> Outcome:
    """Return the outcome of right values: praise, unless a shortcut led to them."""
    used = words(answer) if shortcuts else set()
    for shortcut in shortcuts:
        if shortcut.taken(used):
            return _not_quite(f"the values are right, but by a shortcut: {shortcut.says}")
    return Outcome("right", praise if isinstance(praise, str) else praise())


def _asked(truth: Callable[..., Any], case: tuple) -> str:
    shape = tuple(_right(truth, case).shape)
    return f"a tensor of shape {shape}, or a list of such numbers," if shape else "a number"


def _by_lot(answer: Callable[..., object], case: tuple, before: Tensor) -> bool:
    """Return whether a function gives another result for the same input."""
    try:
        with time_limit(LIMIT):
            again = as_tensor(answer(*map(_copy, case)))
    except (Exception, TooLongError):
        return False
    return again.shape != before.shape or not torch.isclose(again, before, rtol=1e-5, equal_nan=True).all()


def _parts(part: Callable[..., str], cases: Sequence[tuple], same: Sequence[bool]) -> str:
    """Say which parts of the answer are right, where some are."""
    wrong = dict.fromkeys(part(*case) for case, right in zip(cases, same, strict=True) if not right)
    right = dict.fromkeys(part(*case) for case in cases if part(*case) not in wrong)
    return f"your function is right {_listed(right)}, and wrong {_listed(wrong)}. There " if right else ""


def _listed(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _unlike(
    answer: Callable[..., object], what: str, case: tuple, before: bool, end: str = "", parts: str = ""
) -> Outcome:
    """Say what went wrong, on which input, and which of the notebook's names may be the cause."""
    names = notebook_names(answer)
    said = parts
    if names:
        said = f"your function uses {' and '.join(names)} from the notebook instead of what it is given. So "
    elif before and not parts:
        said = (
            "your function is right for some inputs and not for others; does it hold a number, a name or an assumption "
            "that fits the first ones only? Here "
        )
    return _not_quite(f"{said}{what}, given {inputs(answer, case)}. {end}".strip())


def _not_quite(message: str) -> Outcome:
    return Outcome("not quite", message)


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

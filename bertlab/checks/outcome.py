"""What a check says, and the comparison that all checks share."""

import dataclasses
import html
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

import torch
from torch import Tensor

from bertlab.bert.loading import Bert

LIMIT = 60.0
"""Seconds that a student's function has for one call: far more than any exercise takes, on a slow machine too."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a check.

    Attributes
    ----------
    status : {"not yet", "right", "not quite"}
    message : str
        What to do next, or what the answer gets wrong.
    folded : str
        What is shown only to who unfolds it, below the message; empty for nothing.
    """

    status: Literal["not yet", "right", "not quite"]
    message: str
    folded: str = ""

    def __repr__(self) -> str:
        """Return the outcome as the line a student reads."""
        return f"{self.status}: {self.message}"

    def _repr_html_(self) -> str | None:
        """Return the line with what is folded below it; where nothing is, the line stays text."""
        if not self.folded:
            return None
        folded = f"<details><summary>The answer</summary>{html.escape(self.folded)}</details>"
        return f"<p>{html.escape(repr(self))}</p>{folded}"


NOT_YET = Outcome("not yet", "the function still returns None. Write its body, run its cell, then run this one.")


@dataclass(frozen=True)
class Slip:
    """A misconception: what to say about it, and what a function that holds it would return."""

    says: str
    gives: Callable[..., Any]


def judge(
    answer: Callable[..., object],
    cases: Sequence[tuple],
    truth: Callable[..., Tensor],
    slips: Sequence[Slip],
    praise: str | Callable[[], str],
    *,
    atol: float = 1e-5,
) -> Outcome:
    """Try a student's function on every case, and name the misconception if it is wrong.

    Parameters
    ----------
    answer : callable
        The student's function. It gets copies, of models and tokenizers too, so it may spoil them. One that has not
        returned after `LIMIT` seconds is stopped, where Python can do that (see `time_limit`).
    cases : sequence of tuple
        Arguments for one call each.
    truth : callable
        Takes the same arguments and returns the right tensor, from an independent source.
    slips : sequence of Slip
        Known mistakes, the likeliest first. The first that gives the student's value *in every case* is named.
    praise : str or callable
        What the outcome says when all is right, or what returns it, where that takes a while to compute.
    atol : float
        Largest difference that counts as rounding.

    Returns
    -------
    Outcome
    """
    given: list[Tensor] = []
    for case in cases:
        copies = [_copy(value) for value in case]
        try:
            with time_limit(LIMIT):
                value = answer(*copies)
        except TooLongError:
            return Outcome(
                "not quite",
                f"your function was stopped: it had not returned after {LIMIT:.0f} seconds. Does one of its loops "
                "never end?",
            )
        except Exception as error:  # a student's function may raise anything
            return Outcome("not quite", f"your function raised {type(error).__name__}: {error}")
        if value is None:
            return NOT_YET
        try:
            given.append(torch.as_tensor(value).detach().cpu().float())
        except (TypeError, ValueError, RuntimeError):
            return Outcome("not quite", f"your function returns {type(value).__name__}, and a tensor is asked for.")

    def values(function: Callable[..., Any]) -> list[Tensor]:
        with torch.no_grad():
            return [torch.as_tensor(function(*case)).detach().cpu() for case in cases]

    def equals(others: Sequence[Tensor]) -> bool:
        return all(
            mine.shape == theirs.shape
            # A count has no rounding that grows with it.
            and torch.allclose(mine, theirs.float(), rtol=1e-4 * theirs.is_floating_point(), atol=atol, equal_nan=True)
            for mine, theirs in zip(given, others, strict=True)
        )

    right = values(truth)
    if equals(right):
        return Outcome("right", praise if isinstance(praise, str) else praise())
    for slip in slips:
        if equals(values(slip.gives)):
            return Outcome("not quite", slip.says)
    if equals([theirs[None] for theirs in right]):
        return Outcome("not quite", "your result is a batch of one, with an axis too many in front: return result[0].")
    for mine, theirs in zip(given, right, strict=True):
        if mine.shape != theirs.shape:
            shapes = f"{tuple(mine.shape)}, and {tuple(theirs.shape)} is asked for"
            return Outcome("not quite", f"the shape of your result is {shapes}.")
    if any(mine.isnan().any() for mine in given):
        return Outcome("not quite", "your result holds nan (not a number): something was divided by zero.")
    if all(theirs.dtype == torch.bool for theirs in right):
        differ = sum(int((mine != theirs.float()).sum()) for mine, theirs in zip(given, right, strict=True))
        total = sum(theirs.numel() for theirs in right)
        return Outcome("not quite", f"the shape is right, but {differ} of {total} answers are not. The hints may help.")
    worst = max(float((mine - theirs.float()).abs().max()) for mine, theirs in zip(given, right, strict=True))
    return Outcome("not quite", f"the shape is right, but a value is off by {worst:.2g}. The hints may help.")


def _copy(value: object) -> object:
    """Return a copy of what a function could change: a tensor, a list of them, or a BERT, tokenizer and weights."""
    if isinstance(value, Tensor):
        return value.clone()
    if isinstance(value, tuple | list):
        return type(value)(map(_copy, value))
    if isinstance(value, Bert):
        return dataclasses.replace(value, model=deepcopy(value.model), tokenizer=deepcopy(value.tokenizer))
    return value


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


def once(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return a function that works only once for the same objects: slips ask again and again for what is slow.

    Objects are the same by identity, as a check's cases are as long as it runs; tensors and lists have no hash.
    """
    kept: dict[tuple[int, ...], tuple[tuple, Tensor]] = {}

    def remembered(*given: object) -> Tensor:
        key = tuple(map(id, given))
        if key not in kept:
            kept[key] = given, function(*given)  # kept alive, so that no other object gets the same id
        return kept[key][1]

    return remembered


def reveal(guess: object, answer: object, because: str, question: str = "") -> Outcome:
    """Answer a prediction, made or not.

    Parameters
    ----------
    guess : object
        What the student wrote, or None. Quotes around a number do not count, nor do capitals, spaces, brackets or a
        full stop around a letter or a word: ``"C)"`` is ``"c"``.
    answer : object
        What is true, computed. A guess at a float is right when it is within a tenth of it, one at a whole number when
        it is that number: 6, 6.0 or "6".
    because : str
        One sentence of explanation.
    question : str
        What is asked, in a sentence. With it, who made no guess is asked again, and the answer stays folded.

    Returns
    -------
    Outcome
    """
    if guess is None and question:
        again = f"{question} Write your guess in its cell above, run that, then this one."
        return Outcome("not yet", again, folded=f"The answer is {answer}: {because}")
    if guess is None:
        return Outcome("not yet", f"you made no guess. The answer is {answer}: {because}")
    number, true = _number(guess), _number(answer)
    if number is not None and true is not None:
        measured = isinstance(answer, Real) and not isinstance(answer, Integral)
        right = abs(number - true) <= (abs(true) / 10 if measured else 0)
    else:
        right = _bare(guess) == _bare(answer)
    if right:
        return Outcome("right", f"the answer is {answer}: {because}")
    return Outcome("not quite", f"you guessed {guess}; the answer is {answer}: {because}")


def _number(value: object) -> float | None:
    """Return a number, whether it is written as one or as text; None for anything else."""
    if not isinstance(value, str | Real) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _bare(value: object) -> str:
    """Return a letter or a word as it is compared."""
    return str(value).strip().strip(".()").strip().casefold()

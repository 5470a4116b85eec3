"""What a check says, and the comparison that all checks share."""

import dataclasses
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from bertlab.model import Bert


@dataclass(frozen=True)
class Outcome:
    """The outcome of a check.

    Attributes
    ----------
    status : {"not yet", "right", "not quite"}
    message : str
        What to do next, or what the answer gets wrong.
    """

    status: Literal["not yet", "right", "not quite"]
    message: str

    def __repr__(self) -> str:
        """Return the outcome as the line a student reads."""
        return f"{self.status}: {self.message}"


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
    praise: str,
    *,
    atol: float = 1e-5,
) -> Outcome:
    """Try a student's function on every case, and name the misconception if it is wrong.

    Parameters
    ----------
    answer : callable
        The student's function. It gets copies, of models too, so it may spoil them.
    cases : sequence of tuple
        Arguments for one call each.
    truth : callable
        Takes the same arguments and returns the right tensor, from an independent source.
    slips : sequence of Slip
        Known mistakes, the likeliest first. The first that gives the student's value *in every case* is named.
    praise : str
        What the outcome says when all is right.
    atol : float
        Largest difference that counts as rounding.

    Returns
    -------
    Outcome
    """
    given: list[Tensor] = []
    for case in cases:
        try:
            value = answer(*map(_copy, case))
        except Exception as error:  # a student's function may raise anything
            return Outcome("not quite", f"your function raised {type(error).__name__}: {error}")
        if value is None:
            return NOT_YET
        try:
            given.append(torch.as_tensor(value).detach().cpu().float())
        except (TypeError, ValueError, RuntimeError):
            return Outcome("not quite", f"your function returns {type(value).__name__}, and a tensor is asked for.")

    def equals(other: Callable[..., Any]) -> bool:
        with torch.no_grad():
            values = [torch.as_tensor(other(*case)).detach().cpu().float() for case in cases]
        return all(
            mine.shape == theirs.shape and torch.allclose(mine, theirs, rtol=1e-4, atol=atol, equal_nan=True)
            for mine, theirs in zip(given, values, strict=True)
        )

    if equals(truth):
        return Outcome("right", praise)
    for slip in slips:
        if equals(slip.gives):
            return Outcome("not quite", slip.says)
    if equals(lambda *case: truth(*case)[None]):
        return Outcome("not quite", "your result is a batch of one, with an axis too many in front: return result[0].")
    with torch.no_grad():
        right = [truth(*case).cpu() for case in cases]
    for mine, theirs in zip(given, right, strict=True):
        if mine.shape != theirs.shape:
            shapes = f"{tuple(mine.shape)}, and {tuple(theirs.shape)} is asked for"
            return Outcome("not quite", f"the shape of your result is {shapes}.")
    if any(mine.isnan().any() for mine in given):
        return Outcome("not quite", "your result holds nan (not a number): something was divided by zero.")
    worst = max(float((mine - theirs).abs().max()) for mine, theirs in zip(given, right, strict=True))
    return Outcome("not quite", f"the shape is right, but a value is off by {worst:.2g}. The hints may help.")


def _copy(value: object) -> object:
    """Return a copy of what a function could change: a tensor, a list of them, or a model with its weights."""
    if isinstance(value, Tensor):
        return value.clone()
    if isinstance(value, tuple | list):
        return type(value)(map(_copy, value))
    return dataclasses.replace(value, model=deepcopy(value.model)) if isinstance(value, Bert) else value


def reveal(guess: object, answer: object, because: str) -> Outcome:
    """Answer a prediction, made or not.

    Parameters
    ----------
    guess : object
        What the student wrote, or None. Capitals and quotes around a number do not count.
    answer : object
        What is true, computed. A guess at a float is right when it is within a tenth of it.
    because : str
        One sentence of explanation.

    Returns
    -------
    Outcome
    """
    if guess is None:
        return Outcome("not yet", f"you made no guess. The answer is {answer}: {because}")
    right = str(guess).strip().casefold() == str(answer).casefold()
    if isinstance(guess, float | int) and isinstance(answer, float):
        right = abs(guess - answer) <= abs(answer) / 10
    if right:
        return Outcome("right", f"the answer is {answer}: {because}")
    return Outcome("not quite", f"you guessed {guess}; the answer is {answer}: {because}")

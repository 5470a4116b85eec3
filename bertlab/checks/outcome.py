"""What a check says, and the comparison that all checks share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor


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
    """A misconception: what it is called, and what a function that holds it would return."""

    says: str
    gives: Callable[..., object]


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
        The student's function.
    cases : sequence of tuple
        Arguments for one call each. Tensors among them are copied first.
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
        copies = [value.clone() if isinstance(value, Tensor) else value for value in case]
        try:
            value = answer(*copies)
        except Exception as error:  # a student's function may raise anything
            return Outcome("not quite", f"your function raised {type(error).__name__}: {error}")
        if value is None:
            return NOT_YET
        try:
            given.append(torch.as_tensor(value).detach().float())
        except (TypeError, ValueError, RuntimeError):
            return Outcome("not quite", f"your function returns {type(value).__name__}, and a tensor is asked for.")
    right = [truth(*case).detach().float() for case in cases]
    if all(_same(mine, theirs, atol) for mine, theirs in zip(given, right, strict=True)):
        return Outcome("right", praise)
    for slip in slips:
        wrong = [torch.as_tensor(slip.gives(*case)).detach().float() for case in cases]
        if all(_same(mine, theirs, atol) for mine, theirs in zip(given, wrong, strict=True)):
            return Outcome("not quite", slip.says)
    for mine, theirs in zip(given, right, strict=True):
        if mine.shape != theirs.shape:
            shapes = f"{tuple(mine.shape)}, and {tuple(theirs.shape)} is asked for"
            return Outcome("not quite", f"the shape of your result is {shapes}.")
    worst = max(float((mine - theirs).abs().max()) for mine, theirs in zip(given, right, strict=True))
    return Outcome("not quite", f"the shape is right, but a value is off by {worst:.2g}. The hints may help.")


def _same(mine: Tensor, theirs: Tensor, atol: float) -> bool:
    """Say whether two tensors agree in shape and, up to rounding, in values."""
    return mine.shape == theirs.shape and torch.allclose(mine, theirs, rtol=1e-4, atol=atol)


def reveal(guess: object, answer: object, because: str) -> Outcome:
    """Answer a prediction, made or not.

    Parameters
    ----------
    guess : object
        What the student wrote, or None.
    answer : object
        What is true, computed. A number counts as guessed when it is within a tenth of the answer.
    because : str
        One sentence of explanation.

    Returns
    -------
    Outcome
    """
    if guess is None:
        return Outcome("not yet", f"you made no guess. The answer is {answer}: {because}")
    close = guess == answer
    if isinstance(guess, float | int) and isinstance(answer, float):
        close = abs(guess - answer) <= abs(answer) / 10
    if close:
        return Outcome("right", f"the answer is {answer}: {because}")
    return Outcome("not quite", f"you guessed {guess}; the answer is {answer}: {because}")

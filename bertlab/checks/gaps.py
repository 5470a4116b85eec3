"""The lines that the lessons leave to the student: whether what stands there is right, and if not, what is wrong."""

from typing import Any

import torch

from bertlab.checks.compare import as_tensor, difference
from bertlab.checks.line import Line
from bertlab.checks.lines import LINES
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import EVERYTHING, Call
from bertlab.checks.student import short

GOES_ON = "The lesson goes on with the right value."

_answered: dict[str, tuple[Any, Outcome]] = {}  # what was returned last for each gap


def gap(name: str, mine: Any, *given: Any) -> tuple[Any, Outcome]:
    """Check a student's line in a gap; return the right value, with which the lesson goes on, and the outcome.

    `mine` is what the line gives, or the function that it completes; `given` is what the line has to work with.
    """
    line = LINES[name]
    if name in _answered and mine is _answered[name][0]:  # the check ran again, and the cell with the gap did not
        return _answered[name]
    right = line.truth(*given)
    _answered[name] = line.truth if callable(mine) else right, _judged(line, mine, given, right)
    return _answered[name]


def _judged(line: Line, mine: Any, given: tuple, right: Any) -> Outcome:
    """Say how a line fared."""
    try:
        value = mine(*given) if callable(mine) else mine
    except Exception as error:  # a student's function may raise anything
        return Outcome("raised", f"your function raised {type(error).__name__}: {short(str(error), 300)}. {GOES_ON}")
    if value is None:
        return Outcome("blank", f"write your line in place of None, run its cell, then this one. {GOES_ON}")
    expected = torch.as_tensor(right).detach().cpu()
    try:
        result = as_tensor(value)
    except (TypeError, ValueError, RuntimeError):
        shape = tuple(expected.shape)
        asked = f"a tensor of shape {shape}" if shape else "a number"
        return Outcome("wrong", f"your line gives {type(value).__name__}; {asked} is asked for. {GOES_ON}")
    call = Call(given, given, value, result, expected, EVERYTHING, atol=1e-7)
    if call.is_right:
        return Outcome("right", f"your line agrees with {line.source}.")
    with torch.no_grad():
        mistakes = line.wrong(*given)
    named = next((sentence for sentence, wrong in mistakes.items() if call.is_like(wrong)), None)
    return Outcome("wrong", f"{named or difference(result, expected, EVERYTHING) + '.'} {GOES_ON}")

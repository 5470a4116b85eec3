"""The runner of all checks: it tries a student's function on every case, and says what is wrong and where."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar

import torch
from torch import Tensor

from bertlab.checks.compare import as_tensor, close, difference, mistaken_alike, reordered
from bertlab.checks.outcome import Outcome
from bertlab.checks.student import arguments, elsewhere, failing_line, is_blank, notebook_names, short, words
from bertlab.evidence import listed

Result = TypeVar("Result")

Function = Callable[..., Any]

EVERYTHING = torch.tensor(True)


@dataclass(frozen=True, eq=False)
class Call:
    """One call of a student's function: its arguments, its result, the right one, and which of the values count."""

    case: tuple
    result: Tensor
    right: Tensor
    counting: Tensor
    atol: float

    @cached_property
    def is_right(self) -> bool:
        """Whether the result is right."""
        return close(self.result, self.right, self.atol, self.counting)

    def is_like(self, mistake: Any) -> bool:
        """Return whether a value that comes of a known mistake is the same."""
        return mistaken_alike(self.result, _tensor(mistake), self.atol, self.counting)


def judge(
    answer: Function,
    cases: Sequence[tuple],
    truth: Function,
    wrong: Function,
    praise: str | Callable[[], str],
    *,
    shortcuts: Mapping[str, Callable[[set[str]], bool]] = MappingProxyType({}),
    counts: Function | None = None,
    parts: Sequence[str] = (),
    atol: float = 1e-7,
) -> Outcome:
    """Try a student's function on copies of each case's arguments, and name the misconception if it is wrong.

    The functions handed over take the same arguments. `truth` returns what is right, from an independent source,
    `wrong` the sentence of each misconception with the value that comes of it, the likeliest first: the first that
    gives the student's values *in every case* is named. `praise` may be a function where it takes a while. `shortcuts`
    has a sentence for each way to the right values that leaves out what the exercise is for, and what tells it from
    the words of the student's function (`bertlab.checks.student.words`). `counts` returns which values count (bool,
    broadcast to the result), `parts` says in which part of the answer each case lies, such as "in the rise". `atol` is
    added to what counts as rounding (`bertlab.checks.compare.ROUNDING`).
    """
    calls = _calls(answer, cases, truth, counts, atol)
    if isinstance(calls, Outcome):
        return calls
    if all(call.is_right for call in calls):
        if taken := [sentence for sentence, is_taken in shortcuts.items() if is_taken(words(answer))]:
            return Outcome("shortcut", f"the values are right, but by a shortcut: {taken[0]}")
        said = praise if isinstance(praise, str) else praise()
        if others := elsewhere(answer):
            said += f" A mark is given for this exercise's cell alone, so copy {listed(others)} into it."
        return Outcome("right", said)
    # Values that do not count may still tell two misconceptions apart.
    named = _misconception([replace(call, counting=EVERYTHING) for call in calls], wrong)
    if named := named or (_misconception(calls, wrong) if counts else None) or _other_form(calls):
        return Outcome("wrong", named)
    return _difference(answer, calls, parts)


def _calls(
    answer: Function, cases: Sequence[tuple], truth: Function, counts: Function | None, atol: float
) -> list[Call] | Outcome:
    """Call a student's function in each case, or return the outcome where it gives nothing to compare."""
    calls: list[Call] = []
    for case in cases:
        try:
            value = answer(*deepcopy(case))
        except Exception as error:  # a student's function may raise anything
            line = failing_line(answer, error)
            what = f"your function raised {type(error).__name__}: {short(str(error), 300)}"
            what += f" — in the line {line!r}" if line else ""
            return Outcome("raised", _explained(answer, what, case, calls))
        if value is None and is_blank(answer):
            written = "Write its body in place of return None, run its cell, then run this one."
            return Outcome("blank", f"the function still returns None. {written}")
        if value is None:
            what = (
                "your function has a body, and still it returns None. End it with return and the result; a return None "
                "at its end has to go, and print shows a value without returning it"
            )
            return Outcome("wrong", _explained(answer, what, case, calls))
        right = _value(truth, case)
        try:
            result = as_tensor(value)
        except (TypeError, ValueError, RuntimeError):
            shape = tuple(right.shape)
            asked = f"a tensor of shape {shape}, or a list of such numbers," if shape else "a number"
            what = f"your function returns {type(value).__name__}, and {asked} is asked for"
            return Outcome("wrong", _explained(answer, what, case, calls))
        calls.append(Call(case, result, right, _value(counts, case) if counts else EVERYTHING, atol))
    return calls


def _misconception(calls: Sequence[Call], wrong: Function) -> str | None:
    """Return the first sentence whose value is the student's in every case."""
    held: list[str] = []
    for call in calls:
        with torch.no_grad():
            mistakes = wrong(*call.case)
        held = [sentence for sentence in held or mistakes if call.is_like(mistakes[sentence])]
        if not held:
            return None
    return held[0]


def _other_form(calls: Sequence[Call]) -> str | None:
    """Return what is wrong with right values in another form."""
    if all(close(call.result, call.right[None], call.atol) for call in calls):
        return "your result is a batch of one, with an axis too many in front: return result[0]."
    if all(reordered(call.result, call.right, call.atol) for call in calls):
        return "the rows are right, but in another order: give them in the order of the inputs."
    return None


def _difference(answer: Function, calls: Sequence[Call], parts: Sequence[str]) -> Outcome:
    """Describe a result that no known misconception explains."""
    constant = len(calls) > 1 and all(torch.equal(call.result, calls[0].result) for call in calls)
    if constant and not notebook_names(answer):
        return Outcome("wrong", "your function gives the same result whatever it is given: use what it is given.")
    first = next(call for call in calls if not call.is_right)
    if _draws_by_lot(answer, first):
        again = "your function gives another result when it is given the same again, as if it drew by lot: "
        return Outcome("wrong", f"{again}what is asked for follows from what it is given.")
    what = difference(first.result, first.right, first.counting)
    said = _explained(answer, what, first.case, calls[: calls.index(first)], _parts(parts, calls) if parts else "")
    return Outcome("wrong", f"{said} The hints may help.")


def _draws_by_lot(answer: Function, call: Call) -> bool:
    try:
        again = as_tensor(answer(*deepcopy(call.case)))
    except Exception:  # what fails now and then has another cause
        return False
    return again.shape != call.result.shape or not torch.isclose(again, call.result, rtol=1e-5, equal_nan=True).all()


def _parts(parts: Sequence[str], calls: Sequence[Call]) -> str:
    """Say which parts of the answer are right, where some are."""
    wrong = dict.fromkeys(part for part, call in zip(parts, calls, strict=True) if not call.is_right)
    right = dict.fromkeys(part for part in parts if part not in wrong)
    return f"your function is right {listed(right)}, and wrong {listed(wrong)}. There " if right else ""


def _explained(answer: Function, what: str, case: tuple, before: Sequence[Call], parts: str = "") -> str:
    """Say what went wrong, on which input, and which of the notebook's names may be the cause."""
    names = notebook_names(answer)
    start = parts
    if names:
        start = f"your function uses {' and '.join(names)} from the notebook instead of what it is given. So "
    elif not parts and any(call.is_right for call in before):
        start = (
            "your function is right for some inputs and not for others; does it hold a number, a name or an assumption "
            "that fits the first ones only? Here "
        )
    return f"{start}{what}, given {arguments(answer, case)}."


def _value(function: Function, case: tuple) -> Tensor:
    with torch.no_grad():
        return _tensor(function(*case))


def _tensor(value: Any) -> Tensor:
    return torch.as_tensor(value).detach().cpu()


def once(function: Callable[..., Result]) -> Callable[..., Result]:
    """Return a function that works only once for the same objects: wrong answers ask again for what is slow."""
    kept: dict[tuple[int, ...], tuple[tuple, Result]] = {}

    def remembered(*objects: object) -> Result:
        key = tuple(map(id, objects))  # tensors and lists have no hash
        if key not in kept:
            kept[key] = objects, function(*objects)  # kept alive, so that no other object gets the same id
        return kept[key][1]

    return remembered

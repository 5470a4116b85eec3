"""The runner of all checks: it runs a student's function on every case, says what is wrong, and raises nothing."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import cycle
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module, Parameter

from bertlab.bert.loading import Bert
from bertlab.checks.compare import as_tensor, begins, changed, close, difference, mistaken_alike, reordered, rounded
from bertlab.checks.known import Known, function, known
from bertlab.checks.outcome import Outcome
from bertlab.checks.student import arguments, elsewhere, failing_line, is_blank, notebook_names, short
from bertlab.evidence import listed

Function = Callable[..., Any]

EVERYTHING = torch.tensor(True)


@dataclass(frozen=True, eq=False)
class Call:
    """One call of a student's function: its arguments before and after, its result, the right one, and what counts."""

    case: tuple
    given: tuple
    value: Any
    result: Tensor
    right: Tensor
    counting: Tensor
    atol: float
    mistaken: dict[str, list[Tensor]] = field(default_factory=dict)  # what wrong answers give, by their sentence

    @cached_property
    def is_right(self) -> bool:
        """Whether the result is right."""
        return close(self.result, self.right, self.atol, self.counting)

    def is_like(self, known: Known, sentence: str) -> bool:
        """Return whether the result is that of a wrong answer that a sentence names; these run on first use."""
        if sentence not in self.mistaken:
            self.mistaken[sentence] = list(results(known.mistakes[sentence], self.case))
        return any(mistaken_alike(self.result, value, self.atol, self.counting) for value in self.mistaken[sentence])

    def is_right_as(self, form: Callable[[Tensor], Tensor]) -> bool:
        """Return whether the result is the right one in another form."""
        return close(self.result, form(self.right), self.atol)


# What Python's and torch's errors mean, by a part of what they say.
ERRORS: Mapping[str, str] = {
    "shapes cannot be multiplied": "@ needs as many columns on its left as rows on its right: .T turns a matrix.",
    "size mismatch": "@ needs as many columns on its left as rows on its right: .T turns a matrix.",
    "inconsistent tensor size": "the dot product of two vectors needs vectors of one length.",
    "must match the size": "number by number, two shapes have to agree along each axis; keepdim=True keeps one as 1.",
    "could not be broadcast": "number by number, two shapes have to agree along each axis.",
    "Dimension out of range": "there is no such axis: dim=0 is the first, and dim=-1 the last.",
    "too many indices": "there are more places in the brackets than axes: look at the shape.",
    "match target batch_size": "each row of scores needs one right answer: give both for the same places.",
    "not implemented for 'Long'": "whole numbers stand where scores are asked for: are two arguments exchanged?",
    "name 'sqrt' is": "torch has it: x.sqrt(), or torch.sqrt(x).",
    "name 'exp' is": "torch has it: x.exp(), or torch.exp(x).",
    "name 'tanh' is": "torch has it: torch.tanh(x).",
    "is not defined": "Python does not know this name: is it spelled as in the cells above, and have they run?",
    "_or_method": "a method stands there without its brackets: write () behind its name.",
    "object is not callable": "what stands before the brackets (...) is no function: numbers are picked with [...].",
    "not subscriptable": "what stands before the brackets [...] is no list or tensor: functions are called with (...).",
    "SyntaxError": "this is not Python yet: are all brackets closed, and is no sign missing?",
}

# What is wrong with right values in another form, and what tells it; any exercise may meet it.
FORMS: Mapping[str, Callable[[Call], bool]] = {
    "your result is a pandas Series that holds one number: .iloc[0] takes it out.": (
        lambda call: hasattr(call.value, "iloc") and call.is_right_as(lambda right: right[None])
    ),
    "your result is a batch of one, with an axis too many in front: return result[0].": (
        lambda call: call.is_right_as(lambda right: right[None])
    ),
    "the rows are right, but in another order: give them in the order of the inputs.": (
        lambda call: reordered(call.result, call.right, call.atol)
    ),
    "an axis of length one is left over: leave out keepdim=True, or take .squeeze().": (
        lambda call: close(call.result.squeeze(), call.right.squeeze(), call.atol)
    ),
    "rows and columns are exchanged: return result.T.": (
        lambda call: call.right.ndim == 2 and call.is_right_as(lambda right: right.T)
    ),
    "this is the first part of the result alone: return stands inside the loop, it seems.": (
        lambda call: begins(call.result, call.right, call.atol)
    ),
    "this is per cent: return the share, a number from 0 to 1.": (
        lambda call: bool(call.right.max() <= 1) and call.is_right_as(lambda right: 100 * right)
    ),
    "your result is rounded: return it as it comes.": lambda call: rounded(call.result, call.right),
    "your numbers have half precision, some three digits: stay in float32.": (
        lambda call: (
            str(getattr(call.value, "dtype", "")).endswith("float16")
            and close(call.result, call.right, 0.01 * float(call.right.abs().max()))
        )
    ),
}


def exercise(number: str, answer: Function, *given: Any) -> Outcome:
    """Check a student's answer to an exercise on cases that are drawn anew, with what the notebook gives for them."""
    table = known(number)
    if table.needs:
        given[0].require(table.needs)
    cases = table.drawn(*given)
    return judge(table, answer, cases, lambda rights: table.praised(given, cases, rights))


def judge(known: Known, answer: Function, cases: Sequence[tuple], praise: Callable[[list[Tensor]], str]) -> Outcome:
    """Run a student's function on copies of each case's arguments, and name the misconception if it is wrong.

    Of the `known` mistakes the first whose answer gives the student's values *in every case* is named.
    """
    calls = _calls(known, answer, cases)
    if isinstance(calls, Outcome):
        return calls
    if all(call.is_right for call in calls):
        return _right(known, answer, calls, praise)
    # Values that do not count may still tell two misconceptions apart.
    named = misconception([replace(call, counting=EVERYTHING) for call in calls], known)
    named = named or (misconception(calls, known) if known.counts else None) or _constant(answer, calls)
    named = named or in_another_form([call for call in calls if not call.is_right])
    return Outcome("wrong", named) if named else _difference(known, answer, calls)


def _right(known: Known, answer: Function, calls: Sequence[Call], praise: Callable[[list[Tensor]], str]) -> Outcome:
    """Return what is said of right values."""
    if taken := known.shortcut(answer, calls[0].case):
        return Outcome("shortcut", f"the values are right, but by a shortcut: {taken}")
    changes = any(changed(call.case, call.given) for call in calls)
    if changes and known.changes:
        return Outcome("wrong", known.changes)
    if names := elsewhere(answer):
        mark = "A mark is given for this cell alone: copy into it what it needs."
        return Outcome("right", f"but your function takes {listed(names)} from outside this cell. {mark}")
    but = " But it changes what it is given, for its caller too: write x = x - y, say, and not x -= y."
    return Outcome("right", praise([call.right for call in calls]) + but * changes)


def _calls(known: Known, answer: Function, cases: Sequence[tuple]) -> list[Call] | Outcome:
    """Call a student's function in each case; return the outcome instead if there is nothing to compare."""
    calls: list[Call] = []
    berts = {id(part): part for case in cases for part in case if isinstance(part, Bert)}
    copies = {place: deepcopy(bert) for place, bert in berts.items()}  # for all cases: a model takes long to copy
    for case in cases:
        given = deepcopy(case, dict(copies))
        try:
            with warnings.catch_warnings(action="ignore"):
                value = answer(*given)
        except Exception as error:  # a student's function may raise anything
            line = failing_line(answer, error)
            what = f"your function raised {type(error).__name__}: {short(str(error), 300)}"
            what += f" — in the line {line!r}" if line else ""
            explained = _explained(answer, what, case, hint=_holds_too_much(calls))
            # What reads the notebook's names fails for that.
            return Outcome("raised", explained) if notebook_names(answer) else raised(error, known, explained)
        if value is None and is_blank(answer):
            written = "Write its body in place of return None, run its cell, then run this one."
            return Outcome("blank", f"the function still returns None. {written}")
        if value is None and any(call.is_right for call in calls):
            what = "your function ends without a return in one of its branches, and so returns None"
            return Outcome("wrong", _explained(answer, what, case))
        if value is None:
            what = (
                "your function has a body, and still it returns None. End it with return and the result; a return None "
                "at its end has to go, and print shows a value without returning it"
            )
            return Outcome("wrong", _explained(answer, what, case))
        right = right_value(known.true, case)
        try:
            result = as_tensor(value)
        except (TypeError, ValueError, RuntimeError):
            shape = tuple(right.shape)
            asked = f"a tensor of shape {shape}, or a list of such numbers," if shape else "a number"
            what = f"your function returns {type(value).__name__}, and {asked} is asked for"
            return Outcome("wrong", _explained(answer, what, case))
        counting = right_value(known.counting, case) if known.counting else EVERYTHING
        calls.append(Call(case, given, value, result, right, counting, known.atol))
    return calls


def raised(error: BaseException, known: Known, what: str) -> Outcome:
    """Return what is said of an error: what it means, where that is known, and what it was."""
    said = f"{type(error).__name__}: {error}"
    means = [f"{means} To be exact, " for part, means in [*known.raises.items(), *ERRORS.items()] if part in said]
    return Outcome("raised", "".join(means[:1]) + what)


def misconception(calls: Sequence[Call], known: Known) -> str | None:
    """Return the first sentence one of whose answers gives the student's result in every case."""
    matching = list(known.mistakes)
    for call in calls:
        matching = [sentence for sentence in matching if call.is_like(known, sentence)]
    return next(iter(matching), None)


def in_another_form(calls: Sequence[Call]) -> str | None:
    """Return what is wrong with results that are right in another form."""
    return next((form for form, tells in FORMS.items() if all(map(tells, calls))), None)


def results(sources: Sequence[str], case: tuple) -> Iterator[Tensor]:
    """Yield what wrong answers give in a case; one that raises there is told by another case."""
    for source in sources:
        with suppress(Exception), warnings.catch_warnings(action="ignore"):
            value = function(source)(*_copied(case))
            yield value.detach().cpu() if isinstance(value, Tensor) else as_tensor(value)


def _copied(case: tuple) -> tuple:
    """Return a copy of a case for an answer that changes no model."""
    return deepcopy(case, {id(part): part for part in case if isinstance(part, Bert | Module | Parameter)})


def _constant(answer: Function, calls: Sequence[Call]) -> str | None:
    """Return a message if a function gives the same result in all cases."""
    if len(calls) < 2 or notebook_names(answer) or any(not torch.equal(call.result, calls[0].result) for call in calls):
        return None
    return "your function gives the same result whatever it is given: use what it is given."


def _difference(known: Known, answer: Function, calls: Sequence[Call]) -> Outcome:
    """Describe a result that no known misconception explains."""
    first = next(call for call in calls if not call.is_right)
    if _draws_by_lot(answer, first):
        again = "your function gives another result when it is given the same again, as if it drew by lot: "
        return Outcome("wrong", f"{again}what is asked for follows from what it is given.")
    what = difference(first.result, first.right, first.counting)
    in_parts = _regions(known.regions, calls) if known.regions else _holds_too_much(calls)
    hint = "" if first.result.isnan().any() else in_parts
    return Outcome("wrong", f"{_explained(answer, what, first.case, hint)} The hints may help.")


def _draws_by_lot(answer: Function, call: Call) -> bool:
    try:
        again = as_tensor(answer(*deepcopy(call.case)))
    except Exception:  # what fails now and then has another cause
        return False
    return again.shape != call.result.shape or not torch.isclose(again, call.result, rtol=1e-5, equal_nan=True).all()


def _regions(regions: Sequence[str], calls: Sequence[Call]) -> str:
    """Return in words where the answer is right, if it is anywhere."""
    wrong = dict.fromkeys(region for region, call in zip(cycle(regions), calls, strict=False) if not call.is_right)
    right = dict.fromkeys(region for region in regions if region not in wrong)
    return f"your function is right {listed([*right])}, and wrong {listed([*wrong])}. There " if right else ""


def _holds_too_much(calls: Sequence[Call]) -> str:
    """Guess why a function that was right in earlier cases is wrong now."""
    if not calls or not calls[0].is_right:
        return ""
    return (
        "your function is right for some inputs and not for others; does it hold a number, a name or an assumption "
        "that fits the first ones only? Here "
    )


def _explained(answer: Function, what: str, case: tuple, hint: str = "") -> str:
    """Return in words what went wrong, on which input, and which of the notebook's names may be the cause."""
    if names := notebook_names(answer):
        hint = f"your function uses {' and '.join(names)} from the notebook instead of what it is given. So "
    return f"{hint}{what}, given {arguments(answer, case)}."


def right_value(function: Function, case: tuple) -> Tensor:
    """Return what is right in a case, or what counts."""
    with torch.no_grad():
        return torch.as_tensor(function(*_copied(case))).detach().cpu()

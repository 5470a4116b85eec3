"""The lines that the lessons leave to the student: whether what stands there is right, and if not, what is wrong."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from inspect import unwrap
from types import FunctionType
from typing import Any

import torch
from torch import Tensor

from bertlab.checks.compare import as_tensor, difference
from bertlab.checks.known import Known, function, known
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import EVERYTHING, Call, in_another_form, judge, misconception, raised
from bertlab.checks.student import short
from bertlab.mine import FILE, PARTS, in_force, keep, parts, with_part, written

GOES_ON = "The lesson goes on with the right value."
OURS = "Below, the lesson's own function runs."
YOURS = "Below, your kept function runs."
AGREES = "your function agrees with {}."
LACKS = (
    "it uses `{}`, which that file does not have. Use torch, a part by its bare name, or import it inside the function."
)
STOPS = "the value is right, but training cannot go through it: leave out no_grad, .detach(), .item() and float()."
TRIES = 3  # wrong ones, before the answer is offered
TYPO = re.compile(r"\b(Syntax|Indentation|Tab|Name)Error: ")

_left: dict[str, tuple[Any, Outcome]] = {}  # what was returned last for each gap
_wrong: Counter[str] = Counter()


def gap(name: str, typed: Callable[[], Any], *given: Any) -> tuple[Any, Outcome]:
    """Check what a student wrote in a gap; return what the lesson goes on with, and the outcome.

    `typed` gives what stands in the gap; `given` is what a line has to work with, or a function's arguments. The
    lesson goes on with the student's own, if that is right.
    """
    entry = known(name)
    cell = _last_cell(entry.target)
    error = cell and (cell.error_before_exec or cell.error_in_exec)
    mine: Any = None
    with suppress(NameError):  # the cell with the gap never ran to its end
        mine = typed()
    if name in _left and mine is _left[name][0] and not error:
        return _left[name]  # the check ran again, and the cell with the gap did not
    is_part = entry.target in PARTS
    right = entry.true if entry.is_function else entry.true(*given)
    given = tuple(part.detach() if isinstance(part, Tensor) and part.grad_fn else part for part in given)  # to copy
    if error:
        outcome = raised(error, entry, f"your line raised {type(error).__name__}: {short(str(error), 300)}.")
    elif is_part and mine is not None:
        outcome = _kept(entry, mine, [given, *entry.drawn()])
    elif entry.is_function and mine is not None:
        outcome = _function(entry, mine, [given, *entry.drawn()])
    elif mine is None and cell and not re.search(rf"\b{entry.target} = None\b", cell.info.raw_cell):
        outcome = Outcome("wrong", "your line gives None: print, say, shows a value and returns None.")
    else:
        outcome = _judged(entry, mine, right, given)
    if is_part:
        right = getattr(parts(), entry.target)
    elif entry.is_function:  # with the student's own parts in it
        answer = function(entry.right[0])
        right = FunctionType(answer.__code__, answer.__globals__ | vars(parts()))
    if outcome.status == "right":
        _left[name] = mine if _fits(mine, right) and not is_part else right, outcome
        return _left[name]
    _wrong[name] += outcome.status == "not quite" and not TYPO.search(outcome.message)
    summary, folded = ("The answer", entry.right[0]) if _wrong[name] >= TRIES else ("A hint", entry.hint)
    message = f"{outcome.message.removesuffix(' The hints may help.')} {_below(entry)}"
    outcome = replace(outcome, message=message, folded=folded, summary=summary)
    _left[name] = right, outcome
    return _left[name]


def _kept(entry: Known, mine: Callable[..., Any], cases: list[tuple]) -> Outcome:
    """Say how a part of BERT fared; keep it if it is right, also among the other parts in force."""
    outcome = _function(entry, mine, cases)
    if outcome.reason != "right":
        return outcome
    try:
        text = with_part(written(), mine)
        alone = judge(entry, unwrap(getattr(in_force(text), entry.target)), cases, lambda _: "")
        if alone.reason != "right":
            missing = re.search(r"name '(\w+)' is not defined", alone.message)
            raise RuntimeError(LACKS.format(missing[1]) if missing else f"there, {alone.message}")
        keep(text)
    except Exception as error:  # no source, a file that cannot be read or written
        kept = f"Not kept in {FILE}: {str(error).rstrip('.')}. {_below(entry)}"
    else:
        kept = f"It is part of your BERT now ({FILE})."
    return Outcome("right", f"{AGREES.format(entry.source)} {kept}")


def _function(entry: Known, mine: Callable[..., Any], cases: list[tuple]) -> Outcome:
    """Say how a function fared; one that training cannot go through, as far as it should, is wrong."""
    outcome = judge(entry, mine, cases, lambda _: AGREES.format(entry.source))
    if outcome.reason != "right":
        return outcome
    wanted, reached = (_reached(answer, deepcopy(cases[-1])) for answer in (function(entry.right[0]), mine))
    return outcome if wanted <= reached else Outcome("wrong", STOPS)


def _reached(answer: Callable[..., Any], case: tuple) -> set[int]:
    """Return which of the numbers that a function is given get a gradient through it."""
    numbers = list(_numbers(case))
    with suppress(Exception), torch.enable_grad():  # numpy, say, refuses what needs gradients
        result = answer(*case)
        torch.stack([one.sum() for one in (result if isinstance(result, list | tuple) else [result])]).sum().backward()
    return {i for i, number in enumerate(numbers) if number.grad is not None}


def _numbers(part: Any) -> Iterator[Tensor]:
    """Yield the numbers in what a function is given, ready for gradients."""
    if isinstance(part, Tensor) and part.is_floating_point():
        yield part.requires_grad_()
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list | tuple) else ():
        yield from _numbers(inner)


def _below(entry: Known) -> str:
    """Say what the lesson goes on with."""
    return (YOURS if entry.target in parts().own else OURS) if entry.is_function else GOES_ON


def _last_cell(target: str) -> Any:
    """Return how the last cell that ran fared, if it binds a name."""
    from IPython import get_ipython

    last = getattr(get_ipython(), "last_execution_result", None)
    return last if last and re.search(rf"^ *(def )?{target}\b", last.info.raw_cell, re.MULTILINE) else None


def _judged(entry: Known, mine: Any, right: Any, given: tuple) -> Outcome:
    """Say how a line fared."""
    if mine is None:
        return Outcome("blank", "write your line in place of None, run its cell, then this one.")
    expected = torch.as_tensor(right).detach().cpu()
    try:
        result = as_tensor(mine)
    except (TypeError, ValueError, RuntimeError):
        if callable(mine):
            return Outcome("wrong", "your line gives a function or a module: call it, with brackets behind it.")
        asked = f"a tensor of shape {tuple(expected.shape)}" if expected.ndim else "a number"
        return Outcome("wrong", f"your line gives {type(mine).__name__}; {asked} is asked for.")
    call = Call(given, given, mine, result, expected, EVERYTHING, atol=1e-7)
    if call.is_right and expected.dtype == torch.bool and getattr(mine, "dtype", torch.bool) != torch.bool:
        return Outcome("wrong", "your line gives numbers; True or False is asked for, as a comparison gives it.")
    if call.is_right:
        return Outcome("right", f"your line agrees with {entry.source}.")
    named = misconception([call], entry) or in_another_form([call])
    return Outcome("wrong", named or f"{difference(result, expected, EVERYTHING)}.")


def _fits(mine: Any, right: Any) -> bool:
    """Return whether the lesson can go on with what a student made."""
    if isinstance(mine, Tensor) and isinstance(right, Tensor):
        return (mine.dtype, mine.requires_grad) == (right.dtype, right.requires_grad)
    return callable(right) or type(mine) is type(right)

"""Inspect a student's function: whether it is written, its names, the line that failed, and its arguments."""

import dis
import inspect
import json
import linecache
import re
import traceback
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any, TypeGuard

from torch import Tensor
from torch.nn import Module

from bertlab.bert.loading import Bert
from bertlab.checks.compare import number

# Instructions of a function that does nothing but return None.
EMPTY = {"CACHE", "COPY_FREE_VARS", "LOAD_CONST", "NOP", "RESUME", "RETURN_CONST", "RETURN_VALUE"}


def is_blank(answer: object) -> bool:
    """Return whether a function that returns None has no body but a docstring and ``return None``."""
    code = getattr(answer, "__code__", None)
    return isinstance(code, CodeType) and all(step.opname in EMPTY for step in dis.get_instructions(code))


def notebook_names(answer: object) -> list[str]:
    """Return the notebook's variables that a function reads, such as ``"`bert` (inside `losses`)"``."""
    names: dict[str, None] = {}
    for function, name, value in _globals(answer):
        # Modules, such as `mine`, classes and functions do not count; a model does, which can be called too.
        if isinstance(value, Bert | Module) or not (callable(value) or isinstance(value, ModuleType | SimpleNamespace)):
            names[f"`{name}`" if function is answer else f"`{name}` (inside `{function.__name__}`)"] = None
    return list(names)


def elsewhere(answer: object) -> list[str]:
    """Return the functions and modules that an answer uses from cells that are neither its own nor a lesson's."""
    bound = _bound("".join(linecache.getlines(getattr(getattr(answer, "__code__", None), "co_filename", ""))))
    if not bound or not _lessons():  # where they are not known
        return []
    taken = {name for _, name, value in _globals(answer) if callable(value) or isinstance(value, ModuleType)}
    return [f"`{name}`" for name in sorted(taken - bound - _lessons())]


@cache
def _lessons() -> set[str]:
    """Return the names that the lessons' own cells bind, except those of exercises."""
    package = Path(__file__).parents[1]
    names: set[str] = set()
    for path in [*package.glob("notebooks/*.ipynb"), *package.parent.glob("notebooks/*.ipynb")]:
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            if cell["cell_type"] == "code" and "exercise" not in cell["metadata"].get("tags", []):
                names |= _bound("".join(cell["source"]))
    return names


def _bound(source: str) -> set[str]:
    """Return the names that a cell binds; none if it is not plain Python."""
    try:
        steps = dis.get_instructions(compile(source, "<cell>", "exec"))
    except (SyntaxError, ValueError):
        return set()
    return {step.argval for step in steps if step.opname == "STORE_NAME"}


def words(answer: object) -> set[str]:
    """Return every name, attribute and keyword in a function and the notebook's functions that it uses.

    A name counts under what it is bound to as well: *nnf* is *torch*, *nn* and *functional*.
    """
    found = set(_words(getattr(answer, "__code__", None)))
    for _, _, value in _globals(answer):
        if _is_notebooks(value, answer):
            found |= set(_words(value.__code__))
        elif callable(value) or isinstance(value, ModuleType):
            bound = f"{getattr(value, '__module__', '')} {getattr(value, '__name__', '')}"
            found |= set(re.findall(r"\w+", bound))
    return found


def failing_line(answer: object, error: BaseException) -> str:
    """Return the line of the notebook at which an error was raised, or nothing if it cannot be read."""
    home = getattr(answer, "__globals__", None)
    in_notebook = [(frame, line) for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_globals is home]
    return (traceback.StackSummary.extract(iter(in_notebook[-1:]))[0].line or "").strip() if in_notebook else ""


def arguments(answer: Callable[..., object], case: tuple) -> str:
    """Return the arguments of one call in words."""
    try:
        bound = inspect.signature(answer).bind(*case).arguments
    except (TypeError, ValueError):
        bound = {}
    if len(bound) != len(case):  # *args, say
        return ", ".join(map(shown, case))
    return ", ".join(f"{name} = {shown(value)}" for name, value in zip(bound, case, strict=True))


def shown(value: object) -> str:
    """Return a value in a few words: a tensor by its shape, or by its numbers if they are few."""
    if isinstance(value, Bert):
        return value.name
    if isinstance(value, Tensor) and value.numel() > 4:
        return f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, Tensor):
        return shown([float(part) for part in value.flatten()]) if value.ndim else shown(float(value))
    if isinstance(value, float):
        return number(value)
    if isinstance(value, dict):
        return f"a dictionary with {', '.join(map(str, value))}"
    if isinstance(value, list | tuple):
        start, end = "[]" if isinstance(value, list) else "()"
        parts = ", ".join(map(shown, value))
        if len(value) > 3 and len(parts) > 60:
            parts = ", ".join([*map(shown, value[:3]), "…"])
        return f"{start}{parts}{end}"
    if inspect.isroutine(value):
        return f"a function {value.__name__}".removesuffix(" <lambda>")
    name = re.match(r"<(?:\w+\.)*(\w+) object|(\w+) \(\n", repr(value))  # an optimizer's has many lines
    return f"a {name[1] or name[2]}" if name else short(repr(value), 160)


def short(text: str, length: int) -> str:
    """Return the beginning of a text, on one line; of torch's errors, without the list of all ways to call."""
    line = " ".join(text.partition(", but expected one of")[0].split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def _globals(answer: object) -> Iterator[tuple[Any, str, object]]:
    """Yield the function, the name and the value of each global name, also in the notebook's other functions."""
    waiting, seen = [answer], set()
    while waiting:
        function = waiting.pop(0)
        seen.add(id(function))
        known = getattr(function, "__globals__", {})
        for code in _codes(getattr(function, "__code__", None)):
            for step in dis.get_instructions(code):
                if step.opname not in ("LOAD_GLOBAL", "LOAD_NAME") or step.argval not in known:
                    continue
                value = known[step.argval]
                yield function, step.argval, value
                if _is_notebooks(value, answer) and id(value) not in seen:
                    waiting.append(value)


def _is_notebooks(value: object, answer: object) -> TypeGuard[FunctionType]:
    """Return whether a value is a function that was written in the same notebook as the answer."""
    return isinstance(value, FunctionType) and value.__globals__ is getattr(answer, "__globals__", None)


def _codes(code: object) -> Iterator[CodeType]:
    """Yield a function's code and that of the functions inside it."""
    if isinstance(code, CodeType):
        yield code
        for constant in code.co_consts:
            yield from _codes(constant)


def _words(code: object) -> Iterator[str]:
    """Yield names and attributes, and the constants that may be keywords."""
    for part in _codes(code):
        yield from ".".join(part.co_names).split(".")  # torch.nn.functional is one name of an import
        for constant in part.co_consts:
            several = constant if isinstance(constant, tuple) else [constant]
            yield from (word for word in several if isinstance(word, str))

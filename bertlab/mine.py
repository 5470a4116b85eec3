"""The student's own BERT: the parts that are kept in my_bert.py beside the notebook, and the parts in force."""

import ast
import inspect
import linecache
import textwrap
import warnings
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

from bertlab import reference
from bertlab.data import files

FILE = Path("my_bert.py")
MARK = '"""The BERT that I wrote, part by part, in the lessons of bertlab."""'
BEGINNING = f"{MARK}\n\nimport torch\nfrom torch.nn.functional import gelu\n"
SOURCE = inspect.getsource(reference)


def _functions(source: str) -> dict[str, ast.FunctionDef]:
    """Return the functions of a module by name, in its order; of two with one name, the later."""
    return {node.name: node for node in ast.parse(source, str(FILE)).body if isinstance(node, ast.FunctionDef)}


# What a student writes, in the order of the lessons: all that stands before what hands the parts their numbers.
PARTS = tuple(_functions(SOURCE.split("\ndef numbers(")[0]))


def parts() -> SimpleNamespace:
    """Return the parts of BERT in force: yours, where my_bert.py beside the notebook has them, else the reference's.

    All stand in one namespace, so that each calls the version in force of the others; ``own`` has the names of yours.

    Examples
    --------
    >>> import torch
    >>> parts().linear(torch.ones(1, 2), {"weight": torch.ones(3, 2), "bias": torch.zeros(3)})
    tensor([[2., 2., 2.]])
    """
    try:
        return in_force(written())
    except Exception as error:  # a student's file may hold anything
        problem = f"{FILE} does not run ({type(error).__name__}: {error})"
        warnings.warn(
            f"{problem}. The lesson goes on with its own parts: mend the file, or move it away.", stacklevel=2
        )
        return in_force("")


def in_force(source: str) -> SimpleNamespace:
    """Return the parts in force with this text as the student's file."""
    space: dict[str, Any] = {"__name__": "my_bert"}
    exec(compile(SOURCE, reference.__file__, "exec"), space)
    own = dict(space)
    linecache.cache[str(FILE)] = (len(source), None, source.splitlines(keepends=True), str(FILE))  # for errors' lines
    exec(compile(source, str(FILE), "exec"), space)
    names = [name for name in PARTS if space[name] is not own[name]]
    space |= {name: _either(space[name], own[name]) for name in names}
    return SimpleNamespace(**{name: space[name] for name in PARTS}, own=names)


def written() -> str:
    """Return the text of the student's file; an empty one if there is none."""
    return FILE.read_text("utf-8") if FILE.exists() else ""


def with_part(text: str, function: FunctionType) -> str:
    """Return a file's text with a function in it, in place of one of its name, and all else as it is."""
    source = _source(function)
    if not text:
        return f"{BEGINNING}\n\n{source}"
    lines, functions = text.splitlines(keepends=True), _functions(text)
    if function.__name__ not in functions:
        return f"{text.rstrip()}\n\n\n{source}"
    old = functions[function.__name__]
    return "".join([*lines[: old.lineno - 1], source, *lines[old.end_lineno :]])


def keep(text: str) -> None:
    """Write the student's file: whole, or not at all; one that the lessons did not begin is refused."""
    if not (written() or MARK).startswith(MARK):
        raise OSError(f"{FILE} was not begun by these lessons, and stays as it is: give it another name.")
    files.overwrite(FILE, text)


def _either(mine: Callable[..., Any], ours: Callable[..., Any]) -> Callable[..., Any]:
    """Return a student's part, for which the reference's goes on where it raises."""

    @wraps(mine)
    def part(*given: Any, **named: Any) -> Any:
        try:
            return mine(*given, **named)
        except Exception as error:  # a student's function may raise anything
            value = ours(*given, **named)  # which raises too, if what it is given is wrong
            problem = f"{ours.__name__} in {FILE} raised {type(error).__name__}: {error}"
            # As of this line, so that Python tells it once, and not once for each line that calls the part.
            warnings.warn(f"{problem}. The lesson goes on with its own: mend the function.", stacklevel=1)
            return value

    return part


def _source(function: FunctionType) -> str:
    """Return the source of a function alone, without the rest of its cell."""
    source = textwrap.dedent(inspect.getsource(function))
    return (ast.get_source_segment(source, ast.parse(source).body[0]) or source).rstrip() + "\n"

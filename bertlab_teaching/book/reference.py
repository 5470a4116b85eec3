"""The reference of what lessons call: which names those are, read from the notebooks, and a page for each room."""

import ast
import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from typing import Any, get_args

from bertlab import lessons

LEFT_OUT = {"checks", "figures"}  # an exercise's check and a drawing are called once, in the cell that shows them
INTRODUCTION = """What lessons call
=================

The functions of bertlab that cells of the lessons call, and the objects that these return, one page per room of the
package. Functions that draw one figure and the checks of exercises are left out: their cells show what they do.
"""


def calls() -> dict[str, set[str]]:
    """Return the names of what cells call of bertlab's rooms, as they write them, and the lessons that do."""
    called = defaultdict(set)
    for path in lessons.paths():
        for cell in lessons.shown(path).cells:
            if cell.cell_type == "code":
                for name in _named(ast.parse(cell.source)):
                    called[name].add(path.stem)
    return dict(called)


def _named(tree: ast.AST) -> Iterator[str]:
    """Yield what code names as ``bertlab.name`` or ``bertlab.room.name``, if that can be called."""
    for node in ast.walk(tree):
        name = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
        parts = re.fullmatch(r"bertlab(?:\.(\w+))?\.\w+", name)
        if parts and parts[1] not in LEFT_OUT and callable(_find(name)):
            yield name


def _find(name: str) -> Any:
    module, _, own = name.rpartition(".")
    return getattr(import_module(module), own)


def returned(thing: Any) -> set[str]:
    """Return the names of bertlab's classes among what a function, or a class's methods, return."""
    if inspect.isclass(thing):
        methods = [method for name, method in vars(thing).items() if inspect.isfunction(method) and name[0] != "_"]
        return set().union(*map(returned, methods))
    annotation = thing.__annotations__.get("return")
    classes = [found for found in (annotation, *get_args(annotation)) if inspect.isclass(found)]
    return {f"{found.__module__}.{found.__name__}" for found in classes if found.__module__.startswith("bertlab.")}


def pages(titles: dict[str, str]) -> dict[str, str]:
    """Return the pages of the reference in reStructuredText, by their names; `titles` are the lessons', by stem."""
    called = calls()
    rooms: dict[str, list[str]] = defaultdict(list)
    for name in sorted(called, key=lambda name: (min(called[name]), name)):
        rooms[_room(name)].append(name)
    for name in list(called):
        handled = returned(_find(name))
        for other in sorted(handled.union(*(returned(_find(found)) for found in handled))):
            if other not in rooms[_room(other)]:
                rooms[_room(other)].append(other)
    written = {f"reference/{room}": _page(room, names, called, titles) for room, names in rooms.items()}
    entries = "".join(f"   {name}\n" for name in written)
    return {"reference": f"{INTRODUCTION}\n.. toctree::\n   :maxdepth: 1\n\n{entries}"} | written


def _room(name: str) -> str:
    _, *inside = name.split(".")
    return inside[0] if len(inside) > 1 else "bert"  # whose functions stand at bertlab's own door


def _page(room: str, names: list[str], called: dict[str, set[str]], titles: dict[str, str]) -> str:
    """Return the page of a room: a table of the names, then each with its docstring and the lessons that call it."""
    title = f"bertlab.{room}"
    about = inspect.getdoc(import_module(title)) or ""
    parts = [title, "=" * len(title), "", about.partition("\n")[0], "", ".. autosummary::", "   :nosignatures:", ""]
    parts += [f"   ~{name}" for name in names]
    for name in names:
        kind = "autoclass" if inspect.isclass(_find(name)) else "autofunction"
        parts += ["", f".. {kind}:: {name}", *(["   :members:"] if kind == "autoclass" else []), ""]
        where = ", ".join(f":doc:`{titles[stem]} </{stem}>`" for stem in sorted(called.get(name, ())))
        parts += ["", f"   Called in {where}."] if where else []
    return "\n".join(parts) + "\n"

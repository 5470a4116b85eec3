"""The reference of what lessons call: the names, read from the notebooks, and one page per room."""

import ast
import inspect
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

from bertlab_teaching import solving

LEFT_OUT = {"checks", "figures"}  # an exercise's check and a drawing are called once, in the cell that shows them
INTRODUCTION = """Reference
=========

The functions of bertlab that cells of the lessons call, and the objects that these return, one page per room of the
package. Functions that draw one figure and the checks of exercises are left out: their cells show what they do.
"""


def calls(paths: Iterable[Path]) -> dict[str, set[str]]:
    """Return the names from bertlab's rooms that lessons' cells call, each with the lessons that call it."""
    called = defaultdict(set)
    for path in paths:
        for cell in solving.shown(path).cells:
            if cell.cell_type == "code":
                for name in _named(ast.parse(cell.source)):
                    called[name].add(path.stem)
    return dict(called)


def _named(tree: ast.AST) -> Iterator[str]:
    """Yield each callable that code names as ``bertlab.name`` or ``bertlab.room.name``."""
    for node in ast.walk(tree):
        name = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
        parts = re.fullmatch(r"bertlab(?:\.(\w+))?\.\w+", name)
        if parts and parts[1] not in LEFT_OUT and callable(_find(name)):
            yield name


def _find(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


def returned(thing: Any) -> set[str]:
    """Return the names of bertlab's classes that a function, or the methods of a class, return."""
    if inspect.isclass(thing):
        methods = [method for name, method in vars(thing).items() if inspect.isfunction(method) and name[0] != "_"]
        return set().union(*map(returned, methods))
    annotation = thing.__annotations__.get("return")
    classes = [kind for kind in (annotation, *get_args(annotation)) if inspect.isclass(kind)]
    return {f"{kind.__module__}.{kind.__name__}" for kind in classes if kind.__module__.startswith("bertlab.")}


def pages(paths: Iterable[Path], titles: dict[str, str]) -> dict[str, str]:
    """Return the pages of the reference in reStructuredText by name; `titles` has each lesson's title by file stem."""
    called = calls(paths)
    rooms: dict[str, list[str]] = defaultdict(list)
    for name in sorted(called, key=lambda name: (min(called[name]), name)):
        rooms[_room(name)].append(name)
    for name in list(called):
        classes = returned(_find(name))
        for class_name in sorted(classes.union(*(returned(_find(kind)) for kind in classes))):
            if class_name not in rooms[_room(class_name)]:
                rooms[_room(class_name)].append(class_name)
    by_name = {f"reference/{room}": _page(room, names, called, titles) for room, names in rooms.items()}
    entries = "".join(f"   {name}\n" for name in by_name)
    return {"reference": f"{INTRODUCTION}\n.. toctree::\n   :maxdepth: 1\n\n{entries}"} | by_name


def _room(name: str) -> str:
    _, *inside = name.split(".")
    return inside[0] if len(inside) > 1 else "bert"  # whose functions bertlab itself exports


def _page(room: str, names: list[str], called: dict[str, set[str]], titles: dict[str, str]) -> str:
    """Return the page of a room: a table of names, then each docstring with the lessons that call the function."""
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

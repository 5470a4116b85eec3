"""The package is a row of rooms, and imports run one way along it: a lesson's room never needs a later one."""

import ast
import pkgutil
import re
from pathlib import Path
from types import UnionType

import bertlab

PACKAGE = Path(bertlab.__file__).parent

# Each room may use those before it. What is not named here may not be there: a new lesson's room is put in its place.
ORDER = (
    "data",  # the tables that ship
    "bert",  # loading and reading
    "evidence",
    "figures",
    "embedding",  # from here on a room a lesson, and a lesson's ideas may be used by those after it
    "pooler",
    "vectors",
    "attention",
    "paraphrase",
    "masking",
    "pretraining",
    "finetuning",
    "checks",
    "course",
    "__main__",
)


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_rooms(path):
    """Yield the rooms of bertlab that a module's code imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            parts = (node.module or "").split(".")
            if parts == ["bertlab"]:  # its own names lead to the room bert
                yield from (alias.name if alias.name in ORDER else "bert" for alias in node.names)
            elif parts[0] == "bertlab":
                yield parts[1]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("bertlab."))


def test_every_room_has_its_place():
    rooms = {room_of(path) for path in PACKAGE.rglob("*.py")} - {"__init__"}
    assert rooms == set(ORDER)


def test_imports_run_one_way():
    for path in PACKAGE.rglob("*.py"):
        room = room_of(path)
        if room != "__init__":
            back = [other for other in imported_rooms(path) if ORDER.index(other) > ORDER.index(room)]
            assert back == [], path


def test_the_package_is_seen_at_a_glance():
    aside = ("__pycache__", "notebooks", "__init__.py", "__main__.py")
    entries = [path.name for path in PACKAGE.iterdir() if path.name not in aside]
    assert len(entries) <= 16, sorted(entries)


def test_a_door_names_only_what_its_room_holds():
    for door in PACKAGE.glob("*/__init__.py"):
        room = getattr(bertlab, door.parent.name)
        for name in getattr(room, "__all__", []):
            thing = getattr(room, name)
            home = getattr(thing, "__module__", None) or getattr(thing, "__name__", room.__name__)
            data = isinstance(thing, str | tuple | dict | UnionType)
            assert data or home.startswith(room.__name__), f"{home}.{name}"


def test_what_a_docstring_names_is_there():
    for path in sorted(PACKAGE.rglob("*.py")):
        for name in re.findall(r"`(bertlab(?:\.\w+)+)", path.read_text("utf-8")):
            pkgutil.resolve_name(name)  # raises where there is no such module, or nothing of that name in it

"""The package is a row of rooms, and imports run one way along it: a lesson's room never needs a later one."""

import ast
import pkgutil
import re
from pathlib import Path
from types import UnionType

import pytest

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


def imported_rooms(source, package):
    """Yield the rooms of bertlab that a module's code imports, anywhere in it; `package` is the one it lies in."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            if node.module == "bertlab":
                yield from (alias.name for alias in node.names)
            elif (node.module or "").startswith("bertlab."):
                yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("bertlab."))


def backward(files):
    """Return the imports that run back along `ORDER`, as words; `files` maps a room to its modules' sources."""
    names_at_the_front = {"load", "untrained", "__version__"}  # bertlab's own: they lead to the room bert
    found = []
    for room, source in files:
        for other in imported_rooms(source, room):
            other = "bert" if other in names_at_the_front else other
            if other != room and ORDER.index(other) > ORDER.index(room):
                found.append(f"{room} imports {other}")
    return found


def test_every_room_has_its_place():
    rooms = {room_of(path) for path in PACKAGE.rglob("*.py")} - {"__init__"}
    assert rooms == set(ORDER)


def test_imports_run_one_way():
    files = [(room_of(path), path.read_text("utf-8")) for path in PACKAGE.rglob("*.py")]
    assert backward([(room, source) for room, source in files if room != "__init__"]) == []


@pytest.mark.parametrize(
    "source",
    [
        "from bertlab.course import decks",
        "from bertlab import course",
        "import bertlab.course.decks",
        "def f():\n    from bertlab.checks import reveal",
    ],
)
def test_an_arrow_that_runs_back_is_found(source):
    assert len(backward([("attention", source)])) == 1
    assert backward([("__main__", source)]) == []


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

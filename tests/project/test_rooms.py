"""The package is a row of rooms, and imports run one way along it: a lesson's room never needs a later one."""

import ast
import pkgutil
import re
from pathlib import Path

import bertlab

PACKAGE = Path(bertlab.__file__).parent

# Each room may use those before it. What is not named here may not be there: a new lesson's room is put in its place.
ORDER = (
    "arguments",  # what a function that lessons call takes
    "data",  # the tables that ship
    "bert",  # loading and reading
    "reference",  # a BERT in the lines that a student writes
    "mine",  # and in those that they wrote
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
    "circuits",
    "checks",
    "inline",  # views of the live page in lessons
    "lessons",  # the notebooks as files
    "page",  # writes the live page
    "installation",
    "lab",  # starts JupyterLab
    "__main__",
)


def imported_rooms(path):
    """Return the rooms of bertlab that a module's code imports, anywhere in it."""
    rooms = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            rooms += [alias.name.split(".")[1] for alias in node.names if alias.name.startswith("bertlab.")]
            assert not [alias.name for alias in node.names if alias.name.startswith("bertlab_teaching")], path
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            assert not node.module.startswith("bertlab_teaching"), f"{path}: a student has no such package"
            if node.module == "bertlab":  # its own names lead to the room bert
                rooms += [alias.name if alias.name in ORDER else "bert" for alias in node.names]
            elif node.module.startswith("bertlab."):
                rooms.append(node.module.split(".")[1])
    return rooms


def test_every_room_has_its_place_and_imports_run_one_way():
    paths = {path: path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in PACKAGE.rglob("*.py")}
    del paths[PACKAGE / "__init__.py"]
    assert set(paths.values()) == set(ORDER)
    for path, room in paths.items():
        assert [other for other in imported_rooms(path) if ORDER.index(other) > ORDER.index(room)] == [], path


def test_a_door_names_only_what_its_room_holds():
    for door in PACKAGE.glob("*/__init__.py"):
        imported = set(imported_rooms(door)) - {"data", "arguments"}  # readers of files stand at their lessons' doors
        assert imported <= {door.parent.name}, door


def test_what_a_docstring_names_is_there():
    for path in sorted(PACKAGE.rglob("*.py")):
        for name in re.findall(r"`(bertlab(?:\.\w+)+)", path.read_text("utf-8")):
            pkgutil.resolve_name(name)  # raises where there is no such module, or nothing of that name in it

"""The lists that are made from pyproject.toml are current, take every Python of the project, and name what is used."""

import ast
import importlib.util
import sys
import tomllib
from importlib.metadata import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
CONSTRAINTS = (ROOT / "constraints.txt").read_text(encoding="utf8").splitlines()
PINS = {pin.name: pin for pin in map(Requirement, (line for line in CONSTRAINTS if not line.startswith("#")))}

spec = importlib.util.spec_from_file_location("pins", ROOT / ".ci" / "pins.py")
pins = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pins)


@pytest.mark.parametrize("name", pins.FILES)
def test_what_make_pins_writes_is_current(name):
    """In an environment of the pinned versions, constraints.txt is what is installed there."""
    if name == "constraints.txt" and f"torch=={metadata('torch')['Version'].split('+')[0]}" not in CONSTRAINTS:
        pytest.skip("other versions are installed here")
    assert (ROOT / name).read_text(encoding="utf8") == pins.FILES[name]()


def test_the_pinned_versions_are_in_their_ranges_and_take_every_python_that_the_project_takes():
    for requirement in pins.requirements(*PROJECT["optional-dependencies"]):
        (version,) = PINS[requirement.name].specifier
        assert version.operator == "=="
        assert requirement.specifier.contains(version.version)
    oldest = PROJECT["requires-python"].removeprefix(">=") + ".0"  # Debian 12 has 3.11.2
    needs = {name: metadata(name)["Requires-Python"] for name, pin in PINS.items() if not pin.marker}
    assert not [name for name, versions in needs.items() if versions and oldest not in SpecifierSet(versions)]


def imported(paths):
    """The packages that modules import, anywhere in them, by their names on PyPI."""
    nodes = [node for path in paths for node in ast.walk(ast.parse(path.read_text(encoding="utf8")))]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    others = {name.split(".")[0] for name in names} - set(sys.stdlib_module_names) - {"bertlab"}
    called = {"sklearn": "scikit-learn", "huggingface_hub": "huggingface-hub", "IPython": "ipython"}
    return {called.get(name, name) for name in others}


def test_the_package_needs_what_it_imports_and_lessons_nothing_beyond_it():
    course = set((ROOT / "bertlab" / "course").rglob("*.py"))
    slides = {path for room in ("slides", "web") for path in (ROOT / "bertlab" / "course" / room).glob("*.py")}
    quiz = ROOT / "bertlab" / "course" / "quiz.py"
    own, lab, decks = (
        {need.name for need in pins.requirements(*extras)} for extras in ((), ("lab",), ("lab", "decks"))
    )
    assert imported(set((ROOT / "bertlab").rglob("*.py")) - course) <= own, "so that lessons run in any Jupyter"
    assert imported(course - slides - {quiz}) <= lab
    assert imported(slides | {quiz}) <= decks

"""The lists that are made from pyproject.toml are current, take every Python of the project, and name what is used."""

import ast
import importlib.util
import platform
import re
import sys
from importlib.metadata import metadata, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[2]
CONSTRAINTS = (ROOT / "constraints.txt").read_text(encoding="utf8").splitlines()

spec = importlib.util.spec_from_file_location("pins", ROOT / ".ci" / "pins.py")
pins = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pins)


@pytest.mark.parametrize("name", pins.FILES)
def test_what_make_pins_writes_is_current(name):
    """In an environment of the pinned versions, constraints.txt is what is installed there."""
    here = f"on Python {sys.version_info[0]}.{sys.version_info[1]}, {platform.system()}:" in CONSTRAINTS[0]
    if name == "constraints.txt" and (not here or f"torch=={version('torch').split('+')[0]}" not in CONSTRAINTS):
        pytest.skip("other versions are installed here")
    assert (ROOT / name).read_text(encoding="utf8") == pins.FILES[name]()


def test_the_pinned_versions_are_in_their_ranges_and_take_the_oldest_python():
    pinned = {pin.name: pin for pin in map(Requirement, (line for line in CONSTRAINTS if not line.startswith("#")))}
    teaching = map(Requirement, pins.settings("bertlab_teaching/pyproject.toml")["dependencies"])
    for need in (*pins.requirements("lab", "test"), *(need for need in teaching if need.name != "bertlab")):
        (pin,) = pinned[need.name].specifier
        assert need.specifier.contains(pin.version)
    needs = {name: metadata(name).get("Requires-Python") for name, pin in pinned.items() if not pin.marker}
    assert not [name for name, versions in needs.items() if versions and "3.11.0" not in SpecifierSet(versions)]


def test_each_pinned_version_has_its_hashes():
    """`make pins` asks for them over the network; here, that it was not forgotten."""
    hashes = r"^(\S.+?) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)"
    hashed = re.findall(hashes, (ROOT / ".ci" / "hashes.txt").read_text(encoding="utf8"), re.M)
    pinned = [line for line in CONSTRAINTS if not line.startswith("#")]
    assert sorted(str(Requirement(name)) for name, _ in hashed) == sorted(str(Requirement(line)) for line in pinned)


def test_lessons_need_nothing_beyond_what_the_package_names():
    modules = set((ROOT / "bertlab").rglob("*.py")) - {ROOT / "bertlab" / name for name in ("lab.py", "lessons.py")}
    nodes = [node for path in modules for node in ast.walk(ast.parse(path.read_text(encoding="utf8")))]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    others = {name.split(".")[0] for name in names} - set(sys.stdlib_module_names) - {"bertlab"}
    called = {"sklearn": "scikit-learn", "huggingface_hub": "huggingface-hub", "IPython": "ipython"}
    assert {called.get(name, name) for name in others} <= {need.name for need in pins.requirements()}

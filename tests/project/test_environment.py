"""pyproject.toml, environment.yml and constraints.txt name the same packages, in versions that agree; what is whose."""

import ast
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]

CONDA_NAMES = {  # where conda-forge calls a package otherwise than PyPI
    "huggingface-hub": "huggingface_hub",
    "matplotlib": "matplotlib-base",
    "seaborn": "seaborn-base",
    "torch": "pytorch-cpu",
}
NOT_ON_CONDA_FORGE = {"bertviz"}  # may stand under `pip:`, with the project itself


def requirements(*chosen):
    """The requirements of pyproject.toml: the package's own, and those of some extras, by default of all."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    optional = project["optional-dependencies"]
    extras = [line for name in chosen or optional for line in optional[name]]
    return [Requirement(line) for line in project["dependencies"] + extras]


def pins():
    """The lines of constraints.txt that are no comments, as requirements."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf8").splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def conda():
    """The packages of environment.yml as {name: ranges}, and its lines under `pip:`."""
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf8"))
    packages, pip = {}, []
    for entry in environment["dependencies"]:
        if isinstance(entry, dict):
            pip += entry["pip"]
        else:
            name, ranges = re.fullmatch(r"([a-z0-9_-]+)(.*)", entry).groups()
            packages[name] = ranges
    return packages, pip


def as_set(ranges):
    return {part.strip() for part in str(ranges).split(",")}


def test_the_pinned_versions_take_every_python_that_the_project_takes():
    """Debian 12 has Python 3.11.2, and a pin for 3.11.5 and later stops the installation there."""
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]["requires-python"]
    oldest = re.fullmatch(r">=(\d+\.\d+)", asked)[1] + ".0"
    needs = {pin.name: metadata(pin.name)["Requires-Python"] for pin in pins() if installed(pin.name)}
    assert len(needs) > 150
    refused = {name: needed for name, needed in needs.items() if needed and oldest not in SpecifierSet(needed)}
    assert not refused


def installed(name):
    try:
        return distribution(name)
    except PackageNotFoundError:  # one for Windows or macOS
        return None


def test_conda_has_what_the_lessons_need_in_the_same_ranges():
    expected = {
        CONDA_NAMES.get(requirement.name, requirement.name): as_set(requirement.specifier)
        for requirement in requirements("lab")
        if requirement.name not in NOT_ON_CONDA_FORGE
    }
    python = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]["requires-python"]
    expected |= {"python": as_set(python), "pip": {""}}
    packages, _ = conda()
    assert {name: as_set(ranges) for name, ranges in packages.items()} == expected


def test_conda_takes_from_pip_only_what_conda_forge_lacks():
    _, pip = conda()
    assert "-e ." in pip
    wanted = {r.name: as_set(r.specifier) for r in requirements("lab") if r.name in NOT_ON_CONDA_FORGE}
    others = [Requirement(line) for line in pip if line != "-e ."]
    assert {r.name: as_set(r.specifier) for r in others} == wanted


@pytest.mark.parametrize("requirement", requirements(), ids=str)
def test_each_requirement_is_pinned_inside_its_range(requirement):
    versions = [
        specifier.version
        for pin in pins()
        if canonicalize_name(pin.name) == canonicalize_name(requirement.name)
        for specifier in pin.specifier
    ]
    assert len(versions) == 1
    assert requirement.specifier.contains(versions[0])


def imported(paths):
    """The packages that modules import, anywhere in them, by their names on PyPI."""
    nodes = [node for path in paths for node in ast.walk(ast.parse(path.read_text(encoding="utf8")))]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    others = {name.split(".")[0] for name in names} - set(sys.stdlib_module_names) - {"bertlab"}
    called = {"sklearn": "scikit-learn", "huggingface_hub": "huggingface-hub", "IPython": "ipython"}
    return {called.get(name, name) for name in others}


def test_the_package_needs_what_it_imports_and_students_nothing_for_tests():
    paths = set((ROOT / "bertlab").rglob("*.py"))
    course = set((ROOT / "bertlab" / "course").rglob("*.py"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    own = {Requirement(line).name for line in project["dependencies"]}
    slides = {path for room in ("slides", "web") for path in (ROOT / "bertlab" / "course" / room).glob("*.py")}
    lab = {requirement.name for requirement in requirements("lab")}
    assert imported(paths - course) <= own, "what lessons use, so that they run in any Jupyter that is there"
    decks = {requirement.name for requirement in requirements("decks")} - lab
    assert imported(course - slides) <= lab
    assert imported(slides) <= lab | decks
    tools = {requirement.name for requirement in requirements("test")} - lab
    assert {"pytest", "ruff", "playwright"} <= tools, "nothing of the tests is in what students install"


def test_every_pin_is_one_plain_version():
    for pin in pins():
        specifiers = list(pin.specifier)
        assert [s.operator for s in specifiers] == ["=="], pin
        assert re.fullmatch(r"[0-9]+(\.[0-9]+)*(\.post[0-9]+)?", specifiers[0].version), pin
        assert pin.url is None, pin
        assert not pin.extras, pin
    names = [canonicalize_name(pin.name) for pin in pins()]
    assert len(names) == len(set(names))


def test_torch_is_pinned_as_the_makefile_reads_it():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf8").splitlines()
    (line,) = [line for line in lines if re.match(r"torch\b", line)]
    assert re.fullmatch(r"torch==[0-9]+\.[0-9]+\.[0-9]+", line)

"""pyproject.toml, environment.yml and constraints.txt name the same packages, in versions that agree."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]

CONDA_NAMES = {  # where conda-forge calls a package otherwise than PyPI
    "huggingface-hub": "huggingface_hub",
    "jupyterlab-rise": "jupyterlab_rise",
    "matplotlib": "matplotlib-base",
    "playwright": "playwright-python",
    "seaborn": "seaborn-base",
    "torch": "pytorch-cpu",
}
NOT_ON_CONDA_FORGE = {"bertviz", "sphinx-revealjs"}  # may stand under `pip:`, with the project itself


def requirements():
    """Every requirement of pyproject.toml, those of all extras included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
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


def test_conda_has_the_same_packages_and_ranges():
    expected = {
        CONDA_NAMES.get(requirement.name, requirement.name): as_set(requirement.specifier)
        for requirement in requirements()
        if requirement.name not in NOT_ON_CONDA_FORGE
    }
    python = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]["requires-python"]
    expected |= {"python": as_set(python), "pip": {""}}
    packages, _ = conda()
    assert {name: as_set(ranges) for name, ranges in packages.items()} == expected


def test_conda_takes_from_pip_only_what_conda_forge_lacks():
    _, pip = conda()
    assert "-e ." in pip
    wanted = {r.name: as_set(r.specifier) for r in requirements() if r.name in NOT_ON_CONDA_FORGE}
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

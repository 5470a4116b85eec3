"""Make what follows from pyproject.toml's dependencies: environment.yml for conda, .binder/, constraints.txt for pip.

`make pins` runs it, and asks for the hashes of constraints.txt. The exact versions are those of the environment that it
runs in: for new ones, install `.[lab,test]`, `./bertlab_teaching` and the wished version of torch into an empty
environment of Python 3.11 and run it there.
"""

import tomllib
from importlib.metadata import distribution, distributions
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
CONDA = {  # where conda-forge calls a package otherwise than PyPI
    "huggingface-hub": "huggingface_hub",
    "matplotlib": "matplotlib-base",
    "seaborn": "seaborn-base",
    "torch": "pytorch-cpu",
}
MADE = "# Made by `make pins` from pyproject.toml.\n"
CHANNELS = f"{MADE}name: bertlab\nchannels:\n  - conda-forge\n  - nodefaults\ndependencies:\n"


def requirements(*extras: str) -> list[Requirement]:
    """Return what pyproject.toml names for the package itself and for some extras."""
    project = settings("pyproject.toml")
    lines = [line for extra in extras for line in project["optional-dependencies"][extra]]
    return [Requirement(line) for line in project["dependencies"] + lines]


def settings(name: str) -> dict[str, Any]:
    """Return what a pyproject.toml says of its project."""
    return tomllib.loads((ROOT / name).read_text(encoding="utf8"))["project"]


def environment() -> str:
    """Return the text of environment.yml; what conda-forge does not have, bertviz, pip installs with bertlab."""
    lines = ["  - python>=3.11", "  - pip"]
    for need in requirements("lab"):
        ranges = ",".join(sorted(map(str, need.specifier), reverse=True))
        if need.name != "bertviz":
            lines.append(f"  - {CONDA.get(need.name, need.name)}{ranges}")
    return CHANNELS + "\n".join([*lines, "  - pip:", "      - -e ."]) + "\n"


def binder() -> str:
    """Return the text of .binder/environment.yml: one Python, since for a range repo2docker takes its default."""
    return f"{CHANNELS}  - python=3.11\n  - pip\n"


def needed() -> set[str]:
    """Return the installed packages that all of this needs, those that they need included."""
    installed = {canonicalize_name(found.metadata["Name"]) for found in distributions()}
    waiting = requirements("lab", "test")
    waiting += map(Requirement, settings("bertlab_teaching/pyproject.toml")["dependencies"])
    seen = set()
    for need in waiting:
        asked = canonicalize_name(need.name), tuple(need.extras)
        if asked in seen or asked[0] not in installed:
            continue
        seen.add(asked)
        for other in map(Requirement, distribution(need.name).requires or []):
            if not other.marker or any(other.marker.evaluate({"extra": extra}) for extra in ("", *need.extras)):
                waiting.append(other)
    return {name for name, _ in seen} - {"bertlab"}


def constraints() -> str:
    """Return the text of constraints.txt; what only other systems install keeps its line."""
    before = (ROOT / "constraints.txt").read_text(encoding="utf8").splitlines()
    lines = [f"{name}=={distribution(name).version.split('+')[0]}" for name in needed()]
    about = (
        "# Made by `make pins` on Python 3.11, Linux: for these versions the lessons' stored outputs are promised.\n"
    )
    return about + "\n".join(sorted(lines + [line for line in before if ";" in line])) + "\n"


FILES = {"environment.yml": environment, ".binder/environment.yml": binder, "constraints.txt": constraints}

if __name__ == "__main__":
    for name, text in FILES.items():
        (ROOT / name).write_text(text(), encoding="utf8")

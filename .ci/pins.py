"""Make what follows from pyproject.toml's dependencies: environment.yml for conda, .binder/, constraints.txt for pip.

`make pins` runs it. The exact versions are those of the environment that it runs in: for new ones, install
`.[lab,decks,test]` and the wished version of torch into an empty environment of Python 3.11 and run it there. (Versions
that refuse Python 3.11.2, which Debian 12 has, are refused by a test: soupsieve's after 2.10.)
"""

import tomllib
from importlib.metadata import distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PYTHON = "3.11"
CONDA = {  # where conda-forge calls a package otherwise than PyPI, or does not have it
    "bertviz": None,
    "huggingface-hub": "huggingface_hub",
    "matplotlib": "matplotlib-base",
    "seaborn": "seaborn-base",
    "torch": "pytorch-cpu",
}
ENVIRONMENT = """\
# Made by `make pins` from pyproject.toml: what the lessons need, for conda.
#
#     conda env create -f environment.yml
#
# The authors' test machine has no conda: solving this was not run. Binder reads .binder/ instead.
"""
BINDER = """\
# Made by `make pins`: one Python, since for a range repo2docker takes its default. postBuild installs everything else.
"""
CHANNELS = """\
name: bertlab
channels:
  - conda-forge
  - nodefaults
dependencies:
"""
CONSTRAINTS = """\
# Made by `make pins` on Python {}, Linux: one set of versions that work together, of everything that bertlab with all
# its extras needs. The lessons' stored outputs are promised for these versions only.
"""


def requirements(*extras: str) -> list[Requirement]:
    """Return what pyproject.toml names for the package itself and for some extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    lines = [line for extra in extras for line in project["optional-dependencies"][extra]]
    return [Requirement(line) for line in project["dependencies"] + lines]


def environment() -> str:
    """Return the text of environment.yml."""
    lines, pip = ["  - python>=3.11", "  - pip"], ["  - pip:", "      - -e ."]
    for requirement in requirements("lab"):
        name = CONDA.get(requirement.name, requirement.name)
        ranges = ",".join(sorted(map(str, requirement.specifier), reverse=True))
        if name is None:
            pip.append(f"      - {requirement.name}{ranges}")
        else:
            lines.append(f"  - {name}{ranges}")
    return ENVIRONMENT + CHANNELS + "\n".join([*lines, *pip]) + "\n"


def binder() -> str:
    """Return the text of .binder/environment.yml."""
    return f"{BINDER}{CHANNELS}  - python={PYTHON}\n  - pip\n"


def needed(*extras: str) -> set[str]:
    """Return the installed packages that these extras need, those that they need included."""
    installed = {canonicalize_name(found.metadata["Name"]) for found in distributions()}
    waiting = [(requirement, ("",)) for requirement in requirements(*extras)]
    seen, names = set(), set()
    while waiting:
        requirement, chosen = waiting.pop()
        name = canonicalize_name(requirement.name)
        wanted = not requirement.marker or any(requirement.marker.evaluate({"extra": extra}) for extra in chosen)
        if wanted and name in installed and (name, frozenset(requirement.extras)) not in seen:
            seen.add((name, frozenset(requirement.extras)))
            names.add(name)
            more = map(Requirement, distribution(name).requires or [])
            waiting += [(other, ("", *requirement.extras)) for other in more]
    return names


def constraints() -> str:
    """Return the text of constraints.txt; what only other systems install keeps its line."""
    before = (ROOT / "constraints.txt").read_text(encoding="utf8").splitlines()
    versions = {name: distribution(name).version.split("+")[0] for name in needed("lab", "decks", "test")}
    lines = [f"{name}=={version}" for name, version in versions.items()]
    return CONSTRAINTS.format(PYTHON) + "\n".join(sorted(lines + [line for line in before if ";" in line])) + "\n"


FILES = {"environment.yml": environment, ".binder/environment.yml": binder, "constraints.txt": constraints}

if __name__ == "__main__":
    for name, text in FILES.items():
        (ROOT / name).write_text(text(), encoding="utf8")

"""A page about this installation, to look at and to paste when something does not work."""

import os
import platform
import re
import sys
import time
from importlib.metadata import PackageNotFoundError, requires, version

from bertlab import __version__
from bertlab.bert import hub
from bertlab.bert.hub import CheckpointError
from bertlab.bert.loading import SHIPPED, VARIABLE, chosen, load, local_folder


def report() -> tuple[str, bool]:
    """Return a description of Python, the packages, the model and the GPU, and whether a lesson would run."""
    packages = _packages()
    missing = [name for name, installed in packages.items() if installed is None]
    model, loads = ("not tried, because packages are missing", False) if missing else _model()
    lines = [
        f"bertlab {__version__}",
        f"Python {platform.python_version()} on {platform.system()} {platform.machine()} ({sys.executable})",
        "",
        "Packages",
        *(f"  {name} {installed or 'MISSING'}" for name, installed in packages.items()),
        "",
        "Model",
        f"  {VARIABLE} is {os.environ.get(VARIABLE) or 'not set'}, so bertlab.load() means {chosen()!r}",
        f"  {model}",
        "",
    ]
    if missing:
        lines.append(f"Missing: {', '.join(missing)}. Get what is missing with: pip install 'bertlab[lab]'")
    else:
        lines += ["GPU", f"  {_gpu()}"]
    return "\n".join(lines), loads


def _packages() -> dict[str, str | None]:
    """Return the version of each package that the lessons need, or None if it is missing."""
    try:
        declared = requires("bertlab") or []
    except PackageNotFoundError:  # imported from a folder that was never installed
        declared = ["bertlab"]
    matches = [re.fullmatch(r"([\w.-]+)[^;]*(;.*extra == .lab.)?", line) for line in declared]
    versions: dict[str, str | None] = {}
    for name in sorted(match[1] for match in matches if match):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    return versions


def _model() -> tuple[str, bool]:
    """Return a description of the model that `load` would load, and whether it loads, without the network."""
    name = chosen()
    try:
        place = local_folder(name) or hub.cached(name)
        if place is None:
            return "not in this machine's cache: the first load will download it from the Hugging Face Hub", False
        start = time.perf_counter()
        bert = load(name)
    except (CheckpointError, OSError) as error:  # OSError: a cache of the Hub without permission to read
        return f"does not load. {error}", False
    seconds = time.perf_counter() - start
    place = "inside the package" if name == SHIPPED else place
    return f"{place}; loads in {seconds:.1f} s\n  " + repr(bert).replace("\n", "\n  "), True


def _gpu() -> str:
    """Return a description of the accelerator that torch finds."""
    import torch

    if torch.cuda.is_available():
        return f"{torch.cuda.get_device_name()}: bertlab.load(device='cuda') uses it"
    if torch.backends.mps.is_available():
        return "Apple's: bertlab.load(device='mps') uses it"
    return "none that torch can use, and none is needed"

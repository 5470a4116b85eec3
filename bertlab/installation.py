"""A page about this installation, to look at and to paste when something does not work."""

import os
import platform
import sys
import time

from bertlab import __version__
from bertlab.bert import hub, versions
from bertlab.bert.hub import CheckpointError
from bertlab.bert.loading import SHIPPED, VARIABLE, chosen, load, local_folder


def report() -> tuple[str, bool]:
    """Return a description of Python, the packages, the model and the GPU, and whether a lesson would run."""
    packages = versions.packages("lab")
    wrong = {"Missing": [name for name, (installed, _) in packages.items() if installed is None]}
    wrong["Of another version"] = [name for name, (_, wanted) in packages.items() if wanted]
    told = [f"{what}: {', '.join(names)}." for what, names in wrong.items() if names]
    model, loads = ("not tried before the packages are right", False) if told else _model()
    lines = [
        f"bertlab {__version__}",
        f"Python {platform.python_version()} on {platform.system()} {platform.machine()} ({sys.executable})",
        "\nPackages",
    ]
    for name, (installed, wanted) in packages.items():
        lines.append(f"  {name} {installed or 'MISSING'}{wanted and f', wanted {wanted}'}")
    variable = os.environ.get(VARIABLE) or "not set"
    lines += ["\nModel", f"  {VARIABLE} is {variable}, so bertlab.load() means {chosen()!r}", f"  {model}\n"]
    advice = " ".join([*told, "Get what is wanted with: pip install 'bertlab[lab]'"])
    return "\n".join([*lines, advice if told else f"GPU\n  {_gpu()}"]), loads


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

"""What makes training fast on the machine at hand, found out rather than assumed.

None of it changes what is computed, but for bfloat16, which rounds more coarsely.
"""

import ctypes
import logging
import sys
import time

import torch

from bertlab.pretraining.network import Objective

_M_MMAP_MAX, _M_TRIM_THRESHOLD = -4, -1  # names of glibc's mallopt
log = logging.getLogger(__name__)


def keep_memory() -> bool:
    """Tell glibc's allocator to keep what is freed; returns whether it listened.

    Large tensors that are allocated and freed at each step otherwise go back to the system each time, and
    fetching them again costs up to half of the time.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        library = ctypes.CDLL(None)
        return bool(library.mallopt(_M_MMAP_MAX, 0) and library.mallopt(_M_TRIM_THRESHOLD, 2**31 - 1))
    except (AttributeError, OSError):  # another C library
        return False


def half_is_faster(objective: Objective, inputs: dict[str, torch.Tensor], seconds: float = 2.0) -> bool:
    """Time forward and backward passes in float32 and in bfloat16, and return whether the latter is faster."""
    device = inputs["ids"].device
    if device.type == "cuda" and not torch.cuda.is_bf16_supported():
        return False
    best = {}
    before = objective.bf16
    for objective.bf16 in (False, True):
        times, end = [], time.perf_counter() + seconds / 2
        while len(times) < 3 or time.perf_counter() < end:
            start = time.perf_counter()
            _pass(objective, inputs)
            if device.type == "cuda":
                torch.cuda.synchronize()
            times.append(time.perf_counter() - start)
        best[objective.bf16] = min(times[1:])
    objective.bf16 = before
    objective.zero_grad()
    return best[True] < best[False]


def try_compile(objective: Objective, inputs: dict[str, torch.Tensor]) -> bool:
    """Compile the objective in place; where that fails (no C++ compiler, say) leave it as it was.

    Returns
    -------
    bool
        Whether it is compiled now.
    """
    try:
        objective.compile(dynamic=False)
        _pass(objective, inputs)
    except Exception as error:
        log.warning("torch.compile does not work here (%s); training goes on without it", type(error).__name__)
        objective._compiled_call_impl = None
        torch._dynamo.reset()
        objective.zero_grad()
        return False
    objective.zero_grad()
    return True


def _pass(objective: Objective, inputs: dict[str, torch.Tensor]) -> None:
    """Go forward and backward once."""
    words, pairs = objective(**inputs)
    (words + pairs).backward()

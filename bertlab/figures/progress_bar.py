"""How far a loop is: a bar that is gone when the loop is done, so that no stored output shows one."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tqdm import tqdm


def progress(steps: Iterable) -> "tqdm":
    """Yield the steps of a loop and draw a bar of how many are done, in a notebook or a terminal."""
    from IPython import get_ipython
    from tqdm import tqdm

    seen = get_ipython() is not None or sys.stdout.isatty()
    return tqdm(steps, leave=False, file=sys.stdout, disable=not seen)  # a kernel shows stderr in red

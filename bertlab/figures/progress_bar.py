"""How far a loop is: a bar that is gone when the loop is done, so that no stored output shows one."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tqdm import tqdm


def progress(steps: Iterable) -> "tqdm":
    """Yield the steps of a loop and draw a bar of how many are done."""
    from tqdm import tqdm

    return tqdm(steps, leave=False, file=sys.stdout)

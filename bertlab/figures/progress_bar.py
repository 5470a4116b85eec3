"""A progress bar that disappears when its loop is done, so that no stored output shows one."""

import sys
from collections.abc import Iterable

from tqdm import tqdm


def progress(steps: Iterable) -> tqdm:
    """Show a progress bar for a loop, in a notebook or a terminal."""
    from IPython import get_ipython

    visible = get_ipython() is not None or sys.stdout.isatty()
    return tqdm(steps, leave=False, file=sys.stdout, disable=not visible)  # a kernel shows stderr in red

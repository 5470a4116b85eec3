"""A progress bar that disappears when its loop is done, so that no stored output shows one."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tqdm import tqdm


def progress(steps: Iterable) -> "tqdm":
    """Show a progress bar for a loop, in a notebook or a terminal.

    Parameters
    ----------
    steps : iterable
        The steps of the loop.

    Returns
    -------
    tqdm.tqdm
        Yields the steps.

    Examples
    --------
    >>> [2 * step for step in progress(range(3))]
    [0, 2, 4]
    """
    from IPython import get_ipython
    from tqdm import tqdm

    visible = get_ipython() is not None or sys.stdout.isatty()
    return tqdm(steps, leave=False, file=sys.stdout, disable=not visible)  # a kernel shows stderr in red

"""One rule for "equal up to rounding", for every test that compares computed numbers.

Two right ways to compute a number differ in its last bits: by the order of a sum, and so by the instructions of the
processor, the number of threads, the batch. How far apart they come hangs on the size of the numbers that were added,
not on the size of one result, which may be near zero by chance. So the bound is a multiple of the machine epsilon of
the type computed in, times the largest number around:

    bound = MARGIN * epsilon * scale

Measured over all the suite, on the instruction sets and numbers of threads that one processor can be told to use, two
right values were at most 29 epsilons of the scale apart (a network's probabilities, in batches and alone): a ninth of
MARGIN, which leaves room for other processors. The scale of one layer's attention scores off by 1 % makes 17 times the
bound, a forgotten bias 900 times; tests/project/test_rounding.py holds the rule to that.
"""

import os
from pathlib import Path

import numpy as np
import torch

MARGIN = 256


def assert_rounded_equal(found, expected, *, scale=None, decimals=None, dtype="float32"):
    """Assert that two tensors, arrays, columns, lists or numbers are equal up to rounding.

    Parameters
    ----------
    found, expected
        What is compared; of the same shape, and with NaN in the same places. Their own types do not count: a table of
        float64 may hold what a network computed in float32.
    scale
        Numbers as large as those that were added up or subtracted on the way; the largest counts. By default it is
        `expected`, which is too small where the result is a difference of larger numbers, as the change of a loss.
    decimals : int, optional
        One of the two was rounded to so many decimals: half a unit of the last one comes on top of the bound.
    dtype : {"float32", "float64"}
        The type in which both were computed.

    Raises
    ------
    AssertionError
        If they are not; it says where they differ most, and by how many times the bound.
    """
    __tracebackhide__ = True
    found, expected, around = (_array(values) for values in (found, expected, expected if scale is None else scale))
    if found.shape != expected.shape:
        raise AssertionError(f"The shape is {found.shape}, and {expected.shape} is expected.")
    if not found.size:
        raise AssertionError("Nothing is compared: both are empty.")
    largest = np.abs(around[np.isfinite(around)]).max(initial=0)
    bound = MARGIN * np.finfo(dtype).eps * largest
    # Equal values, infinite ones and NaN among them, differ by 0; where only one is no number, nothing is near enough.
    with np.errstate(invalid="ignore"):
        differences = np.nan_to_num(np.abs(found - expected), nan=np.inf, posinf=np.inf)
    differences = np.where((found == expected) | (np.isnan(found) & np.isnan(expected)), 0, differences)
    excess = np.maximum(differences - (0 if decimals is None else 0.5 * 10.0**-decimals), 0)
    place = np.unravel_index(excess.argmax(), excess.shape)
    worst = excess[place]
    ratio = worst / bound if bound else np.inf * worst if worst else 0
    _record(ratio)
    if ratio > 1:
        raise AssertionError(
            f"{(excess > bound).sum()} of {found.size} values differ by more than rounding. The worst stands at "
            f"{tuple(map(int, place))}: found {found[place]:.9g}, expected {expected[place]:.9g}. The difference of "
            f"{differences[place]:.3g} is {ratio:.3g} times what rounding may do, {bound:.3g}, to numbers as large as "
            f"{largest:.3g}" + ("." if decimals is None else f", beyond half a unit of decimal {decimals}.")
        )


def _array(values) -> np.ndarray:
    """Return anything that holds numbers as an array of float64, which holds every float32 exactly."""
    if isinstance(values, list | tuple):
        return np.array([_array(value) for value in values], dtype=np.float64)
    return values.detach().cpu().double().numpy() if torch.is_tensor(values) else np.asarray(values, dtype=np.float64)


def _record(ratio: float) -> None:
    """Append the running test and its ratio of difference to bound to BERTLAB_ROUNDING_LOG, if that names a file."""
    if log := os.environ.get("BERTLAB_ROUNDING_LOG"):
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(f"{os.environ['PYTEST_CURRENT_TEST']}\t{ratio:.6g}\n")

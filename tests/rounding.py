"""One rule for "equal up to rounding", for every test that compares computed numbers.

Two right ways to compute a number differ in its last bits: by the order of a sum, and so by the instructions of the
processor, the number of threads, the batch. How far apart they come hangs on the size of the numbers that were added,
not on the size of one result, which may be near zero by chance. So the bound is MARGIN machine epsilons of the largest
number around. Measured over all the suite, two right values were at most 29 epsilons apart: a ninth of MARGIN, which
leaves room for other processors. The scale of one layer's attention scores off by 1 % makes 17 times the bound, a
forgotten bias 900 times.
"""

import numpy as np
import torch

MARGIN = 256


def assert_rounded_equal(found, expected, *, scale=None, decimals=None, dtype="float32"):
    """Assert that tensors, arrays, columns, lists or numbers are of one shape and equal up to rounding.

    `scale` is the size of the numbers that were added up or subtracted on the way, if larger than `expected`; one of
    the two may have been rounded to `decimals`; `dtype` is the type in which both were computed.
    """
    __tracebackhide__ = True
    found, expected, around = (_array(values) for values in (found, expected, expected if scale is None else scale))
    assert found.shape == expected.shape  # numpy would stretch the smaller one
    assert found.size
    bound = MARGIN * np.finfo(dtype).eps * np.abs(around[np.isfinite(around)]).max(initial=0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=bound + (0 if decimals is None else 0.5 * 10.0**-decimals))


def _array(values):
    """Return anything that holds numbers as an array of float64, which holds every float32 exactly."""
    if isinstance(values, list | tuple):
        return np.array([_array(value) for value in values], dtype=np.float64)
    return values.detach().cpu().double().numpy() if torch.is_tensor(values) else np.asarray(values, dtype=np.float64)

"""The cosine of vectors (lesson 1)."""

from torch import Tensor

from bertlab import reference
from bertlab.arguments import guarded, require_finite, require_fit


@guarded
def cosine(a: Tensor, b: Tensor) -> Tensor:
    """Return the cosine of the angle between vectors: their dot product divided by both lengths.

    Parameters
    ----------
    a, b : (..., features)
        The vectors; axes in front must broadcast, as in ``cosine(table, table[5])``.

    Returns
    -------
    Tensor
        The cosines, (...), from -1 to 1.

    Raises
    ------
    ValueError
        If a vector is all zeros, and so has no direction, or they have not as many features.

    Examples
    --------
    >>> import torch
    >>> cosine(torch.tensor([1.0, 0.0]), torch.tensor([1.0, 1.0]))
    tensor(0.7071)
    """
    require_finite(a=a, b=b)
    require_fit(a.ndim > 0 and a.shape[-1:] == b.shape[-1:], a=a, b=b)
    if not (a.any(dim=-1).all() and b.any(dim=-1).all()):
        raise ValueError("A vector of zeros has no direction, so its cosine with another is not defined.")
    return reference.cosine(a, b)

"""The cosine of vectors (lesson 1)."""

from torch import Tensor

from bertlab import reference


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
        If a vector is all zeros: it has no direction.

    Examples
    --------
    >>> import torch
    >>> cosine(torch.tensor([1.0, 0.0]), torch.tensor([1.0, 1.0]))
    tensor(0.7071)
    """
    if not (a.any(dim=-1).all() and b.any(dim=-1).all()):
        raise ValueError("A vector of zeros has no direction, so its cosine with another is not defined.")
    return reference.cosine(a, b)

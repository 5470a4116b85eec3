"""Cosine similarity, written out in lesson 1 and used from there on.

It compares directions and ignores lengths. It does not say what is similar to what: that is for the vectors,
and for the controls beside them.
"""

from torch import Tensor


def cosine(a: Tensor, b: Tensor) -> Tensor:
    """Return the cosine of the angle between vectors.

    Parameters
    ----------
    a, b : torch.Tensor, (..., hidden)
        Vectors along the last axis; the axes before it must broadcast, as in ``cosine(table, table[5])``.

    Returns
    -------
    torch.Tensor, (...)
        Between -1 and 1: the dot product divided by both lengths (lesson 1).

    Raises
    ------
    ValueError
        If a vector is all zeros, which points nowhere, or if the lengths of the last axes differ.

    Examples
    --------
    >>> import torch
    >>> cosine(torch.tensor([1.0, 0.0]), torch.tensor([1.0, 1.0]))
    tensor(0.7071)
    """
    if a.shape[-1:] != b.shape[-1:]:
        raise ValueError(
            f"These vectors have {a.shape[-1]} and {b.shape[-1]} features; a cosine compares vectors of one space."
        )
    lengths = a.norm(dim=-1) * b.norm(dim=-1)
    if (lengths == 0).any():
        raise ValueError("A vector of zeros has no direction, so its cosine with another is not defined.")
    return (a * b).sum(dim=-1) / lengths

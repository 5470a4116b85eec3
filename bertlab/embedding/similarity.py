"""Cosine similarity, written out in lesson 1 and used from there on: it compares directions and ignores lengths."""

from torch import Tensor


def cosine(a: Tensor, b: Tensor) -> Tensor:
    """Return the cosine of the angle between vectors along the last axis: the dot product divided by both lengths.

    The axes before it must broadcast, as in ``cosine(table, table[5])``. A vector of zeros points nowhere and has no
    cosine: a `ValueError`.

    Examples
    --------
    >>> import torch
    >>> cosine(torch.tensor([1.0, 0.0]), torch.tensor([1.0, 1.0]))
    tensor(0.7071)
    """
    lengths = a.norm(dim=-1) * b.norm(dim=-1)
    if (lengths == 0).any():
        raise ValueError("A vector of zeros has no direction, so its cosine with another is not defined.")
    return (a * b).sum(dim=-1) / lengths

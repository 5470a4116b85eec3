"""Cosine similarity, written out in lesson 1 and used from there on.

It compares directions and ignores lengths. It does not say what is similar to what: that is for the vectors,
and for the controls beside them.
"""

import torch
from torch import Tensor


def cosine(a: Tensor, b: Tensor) -> Tensor:
    """Return the cosine of the angle between vectors.

    Parameters
    ----------
    a, b : (..., hidden)
        Vectors along the last axis; the axes before it must broadcast, as in ``cosine(table, table[5])``.

    Returns
    -------
    torch.Tensor, (...)
        Between -1 and 1: the dot product divided by both lengths (lesson 1).

    Raises
    ------
    TypeError
        If these are no tensors of decimal numbers.
    ValueError
        If a vector is all zeros, which points nowhere, or if the lengths of the last axes differ.

    Examples
    --------
    >>> import torch
    >>> cosine(torch.tensor([1.0, 0.0]), torch.tensor([1.0, 1.0]))
    tensor(0.7071)
    """
    a, b = scaled(a), scaled(b)
    if a.shape[-1:] != b.shape[-1:]:
        raise ValueError(
            f"These vectors have {a.shape[-1]} and {b.shape[-1]} features; a cosine compares vectors of one space."
        )
    lengths = a.norm(dim=-1) * b.norm(dim=-1)
    if (lengths == 0).any():
        raise ValueError("A vector of zeros has no direction, so its cosine with another is not defined.")
    return (a * b).sum(dim=-1) / lengths


def scaled(vectors: Tensor) -> Tensor:
    """Return vectors with the same directions whose largest number is between 1 and 2, so that squares are numbers.

    Squares of very large numbers are infinite to a computer, and those of very small ones zero. Vectors are divided by
    powers of two, which changes no digit; one of zeros stays as it is.

    Parameters
    ----------
    vectors : (..., hidden)

    Raises
    ------
    TypeError
        If this is no tensor of decimal numbers.

    Examples
    --------
    >>> scaled(torch.tensor([3e30, -5e30])).norm() < 4
    tensor(True)
    """
    if not isinstance(vectors, Tensor) or not vectors.is_floating_point():
        kind = vectors.dtype if isinstance(vectors, Tensor) else type(vectors).__name__
        raise TypeError(
            f"A cosine is of tensors of decimal numbers, and this is {kind}. Make numbers a tensor with "
            "torch.tensor([0.5, 0.2]), and a list of vectors one with torch.stack([first, second])."
        )
    if not vectors.ndim or not vectors.shape[-1]:
        raise ValueError(f"A vector has one feature or more, and this has shape {tuple(vectors.shape)}.")
    largest = vectors.abs().amax(dim=-1, keepdim=True)
    power = largest / (2 * torch.frexp(largest).mantissa)
    return vectors / torch.where(largest > 0, power, 1)

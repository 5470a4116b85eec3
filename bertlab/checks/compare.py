"""Compare a student's result with the right one as tensors, and describe in words where they differ."""

from numbers import Real
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import Parameter

ROUNDING = 5e-5
"""The largest difference that counts as rounding, as a share of the largest value of a tensor.

Kernels differ by about 1e-6 of that value at any scale: logits reach 28, probabilities stay below 1.
"""


def as_tensor(value: Any) -> Tensor:
    """Return a tensor, an array, a table, a number or a list of these as a float64 tensor."""
    if type(value) in (Tensor, Parameter):  # another class may say of itself that it equals anything: numpy reads it
        return value.detach().cpu().double()
    if isinstance(value, list | tuple):
        return _stacked([as_tensor(part) for part in value])
    array = np.asarray(float(value) if isinstance(value, Real) else value)  # a Fraction is a number, too
    if array.dtype == object:  # of numbers, perhaps
        array = array.astype(float)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{type(value).__name__} holds no numbers")
    return torch.from_numpy(array.astype(np.float64))


def _stacked(rows: list[Tensor]) -> Tensor:
    """Return tensors as one, with zeros as padding."""
    if not rows:
        return torch.zeros(0, dtype=torch.float64)
    shape = [max(sizes) for sizes in zip(*(row.shape for row in rows), strict=True)]
    filled = torch.zeros(len(rows), *shape, dtype=torch.float64)
    for number, row in enumerate(rows):
        corner = tuple(slice(size) for size in row.shape)
        filled[number][corner] = row
    return filled


def close(mine: Tensor, theirs: Tensor, atol: float, where: Tensor | bool = True) -> bool:
    """Return whether two tensors are equal up to rounding, wherever `where` is true."""
    if mine.shape != theirs.shape:
        return False
    exact = theirs.double()
    finite = exact[exact.isfinite()].abs()
    # A count has no rounding.
    allowed = atol + ROUNDING * float(finite.max()) if theirs.is_floating_point() and len(finite) else 0.0
    near = torch.isclose(mine, exact, rtol=0, atol=allowed, equal_nan=True)
    return bool((near | ~torch.as_tensor(where)).all())


def mistaken_alike(mine: Tensor, theirs: Tensor, atol: float, where: Tensor | bool = True) -> bool:
    """Return whether a result equals that of a known mistake."""
    if theirs.dtype != torch.bool or mine.shape != theirs.shape:
        return close(mine, theirs, atol, where)
    # A line that two libraries compute differs in its last digit, and of thousands of values one may lie between.
    return int((mine.ne(theirs) & torch.as_tensor(where)).sum()) <= theirs.numel() // 1000


def reordered(mine: Tensor, theirs: Tensor, atol: float) -> bool:
    """Return whether the rows are the right ones in another order."""
    if mine.shape != theirs.shape or mine.ndim < 2:
        return False

    def times(row: Tensor, rows: Tensor) -> int:
        return sum(close(other.double(), row, atol) for other in rows)

    return all(times(row, mine) == times(row, theirs) for row in theirs)


def begins(mine: Tensor, theirs: Tensor, atol: float) -> bool:
    """Return whether a result is the first row of the right one, or a list of only that row."""
    return theirs.ndim > 0 and any(close(mine, part, atol) for part in (theirs[0], theirs[:1]))


def rounded(mine: Tensor, theirs: Tensor) -> bool:
    """Return whether numbers are the right ones, rounded to one, two or three decimals."""
    if mine.shape != theirs.shape or not theirs.is_floating_point() or (mine.ndim and not mine.any()):
        return False
    for scale in (10, 100, 1000):
        scaled = scale * mine
        whole = torch.isclose(scaled, scaled.round(), rtol=0, atol=1e-3).all()
        if whole and (scaled - scale * theirs).abs().max() <= 0.5 + 1e-3:  # halves go up or down
            return True
    return False


def changed(before: object, after: object) -> bool:
    """Return whether a tensor, or a list or anything in it, was changed."""
    if isinstance(before, Tensor) and isinstance(after, Tensor):
        return not torch.equal(before, after)
    if isinstance(before, list | tuple) and isinstance(after, list | tuple):
        return len(before) != len(after) or any(map(changed, before, after))
    return False


def difference(mine: Tensor, theirs: Tensor, where: Tensor) -> str:
    """Return in words where two tensors differ most, and both values there."""
    if mine.shape != theirs.shape:
        return f"the shape of your result is {tuple(mine.shape)}, and {tuple(theirs.shape)} is asked for"
    if mine.isnan().any():
        return (
            "your result holds nan (not a number). That comes of 0 / 0, of the mean of nothing, of softmax over a row "
            "that is -inf throughout, or of the logarithm of a negative number, as logits often are"
        )
    exact = theirs.double()
    off = torch.where(where, (mine - exact).abs(), 0.0)
    worst = tuple(int(i) for i in torch.unravel_index(off.argmax(), off.shape))
    it = f"at {list(worst)} it" if worst else "it"
    if theirs.dtype == torch.bool and not torch.isin(mine, torch.tensor([0.0, 1.0], dtype=mine.dtype)).all():
        return (
            f"your result holds numbers such as {number(mine[worst])}, and for each of them True or False is asked for"
        )
    if theirs.dtype == torch.bool:
        answers = f"{int((off > 0).sum())} of {off.numel()} answers are not"
        both = f"{it} is {bool(mine[worst])}, and {bool(exact[worst])} is right"
        return f"the shape of your result is right, but {answers}: {both}"
    digits = next((d for d in range(4, 12) if number(mine[worst], d) != number(exact[worst], d)), 12)
    both = f"{it} is {number(mine[worst], digits)}, and {number(exact[worst], digits)} is right"
    start = "the shape of your result is right, but a value" if worst else "your result"
    return f"{start} is off by {number(off.max())}: {both}"


def number(value: Tensor | float, digits: int = 4) -> str:
    """Return a number with a few significant digits, a whole one without a decimal point."""
    single = float(value)
    return f"{single:.0f}" if single.is_integer() and abs(single) < 1e12 else f"{single:.{digits}g}"

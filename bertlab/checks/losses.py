"""The mistakes in a mean loss, for every exercise that asks for one."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def wrong(*probable: Tensor) -> dict[str, Any]:
    """Return the result of each mistake, given the probability of each right answer, in every loss or in the last."""
    mistakes: dict[str, list[Callable[[Tensor], Tensor]]] = {
        "the sign is wrong: a loss is minus the logarithm of the probability.": [lambda p: p.log().mean()],
        "the logarithm has base 2 or 10: take the natural one.": [
            lambda p: -p.log2().mean(),
            lambda p: -p.log10().mean(),
        ],
        "this is the logarithm of a mean: take the logarithms first, then their mean.": [lambda p: -p.mean().log()],
        "the losses are added up: divide by their number.": [lambda p: -p.log().sum()],
        "this is a probability: a loss is minus its logarithm.": [
            torch.mean,
            lambda p: -p.mean(),
            lambda p: 1 - p.mean(),
        ],
    }
    right = [-p.log().mean() for p in probable]

    def losses(mistake: Callable[[Tensor], Tensor]) -> list[Tensor]:
        in_each, in_last = [mistake(p) for p in probable], [*right[:-1], mistake(probable[-1])]
        return [torch.stack(values).squeeze() for values in (in_each, in_last)]

    return {sentence: tuple(value for way in ways for value in losses(way)) for sentence, ways in mistakes.items()}

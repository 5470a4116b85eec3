"""The checks of exercises 7.2 and 8.1, two schedules of the step size: up in a line, and down in a line."""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from bertlab.checks.inputs import generator
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import Slip, judge


def share_of_step(answer: Callable[[int, int, int], object]) -> Outcome:
    """Check exercise 7.2, a warm-up and a fall, against transformers' ``get_linear_schedule_with_warmup``.

    Parameters
    ----------
    answer
        Takes a step, the number of all steps, and that of the warm-up; returns a number.

    Returns
    -------
    Outcome
    """

    def right(step: int, steps: int, warmup: int) -> Tensor:
        from transformers import get_linear_schedule_with_warmup

        optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        return torch.tensor(get_linear_schedule_with_warmup(optimizer, warmup, steps).lr_lambdas[0](step))

    def fall(step: int, steps: int, warmup: int) -> float:
        return (steps - step) / (steps - warmup)

    def slip(says: str, gives: Callable[[int, int, int], float]) -> Slip:
        return Slip(says, lambda *given: torch.tensor(float(gives(*given))))

    def part(step: int, steps: int, warmup: int) -> str:
        if step in (0, warmup, steps):
            return "at the start" if not step else "at the top" if step == warmup else "at the end"
        return "in the rise" if step < warmup else "in the fall"

    lengths = torch.randint(5, 40, (2,), generator=generator()).tolist()
    cases = []
    for warmup, length in zip(lengths, (70, 110), strict=True):
        # In the rise, where it ends, early and late in the fall, at the end.
        cases += [(step, length, warmup) for step in (0, 1, warmup - 1, warmup, warmup + 7, length - 3, length)]
    return judge(
        answer,
        cases,
        right,
        [
            slip("the warm-up is missing: it begins at zero and rises.", lambda s, n, w: min(1, fall(s, n, w))),
            slip(
                "the warm-up is missing, and the fall begins at the first step.",
                lambda s, n, w: (n - s) / n,
            ),
            slip("the fall is missing: after the warm-up it stays at 1.", lambda s, n, w: min(1, s / w)),
            slip(
                "the fall is counted from the first step, so it jumps where the warm-up ends: count from there.",
                lambda s, n, w: s / w if s < w else (n - s) / n,
            ),
            slip(
                "// divides whole numbers and drops the rest: use /.",
                lambda s, n, w: s // w if s < w else (n - s) // (n - w),
            ),
            slip(
                "one step too early: at step 0 no step was taken yet, and it is 0.",
                lambda s, n, w: (s + 1) / w if s + 1 < w else (n - s - 1) / (n - w),
            ),
            slip(
                "it rises where it should fall: after the warm-up, count the steps that are left.",
                lambda s, n, w: s / w if s < w else (s - w) / (n - w),
            ),
            slip(
                "after the warm-up, one is taken off too little: divide what is left by what was left when it ended.",
                lambda s, n, w: s / w if s < w else (n - s) / w,
            ),
            slip(
                "the step size itself is returned, not what it is multiplied by.",
                lambda s, n, w: 3e-3 * (s / w if s < w else fall(s, n, w)),
            ),
            slip(
                "max takes the upper one of the two lines: take the lower one.",
                lambda s, n, w: max(s / w, fall(s, n, w)),
            ),
            slip(
                "the two lines are multiplied: take one of them, or the lower one.",
                lambda s, n, w: s / w * fall(s, n, w),
            ),
            slip(
                "it falls too soon: zero comes when all steps were taken, not one step before.",
                lambda s, n, w: s / w if s < w else (n - 1 - s) / (n - 1 - w),
            ),
            slip(
                "it falls too late: zero comes when all steps were taken, not one step after.",
                lambda s, n, w: s / w if s < w else (n + 1 - s) / (n + 1 - w),
            ),
            slip(
                "both lines are divided by all steps: the rise has `warmup` steps, and the fall has the rest.",
                lambda s, n, w: s / n if s < w else (n - s) / n,
            ),
            slip(
                "the fall does not reach zero: divide by the steps that it takes, steps - warmup.",
                lambda s, n, w: s / w if s < w else 1 - (s - w) / n,
            ),
            slip(
                "these are the steps that are left: divide them by how many were left when the fall began.",
                lambda s, n, w: s / w if s < w else n - s,
            ),
            slip(
                "this is half a wave of the cosine, as some do: a straight line is asked for.",
                lambda s, n, w: s / w if s < w else (1 + math.cos(math.pi * (s - w) / (n - w))) / 2,
            ),
        ],
        "your schedule equals that of transformers, in the rise, at the top, in the fall and at the end.",
        part=part,
    )


def step_size(answer: Callable[[int, int, int, float], float | None]) -> Outcome:
    """Check exercise 8.1, the size of a step, against numpy's line through three points.

    Parameters
    ----------
    answer
        Takes the number of the step, from 1, how many steps it rises, how many there are, and the largest size.

    Returns
    -------
    Outcome
    """

    def truth(number: int, rise: int, steps: int, largest: float) -> Tensor:
        return torch.tensor(float(np.interp(number, [0, rise, steps + 1], [0.0, largest, 0.0])))

    def size(share: float, largest: float) -> Tensor:
        return torch.tensor(share * largest, dtype=torch.float64)

    def part(number: int, rise: int, steps: int, _largest: float) -> str:
        if number == rise:
            return "at the top"
        return "in the rise" if number < rise else "in the fall" if number < steps else "in the last step"

    chance = generator()
    rise = int(torch.randint(5, 15, (1,), generator=chance))
    steps = rise + int(torch.randint(60, 120, (1,), generator=chance))
    largest = 1e-4 * (2 + float(torch.rand(1, generator=chance)))
    cases = [(number, rise, steps, largest) for number in (1, 3, rise, rise + 1, steps // 2, steps)]
    cases.append((1, 1, 4, 1.0))
    return judge(
        answer,
        cases,
        truth,
        [
            Slip("this is the share of the largest size: multiply by it.", lambda n, r, s, top: truth(n, r, s, 1.0)),
            Slip("it falls from the first step on: there is no rise.", lambda n, r, s, top: size((s + 1 - n) / s, top)),
            Slip("it rises and then stays: it has to fall again.", lambda n, r, s, top: size(min(n / r, 1), top)),
            Slip("it goes on rising: beyond the rise it has to fall.", lambda n, r, s, top: size(n / r, top)),
            Slip(
                "it is zero in the last step already, which is then lost: one step after the last it would be.",
                lambda n, r, s, top: size(n / r if n <= r else (s - n) / (s - r), top),
            ),
            Slip(
                "the steps are counted from 1 here: the first step has a size, one rise-th of the largest.",
                lambda n, r, s, top: size((n - 1) / r if n <= r else (s - n + 1) / (s - r), top),
            ),
            Slip(
                "the fall does not begin at the largest size: from there it goes down by equal steps to zero.",
                lambda n, r, s, top: size(n / r if n <= r else (s + 1 - n) / (s + 1), top),
            ),
            *(
                Slip(
                    "in the fall, count how many steps are left of how many: from step `rise` to one step after the "
                    "last there are steps + 1 - rise.",
                    lambda n, r, s, top, of=of: size(n / r if n <= r else (s + 1 - n) / of(r, s), top),
                )
                for of in (lambda r, s: s, lambda r, s: s - r)
            ),
            *(
                Slip(
                    "these are the lines of the lesson's loop, which counts steps from 0 and rises for one more: here "
                    "the first step has number 1, and step `rise` the largest size.",
                    lambda n, r, s, top, on=on: size(min((n + on) / (r + 1), (s + 1 - on - n) / (s - r)), top),
                )
                for on in (0, 1)
            ),
            Slip(
                "max takes the upper one of the two lines: take the lower one.",
                lambda n, r, s, top: size(max(n / r, (s + 1 - n) / (s + 1 - r)), top),
            ),
            Slip(
                "the two lines are multiplied: take one of them, or the lower one.",
                lambda n, r, s, top: size(n / r * (s + 1 - n) / (s + 1 - r), top),
            ),
            Slip(
                "// divides whole numbers and drops the rest: use /.",
                lambda n, r, s, top: size(n // r if n <= r else (s + 1 - n) // (s + 1 - r), top),
            ),
            Slip(
                "after the rise it begins at zero and rises again: count the steps that are left.",
                lambda n, r, s, top: size(n / r if n <= r else (n - r) / (s + 1 - r), top),
            ),
            Slip(
                "it falls where it should rise, and rises where it should fall.",
                lambda n, r, s, top: size(1 - n / r if n <= r else (n - r) / (s + 1 - r), top),
            ),
            Slip(
                "this is half a wave of the cosine, as some do: a straight line is asked for.",
                lambda n, r, s, top: size(
                    n / r if n <= r else (1 + math.cos(math.pi * (n - r) / (s + 1 - r))) / 2, top
                ),
            ),
        ],
        "your sizes lie on the line up and the line down, in the first step and in the last.",
        part=part,
        atol=1e-9,
    )

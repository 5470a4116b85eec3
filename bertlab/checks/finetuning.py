"""The checks of lesson 8, Fine-tuning."""

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from bertlab.checks.inputs import generator
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import Slip, judge
from bertlab.checks.schedule import step_size

__all__ = ["best_of", "loss_both_ways", "step_size"]


def loss_both_ways(answer: Callable[[Tensor, Tensor, float], Tensor | None]) -> Outcome:
    """Check exercise 8.2, the contrastive loss in both directions, against a sum written out sentence by sentence.

    Parameters
    ----------
    answer
        Takes two tables, (sentences, hidden), and a temperature; returns one number.

    Returns
    -------
    Outcome
    """

    def truth(first: Tensor, second: Tensor, temperature: float) -> Tensor:
        rows, columns = first.double().tolist(), second.double().tolist()

        def cosine(a: Sequence[float], b: Sequence[float]) -> float:
            return sum(x * y for x, y in zip(a, b, strict=True)) / math.hypot(*a) / math.hypot(*b)

        total = 0.0
        for i in range(len(rows)):
            own = cosine(rows[i], columns[i]) / temperature
            there = [math.exp(cosine(rows[i], other) / temperature) for other in columns]
            back = [math.exp(cosine(other, columns[i]) / temperature) for other in rows]
            total += math.log(sum(there)) + math.log(sum(back)) - 2 * own
        return torch.tensor(total / len(rows) / 2)

    def unit(rows: Tensor) -> Tensor:
        return F.normalize(rows, dim=-1)

    def scores(first: Tensor, second: Tensor) -> Tensor:
        return unit(first) @ unit(second).T

    def loss(values: Tensor) -> Tensor:
        return F.cross_entropy(values, torch.arange(len(values)))

    def both(values: Tensor) -> Tensor:
        return (loss(values) + loss(values.T)) / 2

    def probability(first: Tensor, second: Tensor, temperature: float) -> Tensor:  # of the own partner
        return (scores(first, second) / temperature).softmax(dim=-1).diagonal()

    chance = generator()
    cases = []
    for sentences, hidden, temperature in ((5, 8, 0.5), (3, 4, 0.2), (6, 5, 1.5)):
        first = torch.randn(sentences, hidden, generator=chance)
        near = first + torch.randn(sentences, hidden, generator=chance)
        cases.append((3 * first, 0.5 * near, temperature))
    cases.append((cases[0][1], cases[0][0], cases[0][2]))  # so that no direction always has the larger loss
    return judge(
        answer,
        cases,
        truth,
        [
            Slip(
                "this is the loss of the first sentences alone: the second ones look as well.",
                lambda a, b, t: loss(scores(a, b) / t),
            ),
            Slip(
                "this is the loss of the second sentences alone: the first ones look as well.",
                lambda a, b, t: loss(scores(b, a) / t),
            ),
            Slip("this is the sum of both losses; the mean is asked for.", lambda a, b, t: 2 * both(scores(a, b) / t)),
            Slip("the temperature is forgotten: it divides the cosines.", lambda a, b, t: both(scores(a, b))),
            Slip("the temperature multiplies; it has to divide.", lambda a, b, t: both(scores(a, b) * t)),
            Slip(
                "these are dot products, which grow with the lengths of the vectors: bring the rows to length one.",
                lambda a, b, t: both(a @ b.T / t),
            ),
            Slip(
                "the columns were brought to length one: a sentence is a row, dim=-1.",
                lambda a, b, t: both(F.normalize(a, dim=0) @ F.normalize(b, dim=0).T / t),
            ),
            Slip(
                "the loss itself is divided by the temperature: the cosines have to be, before softmax.",
                lambda a, b, t: both(scores(a, b)) / t,
            ),
            Slip("the sign is turned round: a loss is minus a logarithm.", lambda a, b, t: -both(scores(a, b) / t)),
            *(
                Slip(
                    f"only the {which} table's rows have the length one: bring those of both to it.",
                    lambda a, b, t, ways=ways: both(ways[0](a) @ ways[1](b).T / t),
                )
                for which, ways in (("first", (unit, torch.as_tensor)), ("second", (torch.as_tensor, unit)))
            ),
            Slip(
                "each table was divided by one length for all: every row has a length of its own, norm(dim=-1).",
                lambda a, b, t: both((a / a.norm()) @ (b / b.norm()).T / t),
            ),
            Slip(
                "the temperature is the lesson's, 0.05: take the one that is given.",
                lambda a, b, t: both(scores(a, b) / 0.05),
            ),
            Slip(
                "each table is compared with itself: the cosines are those of first and second.",
                lambda a, b, t: (loss(scores(a, a) / t) + loss(scores(b, b) / t)) / 2,
            ),
            Slip(
                "softmax was taken twice: cross_entropy takes it itself, so hand it the cosines over the temperature.",
                lambda a, b, t: (loss((scores(a, b) / t).softmax(-1)) + loss((scores(b, a) / t).softmax(-1))) / 2,
            ),
            Slip(
                "both directions are made one before the loss: take the loss of each, then the mean.",
                lambda a, b, t: loss((scores(a, b) + scores(b, a)) / 2 / t),
            ),
            Slip(
                "the losses of the sentences are added up: the mean divides by how many there are.",
                lambda a, b, t: len(a) * both(scores(a, b) / t),
            ),
            Slip(
                "this is the logarithm of a mean: take the logarithms first, then their mean.",
                lambda a, b, t: -(probability(a, b, t).mean().log() + probability(b, a, t).mean().log()) / 2,
            ),
            Slip(
                "these are probabilities: a loss is minus the logarithm of one.",
                lambda a, b, t: (probability(a, b, t).mean() + probability(b, a, t).mean()) / 2,
            ),
            Slip(
                "both losses are there, side by side: return their mean.",
                lambda a, b, t: torch.stack([loss(scores(a, b) / t), loss(scores(b, a) / t)]),
            ),
            Slip(
                "this is the larger one of the two losses: their mean is asked for.",
                lambda a, b, t: torch.maximum(loss(scores(a, b) / t), loss(scores(b, a) / t)),
            ),
        ],
        "your loss equals a sum written out sentence by sentence, for four tables and temperatures.",
    )


def best_of(shares: Sequence[float], answer: Callable[[list[float], int], float | None]) -> Outcome:
    """Check exercise 8.3, the best of a few draws on average, against the shares' order and a power.

    Parameters
    ----------
    shares
        Of some runs.
    answer
        Takes shares and how many are drawn; returns one number.

    Returns
    -------
    Outcome
    """

    def truth(values: Sequence[float], k: int) -> Tensor:
        # The best is at most the i-th smallest if all k draws are: (i / n) ** k of all ways (Dodge et al. 2019).
        ordered = np.sort(np.asarray(values, dtype=float))
        below = (np.arange(len(ordered) + 1) / len(ordered)) ** k
        return torch.tensor(float((ordered * np.diff(below)).sum()))

    def mean(values: Sequence[float]) -> Tensor:
        return torch.tensor(sum(values) / len(values), dtype=torch.float64)

    def ways(values: Sequence[float], k: int) -> list[float]:
        return [max(drawn) for drawn in itertools.product(values, repeat=k)]

    lowest_first = (0.5 + 0.5 * torch.rand(7, generator=generator())).sort().values.tolist()
    made = [lowest_first[place] for place in (3, 0, 5, 6, 1, 4, 2)]  # the best is none of the first or last three
    given = list(map(float, shares))[:5]
    cases = [(given, 2), (given, min(3, len(given))), (made, 3), (made[1:5], 1)]
    return judge(
        answer,
        cases,
        truth,
        [
            Slip("this is the best of all shares, however many are drawn.", lambda v, k: torch.tensor(max(v))),
            Slip("this is the mean share, as if one were drawn, whatever k is.", lambda v, k: mean(v)),
            *(
                Slip(
                    f"this is the best of the {which} k shares: every way to draw k counts.",
                    lambda v, k, some=some: torch.tensor(max(some(v, k))),
                )
                for which, some in (("first", lambda v, k: v[:k]), ("last", lambda v, k: v[-k:]))
            ),
            Slip(
                "each set of shares is counted once, in whatever order it was drawn: (a, b) and (b, a) are two ways.",
                lambda v, k: mean([max(drawn) for drawn in itertools.combinations_with_replacement(v, k)]),
            ),
            Slip(
                "the best ones are added up: the mean divides by how many ways there are, len(shares) ** k.",
                lambda v, k: torch.tensor(sum(ways(v, k))),
            ),
            Slip(
                "the sum is divided by how many shares there are: divide by how many ways, len(shares) ** k.",
                lambda v, k: torch.tensor(sum(ways(v, k)) / len(v)),
            ),
            Slip(
                "these are the best ones of all ways: their mean is asked for.", lambda v, k: torch.tensor(ways(v, k))
            ),
            Slip(
                "this is the median over all ways: the mean is asked for.",
                lambda v, k: torch.tensor(float(np.median(ways(v, k)))),
            ),
            Slip(
                "this is the k-th best share: draw k of all, and take the best.",
                lambda v, k: torch.tensor(sorted(v)[-k]),
            ),
            Slip(
                "no share is drawn twice here: each draw is from all of them, as another run would be.",
                lambda v, k: mean([max(drawn) for drawn in itertools.combinations(v, k)]),
            ),
            Slip(
                "this is the mean of the k best shares: draw k of all, and take the best.",
                lambda v, k: mean(sorted(v)[-k:]),
            ),
            Slip(
                "this is the worst of the k: the best is asked for.",
                lambda v, k: mean([min(drawn) for drawn in itertools.product(v, repeat=k)]),
            ),
            Slip(
                "this is the mean over the drawn ones: take the best of them.",
                lambda v, k: mean([sum(drawn) / k for drawn in itertools.product(v, repeat=k)]),
            ),
        ],
        lambda: (
            f"of the shares you were given, one draw has {float(truth(given, 1)):.2f} on average, and the best of "
            f"three {float(truth(given, 3)):.2f}: the same runs."
        ),
        atol=1e-9,
    )

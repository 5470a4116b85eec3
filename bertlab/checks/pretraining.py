"""The checks of lesson 7, Pre-training."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bertlab.checks.inputs import generator
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import Slip, judge
from bertlab.checks.schedule import share_of_step

__all__ = ["compare_rates", "share_of_step", "two_losses"]

TrainOnce = Callable[..., float]
"""Takes ``rate`` and ``seed`` and returns a loss."""


def two_losses(answer: Callable[[Tensor, Tensor, int], object]) -> Outcome:
    """Check exercise 7.1, two losses that need no model, against torch's cross-entropy of logarithms of counts.

    Parameters
    ----------
    answer
        Takes the ids of a text (n,), those of the right words (m,), and how many words there are; returns two numbers.

    Returns
    -------
    Outcome
    """

    def both(nothing: Tensor | float, frequent: Tensor | float) -> Tensor:
        return torch.stack([torch.as_tensor(nothing).double(), torch.as_tensor(frequent).double()])

    def alike(answers: Tensor, words: int) -> Tensor:
        return cross_entropy(torch.zeros(len(answers), words).double(), answers)

    def by_share(text: Tensor, answers: Tensor, words: int) -> Tensor:
        counts = torch.zeros(words).double().index_add(0, text, torch.ones(len(text)).double())
        return cross_entropy(counts.log().expand(len(answers), -1), answers)  # a share is the softmax of log counts

    def counted(text: Tensor, words: int) -> Tensor:
        return torch.bincount(text, minlength=words).double()

    def shares(text: Tensor, words: int) -> Tensor:
        return counted(text, words) / len(text)

    return judge(
        answer,
        [_words(9, 60, 20), _words(14, 90, 31)],
        lambda text, answers, words: both(alike(answers, words), by_share(text, answers, words)),
        [
            Slip(
                "the two are in the wrong order: knowing nothing comes first.",
                lambda t, a, w: both(by_share(t, a, w), alike(a, w)),
            ),
            Slip(
                "the sign is wrong: a loss is minus the logarithm of the probability.",
                lambda t, a, w: -both(alike(a, w), by_share(t, a, w)),
            ),
            *(
                Slip(
                    f"the sign of the {which} is wrong: a loss is minus the logarithm of the probability.",
                    lambda t, a, w, one=one, other=other: both(one * alike(a, w), other * by_share(t, a, w)),
                )
                for which, one, other in (("first", -1, 1), ("second", 1, -1))
            ),
            Slip(
                "the logarithms have the base 2: that counts in bits, and the lesson counts in nats.",
                lambda t, a, w: both(alike(a, w), by_share(t, a, w)) / math.log(2),
            ),
            Slip(
                "the logarithms have the base 10: the lesson takes natural ones.",
                lambda t, a, w: both(alike(a, w), by_share(t, a, w)) / math.log(10),
            ),
            Slip(
                "the shares are those of the test's own words: they are not known beforehand. Count in the text.",
                lambda t, a, w: both(alike(a, w), by_share(a, a, w)),
            ),
            Slip(
                "this is how open the text itself is (its entropy): take the loss on the answers.",
                lambda t, a, w: both(alike(a, w), by_share(t, t, w)),
            ),
            Slip(
                "this is the logarithm of a mean: take the logarithms first, then their mean.",
                lambda t, a, w: both(alike(a, w), -shares(t, w)[a].mean().log()),
            ),
            Slip(
                "the losses are added up: the mean divides by how many answers there are.",
                lambda t, a, w: both(alike(a, w) * len(a), by_share(t, a, w) * len(a)),
            ),
            Slip(
                "the second is added up: the mean divides by how many answers there are.",
                lambda t, a, w: both(alike(a, w), by_share(t, a, w) * len(a)),
            ),
            Slip(
                "these are probabilities: a loss is minus the logarithm of one.",
                lambda t, a, w: both(1 / w, shares(t, w)[a].mean()),
            ),
            Slip(
                "these are the losses' powers of e, perplexities: the losses themselves are asked for.",
                lambda t, a, w: both(w, by_share(t, a, w).exp()),
            ),
            Slip(
                "who knows nothing finds all words alike, not only those that occur in the test.",
                lambda t, a, w: both(math.log(len(a.unique())), by_share(t, a, w)),
            ),
            *(
                Slip(
                    f"who knows nothing finds all words alike, and there are so many as `words` says; this is {what}.",
                    lambda t, a, w, first=first: both(first(t, a, w), by_share(t, a, w)),
                )
                for what, first in (
                    ("the logarithm of the length of the text", lambda t, a, w: math.log(len(t))),
                    ("the logarithm of the number of answers", lambda t, a, w: math.log(len(a))),
                    ("a probability, of which a loss is minus the logarithm", lambda t, a, w: 1 / w),
                )
            ),
            *(
                Slip(
                    "counts are no shares yet: divide them by their sum, which is the length of the text.",
                    lambda t, a, w, by=by: both(alike(a, w), -(counted(t, w) / by(w))[a].log().mean()),
                )
                for by in (lambda w: 1, lambda w: w)
            ),
            Slip(
                "that is the mean over all words, each once: take the mean over the answers, shares[answers].",
                lambda t, a, w: both(alike(a, w), -shares(t, w).log().mean()),
            ),
            *(
                Slip(
                    "cross-entropy and softmax want scores, and here are shares or counts: these need no softmax, take "
                    "their logarithm.",
                    lambda t, a, w, given=given: both(alike(a, w), -given(t, w).log_softmax(dim=0)[a].mean()),
                )
                for given in (shares, counted)
            ),
            Slip(
                "one was added to each count: every word occurs in the text, so that is not needed.",
                lambda t, a, w: both(alike(a, w), -((counted(t, w) + 1) / (len(t) + w))[a].log().mean()),
            ),
        ],
        "your two losses equal torch's cross-entropy, for two texts made by chance.",
    )


def _words(words: int, length: int, asked: int) -> tuple[Tensor, Tensor, int]:
    """Return the ids of a text in which every word occurs, those of some answers, and the number of words."""
    chance = generator()
    often = torch.rand(words, generator=chance) + 0.1
    text = torch.multinomial(often, length, replacement=True, generator=chance)
    # Fewer different words are asked for than there are, so that counting these shows.
    answers = torch.randint(words - 2, (asked,), generator=chance)
    return torch.cat([torch.arange(words), text]), answers, words


def compare_rates(answer: Callable[[TrainOnce, Sequence[float], Sequence[int]], object]) -> Outcome:
    """Check exercise 7.3, a comparison over seeds, on losses that are made up, against numpy.

    Parameters
    ----------
    answer
        Takes a function that trains once, rates and seeds; returns (rates, 3): the mean, the lowest, the highest.

    Returns
    -------
    Outcome
    """

    def table(train_once: TrainOnce, rates: Sequence[float], seeds: Sequence[int]) -> np.ndarray:
        return np.array([[train_once(rate=rate, seed=seed) for seed in seeds] for rate in rates])

    def columns(losses: np.ndarray, *how: Callable[..., np.ndarray]) -> Tensor:
        return torch.from_numpy(np.stack([np.asarray(one(losses, axis=1)) for one in how], axis=1))

    def first(losses: np.ndarray, axis: int) -> np.ndarray:
        return losses.take(0, axis=axis)

    def a_seed_each(train_once: TrainOnce, rates: Sequence[float], seeds: Sequence[int]) -> Tensor:
        own = [train_once(rate=rate, seed=seeds[i % len(seeds)]) for i, rate in enumerate(rates)]
        return columns(np.array(own)[:, None], np.mean, np.min, np.max)

    def slip(says: str, *how: Callable[..., np.ndarray]) -> Slip:
        return Slip(says, lambda *given: columns(table(*given), *how))

    def usual(losses: np.ndarray) -> Tensor:
        return columns(losses, np.mean, np.min, np.max)

    def piled_up(losses: np.ndarray) -> Tensor:
        return torch.cat([usual(losses[: row + 1].reshape(1, -1)) for row in range(len(losses))])

    def deviation(sign: int) -> Callable[..., np.ndarray]:
        return lambda losses, axis: losses.mean(axis=axis) + sign * losses.std(axis=axis)

    return judge(
        answer,
        [(_made_up_losses(), [0.1, 0.4], [3, 5, 8, 9]), (_made_up_losses(), [0.15, 0.3, 0.6], [0, 7])],
        lambda *given: columns(table(*given), np.mean, np.min, np.max),
        [
            Slip(
                "each rate has a seed of its own: then nobody can tell rates from seeds. Loop over both.", a_seed_each
            ),
            slip("only the first seed is used: one run a rate says little.", first, first, first),
            slip("the lowest and the highest are exchanged.", np.mean, np.max, np.min),
            slip("the best seed stands in the place of the mean.", np.min, np.min, np.max),
            slip("the median stands in the place of the mean.", np.median, np.min, np.max),
            slip("the sum stands in the place of the mean.", np.sum, np.min, np.max),
            Slip(
                "the rows are seeds: a row for each rate is asked for.",
                lambda *given: columns(table(*given).T, np.mean, np.min, np.max),
            ),
            Slip(
                "the columns are rates: a row for each rate is asked for, with three columns.",
                lambda *given: columns(table(*given), np.mean, np.min, np.max).T,
            ),
            Slip(
                "the losses of all seeds are returned: the mean, the lowest and the highest are asked for.",
                lambda *given: torch.from_numpy(table(*given)),
            ),
            *(
                slip("the mean comes first, then the lowest, then the highest.", *how)
                for how in ((np.min, np.mean, np.max), (np.min, np.max, np.mean))
            ),
            slip(
                "that is the mean with a standard deviation below and above: the lowest and the highest are asked for.",
                np.mean,
                deviation(-1),
                deviation(1),
            ),
            Slip(
                "each row holds the losses of the rates before it, too: begin a new list for each rate.",
                lambda *given: piled_up(table(*given)),
            ),
            *(
                Slip(
                    "one rate alone is in your table: does return stand inside the loop, or the rows outside of it?",
                    lambda *given, rows=rows: usual(table(*given))[rows],
                )
                for rows in (slice(0, 1), slice(-1, None), 0, -1)
            ),
            Slip(
                "each row begins with its rate: three columns are asked for.",
                lambda t, r, s: torch.cat([torch.tensor([r]).T.double(), usual(table(t, r, s))], dim=1),
            ),
            Slip(
                "the rate stays the same in all rows: hand over the rate of the loop.",
                lambda t, r, s: usual(table(t, [r[0]] * len(r), s)),
            ),
            Slip(
                "rate and seed have changed places: write train_once(rate=rate, seed=seed).",
                lambda t, r, s: usual(np.array([[t(rate=seed, seed=rate) for seed in s] for rate in r])),
            ),
            Slip(
                "the seeds are counted anew, 0, 1, 2, ...: take those that the function is given.",
                lambda t, r, s: usual(table(t, r, range(len(s)))),
            ),
            Slip(
                "only the means are returned: the lowest and the highest belong to them.",
                lambda *given: torch.from_numpy(table(*given).mean(axis=1)),
            ),
        ],
        "your table equals numpy's, for losses that were made up: every rate had every seed.",
    )


def _made_up_losses() -> TrainOnce:
    """Return a function that answers at once: a loss for each rate and seed, the same when asked again."""
    number = int(torch.randint(2**31, (1,), generator=generator()))

    def train_once(rate: float, seed: int) -> float:
        return float(np.random.default_rng((number, round(1e6 * float(rate)), int(seed))).uniform(1, 2))

    return train_once

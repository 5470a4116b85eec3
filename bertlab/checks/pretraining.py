"""The checks of lesson 7, Pre-training."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bertlab.checks.inputs import generator
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge

TrainOnce = Callable[..., float]
"""Takes ``rate`` and ``seed`` and returns a loss."""


def two_losses(answer: Callable) -> Outcome:
    """Check exercise 7.1, two losses that need no model, against torch's cross-entropy of logarithms of counts."""

    def truth(text: Tensor, answers: Tensor, words: int) -> Tensor:
        alike = torch.zeros(words).double()
        counts = alike.index_add(0, text, torch.ones(len(text)).double())
        logits = torch.stack([alike, counts.log()])  # a share is the softmax of the logarithms of counts
        return torch.stack([cross_entropy(row.expand(len(answers), -1), answers) for row in logits])

    def shares(text: Tensor) -> Tensor:
        return torch.bincount(text).double() / len(text)  # every word occurs

    def with_second(second: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, Tensor, int], Tensor]:
        """Return a function whose first loss is right."""
        return lambda text, answers, words: torch.stack([truth(text, answers, words)[0], second(text, answers)])

    wrong = {
        "the two are in the wrong order: knowing nothing comes first.": lambda *case: truth(*case).flip(0),
        "the sign is wrong: a loss is minus the logarithm of the probability.": lambda *case: -truth(*case),
        "the logarithms have the base 2: that counts in bits, and the lesson counts in nats.": (
            lambda *case: truth(*case) / math.log(2)
        ),
        "the logarithms have the base 10: the lesson takes natural ones.": (lambda *case: truth(*case) / math.log(10)),
        "the shares are those of the test's own words: they are not known beforehand. Count in the text.": (
            lambda text, answers, words: truth(answers, answers, words)
        ),
        "this is how open the text itself is (its entropy): take the loss on the answers.": (
            lambda text, answers, words: truth(text, text, words)
        ),
        "this is the logarithm of a mean: take the logarithms first, then their mean.": with_second(
            lambda text, answers: -shares(text)[answers].mean().log()
        ),
        "the losses are added up: the mean divides by how many answers there are.": (
            lambda text, answers, words: truth(text, answers, words) * len(answers)
        ),
        "the second is added up: the mean divides by how many answers there are.": with_second(
            lambda text, answers: -shares(text)[answers].log().sum()
        ),
        "these are probabilities: a loss is minus the logarithm of one.": (
            lambda text, answers, words: [1 / words, shares(text)[answers].mean()]
        ),
        "who knows nothing finds all words alike, not only those that occur in the test.": (
            lambda text, answers, words: [math.log(len(answers.unique())), truth(text, answers, words)[1]]
        ),
        "counts are no shares yet: divide them by their sum, which is the length of the text.": with_second(
            lambda text, answers: -torch.bincount(text)[answers].log().mean()
        ),
        "that is the mean over all words, each once: take the mean over the answers, shares[answers].": with_second(
            lambda text, answers: -shares(text).log().mean()
        ),
        "cross-entropy and softmax want scores, and here are shares or counts: these need no softmax, take their "
        "logarithm.": with_second(lambda text, answers: -shares(text).log_softmax(dim=0)[answers].mean()),
    }
    praise = "your two losses equal torch's cross-entropy, for two texts made by chance."
    return judge(answer, [_words(9, 60, 20), _words(14, 90, 31)], truth, wrong, praise)


def _words(words: int, length: int, asked: int) -> tuple[Tensor, Tensor, int]:
    """Return the ids of a text in which every word occurs, those of some answers, and the number of words."""
    chance = generator()
    often = torch.rand(words, generator=chance) + 0.1
    text = torch.multinomial(often, length, replacement=True, generator=chance)
    # Fewer different words are asked for than there are, so that counting these shows.
    answers = torch.randint(words - 2, (asked,), generator=chance)
    return torch.cat([torch.arange(words), text]), answers, words


def share_of_step(answer: Callable) -> Outcome:
    """Check exercise 7.2, a warm-up and a fall, against transformers' ``get_linear_schedule_with_warmup``."""
    from transformers import get_linear_schedule_with_warmup

    def truth(step: int, steps: int, warmup: int) -> float:
        optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        return get_linear_schedule_with_warmup(optimizer, warmup, steps).lr_lambdas[0](step)

    def rise_then(fall: Callable[[int, int, int], float]) -> Callable[[int, int, int], float]:
        """Return a schedule whose rise is right."""
        return lambda step, steps, warmup: step / warmup if step < warmup else fall(step, steps, warmup)

    wrong = {
        "the warm-up is missing: it begins at zero and rises.": (
            lambda step, steps, warmup: min(1.0, (steps - step) / (steps - warmup))
        ),
        "the warm-up is missing, and the fall begins at the first step.": (
            lambda step, steps, warmup: (steps - step) / steps
        ),
        "the fall is missing: after the warm-up it stays at 1.": rise_then(lambda step, steps, warmup: 1.0),
        "the fall is counted from the first step, so it jumps where the warm-up ends: count from there.": rise_then(
            lambda step, steps, warmup: (steps - step) / steps
        ),
        "// divides whole numbers and drops the rest: use /.": (
            lambda step, steps, warmup: step // warmup if step < warmup else (steps - step) // (steps - warmup)
        ),
        "one step too early: at step 0 no step was taken yet, and it is 0.": (
            lambda step, steps, warmup: min((step + 1) / warmup, (steps - step - 1) / (steps - warmup))
        ),
        "it rises where it should fall: after the warm-up, count the steps that are left.": rise_then(
            lambda step, steps, warmup: (step - warmup) / (steps - warmup)
        ),
        "it falls too soon: zero comes when all steps were taken, not one step before.": rise_then(
            lambda step, steps, warmup: (steps - 1 - step) / (steps - 1 - warmup)
        ),
        "it falls too late: zero comes when all steps were taken, not one step after.": rise_then(
            lambda step, steps, warmup: (steps + 1 - step) / (steps + 1 - warmup)
        ),
        "the fall does not reach zero: divide by the steps that it takes, steps - warmup.": rise_then(
            lambda step, steps, warmup: 1 - (step - warmup) / steps
        ),
    }
    praise = "your schedule equals that of transformers, in the rise, at the top, in the fall and at the end."
    cases = []
    for warmup, steps in zip(torch.randint(5, 40, (2,), generator=generator()).tolist(), (70, 110), strict=True):
        # In the rise, where it ends, early and late in the fall, at the end.
        cases += [(step, steps, warmup) for step in (0, 1, warmup - 1, warmup, warmup + 7, steps - 3, steps)]
    return judge(answer, cases, truth, wrong, praise, part=_part_of_schedule)


def _part_of_schedule(step: int, steps: int, warmup: int) -> str:
    named = {0: "at the start", warmup: "at the top", steps: "at the end"}
    return named.get(step, "in the rise" if step < warmup else "in the fall")


def compare_rates(answer: Callable) -> Outcome:
    """Check exercise 7.3, a comparison over seeds, on losses that are made up, against numpy."""

    def all_losses(train_once: TrainOnce, rates: Sequence[float], seeds: Sequence[int]) -> np.ndarray:
        return np.array([[train_once(rate=rate, seed=seed) for seed in seeds] for rate in rates])

    def summary(losses: np.ndarray) -> np.ndarray:
        return np.stack([losses.mean(axis=1), losses.min(axis=1), losses.max(axis=1)], axis=1)

    def of(what: Callable[[np.ndarray], np.ndarray]) -> Callable[..., np.ndarray]:
        return lambda *case: what(all_losses(*case))

    def a_seed_each(train_once: TrainOnce, rates: Sequence[float], seeds: Sequence[int]) -> np.ndarray:
        losses = [train_once(rate=rate, seed=seeds[i % len(seeds)]) for i, rate in enumerate(rates)]
        return summary(np.array(losses)[:, None])

    def piled_up(losses: np.ndarray) -> np.ndarray:
        return np.concatenate([summary(losses[:count].reshape(1, -1)) for count in range(1, len(losses) + 1)])

    truth = of(summary)
    wrong = {
        "each rate has a seed of its own: then nobody can tell rates from seeds. Loop over both.": a_seed_each,
        "only the first seed is used: one run a rate says little.": of(lambda losses: summary(losses[:, :1])),
        "the lowest and the highest are exchanged.": of(lambda losses: summary(losses)[:, [0, 2, 1]]),
        "the best seed stands in the place of the mean.": of(lambda losses: summary(losses)[:, [1, 1, 2]]),
        "the rows are seeds: a row for each rate is asked for.": of(lambda losses: summary(losses.T)),
        "the columns are rates: a row for each rate is asked for, with three columns.": of(
            lambda losses: summary(losses).T
        ),
        "the losses of all seeds are returned: the mean, the lowest and the highest are asked for.": all_losses,
        "only the means are returned: the lowest and the highest belong to them.": of(
            lambda losses: losses.mean(axis=1)
        ),
        "the mean comes first, then the lowest, then the highest.": of(lambda losses: summary(losses)[:, [1, 0, 2]]),
        "each row holds the losses of the rates before it, too: begin a new list for each rate.": of(piled_up),
        "one rate alone is in your table: does return stand inside the loop, or the rows outside of it?": of(
            lambda losses: summary(losses)[:1]
        ),
        "each row begins with its rate: three columns are asked for.": (
            lambda train_once, rates, seeds: np.column_stack([rates, truth(train_once, rates, seeds)])
        ),
    }
    praise = "your table equals numpy's, for losses that were made up: every rate had every seed."
    cases = [(_made_up_losses(), [0.1, 0.4], [3, 5, 8, 9]), (_made_up_losses(), [0.15, 0.3, 0.6], [0, 7])]
    return judge(answer, cases, truth, wrong, praise)


def _made_up_losses() -> TrainOnce:
    """Return a function that answers at once: a loss for each rate and seed, the same when asked again."""
    number = int(torch.randint(2**31, (1,), generator=generator()))

    def train_once(rate: float, seed: int) -> float:
        return float(np.random.default_rng((number, round(1e6 * float(rate)), int(seed))).uniform(1, 2))

    return train_once

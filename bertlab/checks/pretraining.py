"""The checks of lesson 7, Pre-training."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bertlab.checks import losses
from bertlab.checks.inputs import generator
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge

TrainOnce = Callable[..., float]  # takes ``rate`` and ``seed`` and returns a loss


def two_losses(answer: Callable) -> Outcome:
    """Check exercise 7.1, two losses that need no model, against torch's cross-entropy of logarithms of counts."""

    def truth(text: Tensor, answers: Tensor, words: int) -> Tensor:
        alike = torch.zeros(words).double()
        counts = alike.index_add(0, text, torch.ones(len(text)).double())  # of a word that does not occur, 0
        logits = torch.stack([alike, counts.log()])  # a share is the softmax of the logarithms of counts
        return torch.stack([cross_entropy(row.expand(len(answers), -1), answers) for row in logits])

    def wrong(text: Tensor, answers: Tensor, words: int) -> dict[str, Any]:
        right = truth(text, answers, words)
        nothing, frequency = right
        counts = torch.bincount(text, minlength=words).double()
        shares = counts / len(text)
        too_few = tuple([math.log(len(ids.unique())), frequency] for ids in (text, answers))
        softened = tuple([nothing, -part.log_softmax(dim=0)[answers].mean()] for part in (shares, shares[:-1]))
        over_words = tuple([nothing, -part.log().mean()] for part in (shares, shares[:-1]))
        return {
            "the two are in the wrong order: knowing nothing comes first.": right.flip(0),
            "the shares are those of the test's words: count in the text.": truth(answers, answers, words),
            "this is how open the text is (its entropy): take the loss on the answers.": truth(text, text, words),
            **losses.wrong(torch.full((len(answers),), 1 / words).double(), shares[answers]),
            "knowing nothing means that all `words` are equally probable, not only those that occur.": too_few,
            "counts are not shares yet: divide them by their sum.": [nothing, -counts[answers].log().mean()],
            "this is the mean over all words: take shares[answers].": over_words,
            "shares and counts need no softmax or cross-entropy: take their logarithm.": softened,
        }

    praise = "your two losses equal torch's cross-entropy, for two random texts."
    return judge(answer, [_words(9, 60, 20), _words(14, 90, 31)], truth, wrong, praise)


def _words(words: int, length: int, asked: int) -> tuple[Tensor, Tensor, int]:
    """Return the ids of a text in which every word but the last occurs, those of some answers, and how many words."""
    chance = generator()
    often = torch.rand(words - 1, generator=chance) + 0.1
    text = torch.multinomial(often, length, replacement=True, generator=chance)
    # Fewer different words are asked for than there are, so that counting these shows.
    answers = torch.randint(words - 2, (asked,), generator=chance)
    return torch.cat([torch.arange(words - 1), text]), answers, words


def share_of_step(answer: Callable) -> Outcome:
    """Check exercise 7.2, a warm-up and a fall, against transformers' ``get_linear_schedule_with_warmup``."""
    from transformers import get_linear_schedule_with_warmup

    def truth(step: int, steps: int, warmup: int) -> float:
        optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        return get_linear_schedule_with_warmup(optimizer, warmup, steps).lr_lambdas[0](step)

    def wrong(step: int, steps: int, warmup: int) -> dict[str, float]:
        left, fall, behind = steps - step, steps - warmup, step - warmup

        def rise_then(falling: float) -> float:
            return step / warmup if step < warmup else falling

        in_whole_numbers = step // warmup if step < warmup else left // fall
        return {
            "the warm-up is missing: it begins at zero and rises.": min(1.0, left / fall),
            "the warm-up is missing, and the fall begins at the first step.": left / steps,
            "the fall is missing: after the warm-up it stays at 1.": rise_then(1.0),
            "the fall is counted from the first step: count it from the end of the warm-up.": rise_then(left / steps),
            "whole numbers are divided, and the rest is dropped: divide by /, without // or int().": in_whole_numbers,
            "one step too early: at step 0 no step has been taken yet.": min((step + 1) / warmup, (left - 1) / fall),
            "the first step is number 0: in the rise, step / warmup.": min((step + 1) / warmup, left / fall),
            "this is lesson 8's schedule, where the first step is number 1: here it is number 0.": min(
                (step + 1) / warmup, left / (fall + 1)
            ),
            "it rises where it should fall: count the steps that are left.": rise_then(behind / fall),
            "it falls too soon: it is zero when all steps have been taken.": rise_then((left - 1) / (fall - 1)),
            "it falls too late: it is zero when all steps have been taken.": rise_then((left + 1) / (fall + 1)),
            "the fall does not reach zero: divide by steps - warmup.": rise_then(1 - behind / steps),
        }

    praise = "your schedule equals that of transformers, in the rise, at the top, in the fall and at the end."
    cases = []
    for warmup, steps in zip(torch.randint(5, 40, (2,), generator=generator()).tolist(), (70, 110), strict=True):
        cases += [(step, steps, warmup) for step in (0, 1, warmup - 1, warmup, warmup + 7, steps - 3, steps)]
    parts = ["at the start", "in the rise", "in the rise", "at the top", "in the fall", "in the fall", "at the end"]
    return judge(answer, cases, truth, wrong, praise, parts=2 * parts)


def compare_rates(answer: Callable) -> Outcome:
    """Check exercise 7.3, a comparison over seeds, on losses that are made up, against numpy."""

    def all_losses(train_once: TrainOnce, rates: Sequence[float], seeds: Sequence[int]) -> np.ndarray:
        return np.array([[train_once(rate=rate, seed=seed) for seed in seeds] for rate in rates])

    def summary(losses: np.ndarray) -> np.ndarray:
        return np.stack([losses.mean(axis=1), losses.min(axis=1), losses.max(axis=1)], axis=1)

    def truth(train_once: TrainOnce, rates: Sequence[float], seeds: Sequence[int]) -> np.ndarray:
        return summary(all_losses(train_once, rates, seeds))

    def wrong(train_once: TrainOnce, rates: Sequence[float], seeds: Sequence[int]) -> dict[str, np.ndarray]:
        losses = all_losses(train_once, rates, seeds)
        right = summary(losses)
        own_seeds = np.array([[losses[row, row % len(seeds)]] for row in range(len(rates))])
        piled_up = [summary(losses[: row + 1].reshape(1, -1))[0] for row in range(len(rates))]
        return {
            "each rate has a seed of its own, so nobody can separate the two. Loop over both.": summary(own_seeds),
            "each rate has one run: zip gives it one seed. Loop over rates, inside over seeds.": own_seeds[:, 0],
            "only the first seed is used: one run per rate says little.": summary(losses[:, :1]),
            "the lowest and the highest are swapped.": right[:, [0, 2, 1]],
            "the best seed is in the place of the mean.": right[:, [1, 1, 2]],
            "the rows are seeds: return one row per rate.": summary(losses.T),
            "you return the losses of all seeds: return the mean, the lowest and the highest.": losses,
            "you return only the means: add the lowest and the highest.": losses.mean(axis=1),
            "the mean comes first, then the lowest, then the highest.": right[:, [1, 0, 2]],
            "each row holds the losses of earlier rates, too: begin a new list for each rate.": np.array(piled_up),
            "each row begins with its rate: return three columns.": np.column_stack([rates, right]),
        }

    praise = "your table equals numpy's, for made-up losses: every rate had every seed."
    # Rates in no order, so that sorting them shows; no fewer seeds than rates, so that zip has one for each.
    cases = []
    for rates, seeds in (([0.4, 0.1], [3, 5, 8, 9]), ([0.3, 0.6, 0.15], [7, 4, 6])):
        cases.append((_made_up_losses(rates, seeds), rates, seeds))
    return judge(answer, cases, truth, wrong, praise)


def _made_up_losses(rates: Sequence[float], seeds: Sequence[int]) -> TrainOnce:
    """Return a function that answers without training: a loss for each rate and seed, the same when asked again."""
    number = int(torch.randint(2**31, (1,), generator=generator()))

    def train_once(rate: float, seed: int) -> float:
        if rate not in rates:
            raise ValueError(f"train_once was asked for the rate {rate}, and the rates are {rates}: take these")
        if seed not in seeds:
            raise ValueError(f"train_once was asked for seed {seed}, and the seeds are {seeds}: each rate gets these")
        return float(np.random.default_rng((number, round(1e6 * float(rate)), int(seed))).uniform(1, 2))

    return train_once

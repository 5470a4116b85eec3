"""The checks of lesson 7, Pre-training."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bertlab.checks.inputs import generator
from bertlab.checks.known import known
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge


def two_losses(answer: Callable) -> Outcome:
    """Check exercise 7.1, two losses that need no model, against torch's cross-entropy of logarithms of counts."""

    def truth(text: Tensor, answers: Tensor, words: int) -> Tensor:
        alike = torch.zeros(words).double()
        counts = alike.index_add(0, text, torch.ones(len(text)).double())  # of a word that does not occur, 0
        logits = torch.stack([alike, counts.log()])  # a share is the softmax of the logarithms of counts
        return torch.stack([cross_entropy(row.expand(len(answers), -1), answers) for row in logits])

    praise = "your two losses equal torch's cross-entropy, for three random texts."
    text, answers, words = _words(11, 70, 25)
    unheard = (
        text,
        torch.cat([answers, torch.tensor([words - 1])]),
        words,
    )  # the last word is asked, and not in the text
    return judge(known("7.1"), answer, [_words(9, 60, 20), _words(14, 90, 31), unheard], truth, praise)


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

    praise = "your schedule equals that of transformers, in the rise, at the top, in the fall and at the end."
    cases = []
    for warmup, steps in zip(torch.randint(5, 40, (2,), generator=generator()).tolist(), (70, 110), strict=True):
        cases += [(step, steps, warmup) for step in (0, 1, warmup - 1, warmup, warmup + 7, steps - 3, steps)]
    parts = ["at the start", "in the rise", "in the rise", "at the top", "in the fall", "in the fall", "at the end"]
    return judge(known("7.2"), answer, cases, truth, praise, parts=2 * parts)


def compare_rates(answer: Callable) -> Outcome:
    """Check exercise 7.3, a comparison over seeds, on losses that are made up, against numpy."""

    def truth(train_once: _MadeUp, rates: Sequence[float], seeds: Sequence[int]) -> np.ndarray:
        losses = np.array([[train_once.left[rate, seed] for seed in seeds] for rate in rates])
        return np.stack([losses.mean(axis=1), losses.min(axis=1), losses.max(axis=1)], axis=1)

    praise = "your table equals numpy's, for made-up losses: every rate had every seed."
    # Rates in no order, so that sorting them shows; no fewer seeds than rates, so that zip has one for each.
    cases = [(_MadeUp(*given), *given) for given in (([0.4, 0.1], [3, 5, 8, 9]), ([0.3, 0.6, 0.15], [7, 4, 6]))]
    return judge(known("7.3"), answer, cases, truth, praise)


class _MadeUp:
    """A ``train_once`` that answers without training, once for each rate and seed."""

    def __init__(self, rates: Sequence[float], seeds: Sequence[int]) -> None:
        chance = generator()
        self.left = {(rate, seed): 1 + torch.rand(1, generator=chance).item() for rate in rates for seed in seeds}

    def __call__(self, rate: float, seed: int) -> float:
        asked = round(float(rate), 6), int(seed)
        if asked not in self.left:
            once = "ask for each of the rates with each of the seeds, once, and keep the loss"
            raise ValueError(f"train_once was asked for the rate {asked[0]} and seed {asked[1]}: {once}")
        return self.left.pop(asked)

    def __repr__(self) -> str:
        return "a function train_once"

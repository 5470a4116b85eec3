"""The checks of lesson 8, Fine-tuning."""

import re
from collections.abc import Callable, Sequence

import numpy as np
import torch
from sklearn.metrics.pairwise import cosine_similarity
from torch import Tensor

from bertlab.checks.inputs import generator
from bertlab.checks.known import known
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge

# Some begin alike, some end alike, and some are as long as others, so that comparing these shows.
PEOPLE = ("doctor", "dancer", "duke", "cook", "cousin", "captain", "nurse", "nun", "neighbour")


def share_by_thumb(answer: Callable) -> Outcome:
    """Check exercise 8.1, the rule of thumb again, against nouns that are found by a regular expression."""

    def truth(firsts: list[str], seconds: list[str], answers: list[int]) -> float:
        nouns = [np.array([re.findall(r"\w+", sentence)[1] for sentence in side]) for side in (firsts, seconds)]
        return float(np.mean((nouns[0] != nouns[1]) == np.array(answers, dtype=bool)))

    praise = "your share equals a count by another program, for ten lists of random pairs."
    # Two wrong rules may agree on one list, but hardly on ten.
    return judge(known("8.1"), answer, [_answered(pairs) for pairs in range(9, 19)], truth, praise)


def _answered(pairs: int) -> tuple[list[str], list[str], list[int]]:
    """Return first sentences, second sentences and answers, all drawn by lot; the first pair is one sentence twice."""
    chance = generator()

    def lot(many: int) -> int:
        return int(torch.randint(many, (1,), generator=chance))

    def sentence(one: str, other: str) -> str:
        done = ("thanked", "pushed", "warned")[lot(3)]
        return (f"The {one} {done} the {other}.", f"The {other} was {done} by the {one}.")[lot(2)]

    firsts, seconds = ["The duke thanked the nurse."], ["The duke thanked the nurse."]
    while len(firsts) < pairs:
        a, b, c = (PEOPLE[i] for i in torch.randperm(len(PEOPLE), generator=chance)[:3])
        firsts.append(sentence(a, b))
        seconds.append(sentence(*((a, b), (b, a), (a, c), (c, b))[lot(4)]))
    return firsts, seconds, [lot(2) for _ in firsts]


def loss_both_ways(answer: Callable) -> Outcome:
    """Check exercise 8.2, the contrastive loss in both directions, against a sum written out sentence by sentence."""

    def truth(first: Tensor, second: Tensor, temperature: float) -> float:
        scores = np.exp(cosine_similarity(first.double(), second.double()) / temperature)
        total = 0.0
        for i, own in enumerate(scores.diagonal()):
            total -= np.log(own / scores[i].sum()) + np.log(own / scores[:, i].sum())
        return total / len(scores) / 2

    praise = "your loss equals a sum written out sentence by sentence, for four tables and temperatures."
    chance = generator()
    cases = []
    for sentences, hidden, temperature in ((5, 8, 0.5), (3, 4, 0.2), (6, 5, 1.5)):
        first = torch.randn(sentences, hidden, generator=chance)
        near = first + torch.randn(sentences, hidden, generator=chance)
        cases.append((3 * first, 0.5 * near, temperature))
    cases.append((cases[0][1], cases[0][0], cases[0][2]))  # so that no direction always has the larger loss
    return judge(known("8.2"), answer, cases, truth, praise)


def best_of(shares: Sequence[float], answer: Callable) -> Outcome:
    """Check exercise 8.3, the best of a few draws on average, against the shares' order and a power."""

    def truth(shares: Sequence[float], k: int) -> float:
        # The best is at most the i-th smallest if all k draws are: (i / n) ** k of all ways (Dodge et al. 2019).
        below = (np.arange(len(shares) + 1) / len(shares)) ** k
        return float((np.sort(shares) * np.diff(below)).sum())

    lowest_first = (0.5 + 0.5 * torch.rand(7, generator=generator())).sort().values.tolist()
    lowest_first[1] = lowest_first[0]  # two runs with the same share; of others a set could be right by luck
    # The best is none of the first three, and the best of these is not the median either.
    made_up = [lowest_first[place] for place in (3, 0, 4, 6, 1, 5, 2)]
    stored = list(map(float, shares))[:5]
    cases = [(stored, 2), (stored, min(3, len(stored))), (made_up, 3), (made_up[1:5], 4)]

    def praise() -> str:
        one, three = truth(stored, 1), truth(stored, 3)
        start = f"of the shares you were given, one draw has {one:.2f} on average"
        return f"{start}, and the best of three draws {three:.2f}, though no run is better."

    return judge(known("8.3"), answer, cases, truth, praise)

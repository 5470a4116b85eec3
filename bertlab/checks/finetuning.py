"""The checks of lesson 8, Fine-tuning."""

import itertools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch
from sklearn.metrics.pairwise import cosine_similarity
from torch import Tensor
from torch.nn import functional as F

from bertlab.checks.inputs import generator
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge


def share_by_thumb(answer: Callable) -> Outcome:
    """Check exercise 8.1, the rule of thumb again, against nouns that are known in advance."""

    def truth(firsts: list[str], seconds: list[str], answers: list[int]) -> float:
        nouns = [np.array([re.findall(r"\w+", sentence)[1] for sentence in side]) for side in (firsts, seconds)]
        return float(np.mean((nouns[0] != nouns[1]) == np.array(answers, dtype=bool)))

    def wrong(firsts: list[str], seconds: list[str], answers: list[int]) -> dict[str, Any]:
        given, share = np.array(answers, dtype=bool), truth(firsts, seconds, answers)
        words = [[sentence.split() for sentence in side] for side in (firsts, seconds)]

        def agreed(says_the_same: Sequence[bool]) -> np.ndarray:
            return np.array(says_the_same) == given

        def differ(place: int, letters: slice = slice(None)) -> list[bool]:
            return [first[place][letters] != second[place][letters] for first, second in zip(*words, strict=True)]

        by_sentence = [first != second for first, second in zip(*words, strict=True)]
        both_the_same = np.mean(np.array(differ(1)) & given)
        return {
            "the rule is turned round: different first nouns mean the same.": 1 - share,
            "you count the pairs that both call the same, not those that both call different: use ==.": both_the_same,
            "you compare the first letters: compare whole words.": agreed(differ(1, slice(1))).mean(),
            "you compare the first words, which are always The: the noun is the second word.": agreed(differ(0)).mean(),
            "you compare the last words: the rule asks for the first noun.": agreed(differ(-1)).mean(),
            "you compare the third words: the noun is the second word, [1].": agreed(differ(2)).mean(),
            "you compare whole sentences: the rule asks for the first nouns alone.": agreed(by_sentence).mean(),
            "this is the share of answers that say the same: compare each with the rule's answer.": given.mean(),
            "this is the share of pairs that the rule calls the same: use the answers, too.": np.mean(differ(1)),
            "this is how many agree: divide by the number of pairs.": share * len(given),
            "these are the rule's answers: compare each with the model's, and return the share.": differ(1),
            "this says for each pair whether both agree: take the mean.": agreed(differ(1)),
        }

    praise = "your share equals a count by hand, for three lists of pairs."
    told = [
        ("The dog watched the cat.", "The cat was watched by the dog."),
        ("The dog watched the cat.", "The dog was watched by the cat."),
        ("The cat was watched by the dog.", "The cat was watched by the dog."),
        ("The dog watched the cat.", "The cat watched the dog."),
        ("The king thanked the queen.", "The king pushed the nurse."),
        ("The king was thanked by the nurse.", "The knight thanked the king."),
        ("The king thanked the queen.", "The nurse warned the queen."),
    ]
    cases = []
    for chosen, answers in (
        ((0, 1, 2, 3, 4, 5, 6), [1, 1, 0, 1, 1, 1, 0]),
        ((0, 2, 4, 5, 6), [1, 1, 1, 1, 0]),
        ((1, 3, 4, 6), [1, 1, 0, 1]),
    ):
        firsts, seconds = zip(*(told[i] for i in chosen), strict=True)
        cases.append((list(firsts), list(seconds), answers))
    return judge(answer, cases, truth, wrong, praise)


def loss_both_ways(answer: Callable) -> Outcome:
    """Check exercise 8.2, the contrastive loss in both directions, against a sum written out sentence by sentence."""

    def truth(first: Tensor, second: Tensor, temperature: float) -> float:
        scores = np.exp(cosine_similarity(first.double(), second.double()) / temperature)
        total = 0.0
        for i, own in enumerate(scores.diagonal()):
            total -= math.log(own / scores[i].sum()) + math.log(own / scores[:, i].sum())
        return total / len(scores) / 2

    def one_way(scores: Tensor) -> Tensor:
        return F.cross_entropy(scores, torch.arange(len(scores)))

    def both_ways(scores: Tensor) -> Tensor:
        return (one_way(scores) + one_way(scores.T)) / 2

    def wrong(first: Tensor, second: Tensor, temperature: float) -> dict[str, Tensor]:
        def loss(table: Tensor) -> Tensor:
            return both_ways(table / temperature)

        cosines = F.normalize(first, dim=-1) @ F.normalize(second, dim=-1).T
        by_columns = F.normalize(first, dim=0) @ F.normalize(second, dim=0).T
        by_tables = (first / first.norm()) @ (second / second.norm()).T
        scores = cosines / temperature
        ways = torch.stack([one_way(scores), one_way(scores.T)])
        softmax_twice = (one_way(scores.softmax(dim=-1)) + one_way(scores.T.softmax(dim=-1))) / 2
        unscaled, joined = both_ways(cosines), one_way((scores + scores.T) / 2)
        return {
            "this is the loss of the first sentences alone: let the second ones look as well.": ways[0],
            "this is the loss of the second sentences alone: let the first ones look as well.": ways[1],
            "this is the sum of both losses: return their mean.": ways.sum(),
            "the temperature is missing: divide the cosines by it.": unscaled,
            "you multiply by the temperature: divide by it.": both_ways(cosines * temperature),
            "these are dot products, which grow with the vectors: bring the rows to length one.": loss(
                first @ second.T
            ),
            "you bring the columns to length one: a sentence is a row, dim=-1.": loss(by_columns),
            "you divide the loss by the temperature: divide the cosines by it, before softmax.": unscaled / temperature,
            "the sign is wrong: a loss is minus a logarithm.": -ways.mean(),
            "you divide each table by one length: every row has its own, norm(dim=-1).": loss(by_tables),
            "you use the lesson's temperature, 0.05: use the one that is given.": both_ways(cosines / 0.05),
            "you take softmax twice: cross_entropy takes it itself, so give it the scores.": softmax_twice,
            "you average both directions before the loss: take the loss of each, then the mean.": joined,
            "these are both losses, side by side: return their mean.": ways,
        }

    praise = "your loss equals a sum written out sentence by sentence, for four tables and temperatures."
    chance = generator()
    cases = []
    for sentences, hidden, temperature in ((5, 8, 0.5), (3, 4, 0.2), (6, 5, 1.5)):
        first = torch.randn(sentences, hidden, generator=chance)
        near = first + torch.randn(sentences, hidden, generator=chance)
        cases.append((3 * first, 0.5 * near, temperature))
    cases.append((cases[0][1], cases[0][0], cases[0][2]))  # so that no direction always has the larger loss
    return judge(answer, cases, truth, wrong, praise)


def best_of(shares: Sequence[float], answer: Callable) -> Outcome:
    """Check exercise 8.3, the best of a few draws on average, against the shares' order and a power."""

    def truth(shares: Sequence[float], k: int) -> float:
        # The best is at most the i-th smallest if all k draws are: (i / n) ** k of all ways (Dodge et al. 2019).
        below = (np.arange(len(shares) + 1) / len(shares)) ** k
        return float((np.sort(shares) * np.diff(below)).sum())

    def wrong(shares: Sequence[float], k: int) -> dict[str, Any]:
        ways, fewer = (list(itertools.product(shares, repeat=draws)) for draws in (k, k - 1))
        unordered = itertools.combinations_with_replacement(shares, k)

        def best(ways: Iterable[tuple[float, ...]]) -> list[float]:
            return list(map(max, ways))

        return {
            "this is the best of all shares: the answer depends on how many are drawn.": max(shares),
            "this is the mean share, as if one were drawn: draw k, and take the best.": np.mean(shares),
            "you take the lowest of each draw: take the best, max(drawn).": np.mean(list(map(min, ways))),
            "you draw k - 1 times: use repeat=k.": np.mean(best(fewer)),
            "this is the best of the first k shares: every way to draw k counts.": max(shares[:k]),
            "you count each set once, in whatever order it was drawn: (a, b) and (b, a) are two.": np.mean(
                best(unordered)
            ),
            "you draw no share twice: each draw is from all of them, as another run would be.": np.mean(
                best(itertools.combinations(shares, k))
            ),
            "a set keeps equal ways once, but two runs with the same share are two: use a list.": np.mean(
                best(set(ways))
            ),
            "you divide the sum by len(shares): divide by len(shares) ** k, the number of ways.": sum(best(ways))
            / len(shares),
            "this is a list with the best of each way: return their mean.": best(ways),
            "this is the mean of the k best shares: draw k, and take the best.": np.mean(sorted(shares)[-k:]),
        }

    lowest_first = (0.5 + 0.5 * torch.rand(7, generator=generator())).sort().values.tolist()
    lowest_first[1] = lowest_first[0]  # two runs with the same share; of others a set could be right by luck
    made_up = [lowest_first[place] for place in (3, 0, 5, 6, 1, 4, 2)]  # the best is none of the first three
    known = list(map(float, shares))[:5]
    cases = [(known, 2), (known, min(3, len(known))), (made_up, 3), (made_up[1:5], 4)]

    def praise() -> str:
        one, three = truth(known, 1), truth(known, 3)
        start = f"of the shares you were given, one draw has {one:.2f} on average"
        return f"{start}, and the best of three draws {three:.2f}, though no run is better."

    return judge(answer, cases, truth, wrong, praise)

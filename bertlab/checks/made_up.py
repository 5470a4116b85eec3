"""Cases of exercises that need no BERT: numbers and words, drawn anew at each try.

A function that has the name of an exercise's function draws its cases, the quickest first.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from bertlab.checks.inputs import pick

Labelled = tuple[Tensor, list[str]]  # vectors of one word, (sentences, layers + 1, hidden), and each sentence's sense

# Lesson 3


def share_at_chosen_layer(first: Labelled, second: Labelled) -> list[tuple]:
    """Draw vectors of two words, and take those of the lesson; the share tells which layer was taken."""
    drawn = [labelled(30, [0]), labelled(30, [1, 3]), labelled(30, [3]), labelled(30)]
    asked = [_unlike(41), _unlike(41, [3]), _unlike(41), _unlike(43)]
    return [*zip(drawn, asked, strict=True), (first, second), (second, first)]


def shares(vectors: Tensor, senses: Sequence[str]) -> Tensor:
    """Return the share of sentences whose nearest centroid has their sense, at each layer."""
    points, labels, numbers = vectors.double().numpy(), np.array(senses), np.arange(len(senses))
    names = np.unique(labels)
    right = []
    for i in numbers:
        centroids = np.stack([points[(numbers != i) & (labels == name)].mean(axis=0) for name in names])
        nearest = np.linalg.norm(centroids - points[i], axis=-1).argmin(axis=0)  # at each layer
        right.append(names[nearest] == labels[i])
    return torch.tensor(np.mean(right, axis=0))


def labelled(count: int, clear: Sequence[int] = ()) -> Labelled:
    """Draw vectors of two senses, a little apart at each layer and far apart at the clear ones."""
    vectors, first = torch.randn(count, 4, 16), count // 2
    vectors[:first] += 0.5
    vectors[:first, list(clear)] += 4
    return vectors, ["one"] * first + ["two"] * (count - first)


def _unlike(count: int, clear: Sequence[int] = ()) -> Labelled:
    """Draw such vectors with another share at each layer."""
    while len(shares(*(drawn := labelled(count, clear))).unique()) < 4:
        pass
    return drawn


# Lesson 5


def graded_cosines() -> tuple[Tensor, Tensor, Tensor]:
    """Draw practice cosines, with their grades, and test cosines."""
    grades = torch.arange(6000) // 2 % 10
    grades[grades > 5] = 0  # half of all pairs, so that all of them and those above 0 have other quantiles
    # Grade by grade a little more alike, all rather high: as cosines of real pairs often are.
    cosines = 0.6 + grades * 0.06 + torch.randn(6000) * 0.015
    # What is asked about covers the range so closely that hardly any two thresholds part it alike.
    return cosines[::2], grades[::2].float(), torch.cat([cosines[1::2], torch.linspace(0.3, 1, 20_000)])


def undisputed(practice: Tensor, grades: Tensor, test: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Drop the test values between the two neighbours of the quantile, where definitions of it differ."""
    unrelated = practice[grades == 0].numpy()
    lower, higher = (float(np.quantile(unrelated, 0.95, method=method)) for method in ("lower", "higher"))
    return practice, grades, test[(test < lower) | (test > higher)]


# Lesson 6


def made_up_batch(mask: int, tokens: int = 40, pieces: int = 26) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Draw logits, ids, corrupted ids, and chosen positions of all three kinds, for three texts."""
    first = mask + 1
    logits = 2 * torch.randn(3, tokens, first + pieces)
    ids = torch.randint(first, first + pieces, (3, tokens))
    chosen, given = torch.zeros_like(ids, dtype=torch.bool), ids.clone()
    for text, count in enumerate((12, 15, 19)):  # how many are chosen
        places = torch.randperm(tokens)[:count]
        chosen[text, places] = True
        logits[text, places[5:8], ids[text, places[5:8]]] += 9  # some of the answers are right
        given[text, places[:7]] = mask
        given[text, places[7:9]] = first + (ids[text, places[7:9]] - first + 1) % pieces  # always another piece
    return logits, ids, given, chosen


# Lesson 7


def two_losses() -> list[tuple]:
    """Draw texts and answers, the last of which asks for a word that is not in the text."""
    text, answers, words = counted_words(11, 70, 25)
    unheard = text, torch.cat([answers, torch.tensor([words - 1])]), words
    return [counted_words(9, 60, 20), counted_words(14, 90, 31), unheard]


def counted_words(words: int, length: int, asked: int) -> tuple[Tensor, Tensor, int]:
    """Draw the ids of a text in which every word but the last occurs, those of some answers, and how many words."""
    text = torch.multinomial(torch.rand(words - 1) + 0.1, length, replacement=True)
    # Fewer different words are asked for than there are, so that counting these shows.
    answers = torch.randint(words - 2, (asked,))
    return torch.cat([torch.arange(words - 1), text]), answers, words


class MadeUp:
    """A ``train_once`` that answers without training, once for each rate and seed."""

    def __init__(self, rates: Sequence[float], seeds: Sequence[int]) -> None:
        self.left = {(rate, seed): 1 + torch.rand(1).item() for rate in rates for seed in seeds}

    def __call__(self, rate: float, seed: int) -> float:
        """Return a loss, and forget it."""
        asked = round(float(rate), 6), int(seed)
        if asked not in self.left:
            once = "ask for each of the rates with each of the seeds, once, and keep the loss"
            raise ValueError(f"train_once was asked for the rate {asked[0]} and seed {asked[1]}: {once}")
        return self.left.pop(asked)

    def __repr__(self) -> str:
        """Return what a student reads."""
        return "a function train_once"


# Lesson 8

# Some begin alike, some end alike, and some are as long as others, so that comparing these shows.
PEOPLE = ("doctor", "dancer", "duke", "cook", "cousin", "captain", "nurse", "nun", "neighbour")


def answered(pairs: int) -> tuple[list[str], list[str], list[int]]:
    """Draw first sentences, second sentences and answers; the first pair is one sentence twice."""

    def sentence(one: str, other: str) -> str:
        (done,) = pick(("thanked", "pushed", "warned"))
        return pick((f"The {one} {done} the {other}.", f"The {other} was {done} by the {one}."))[0]

    firsts, seconds = ["The duke thanked the nurse."], ["The duke thanked the nurse."]
    while len(firsts) < pairs:
        a, b, c = pick(PEOPLE, 3)
        firsts.append(sentence(a, b))
        seconds.append(sentence(*pick(((a, b), (b, a), (a, c), (c, b)))[0]))
    return firsts, seconds, torch.randint(2, (pairs,)).tolist()


def loss_both_ways() -> list[tuple]:
    """Draw two tables of vectors, and a temperature."""
    cases = []
    for axes, temperature in (((5, 8), 0.5), ((3, 4), 0.2), ((6, 5), 1.5)):
        first = torch.randn(axes)
        cases.append((3 * first, 0.5 * (first + torch.randn(axes)), temperature))
    first, second, temperature = cases[0]
    return [*cases, (second, first, temperature)]  # so that no direction always has the larger loss


def best_of(stored: list[float]) -> list[tuple]:
    """Draw shares, two of which are the same (of others a set could be right by luck), and take the lesson's."""
    low, *shares = (0.5 + 0.5 * torch.rand(6)).sort().values.tolist()
    # The best is none of the first three, and the best of these is not the median either.
    made_up = [[low, low, *shares][place] for place in (3, 0, 4, 6, 1, 5, 2)]
    return [(stored, 2), (stored, min(3, len(stored))), (made_up, 3), (made_up[1:5], 4)]

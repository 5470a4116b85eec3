"""The checks of lesson 5, Paraphrase."""

from collections.abc import Callable

import numpy as np
import torch
from sklearn.metrics.pairwise import cosine_similarity
from torch import Tensor

from bertlab.bert.loading import Bert
from bertlab.checks.batch import Batch
from bertlab.checks.inputs import generator, other_bert, sentences
from bertlab.checks.known import known
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge
from bertlab.checks.student import reads


def cosine_of_scaled(answer: Callable) -> Outcome:
    """Check exercise 5.1, the cosine after one vector was multiplied, against scikit-learn's."""

    def truth(cosine: float, factor: float) -> float:
        first, second = [1.0, 0.0], [cosine, (1 - cosine**2) ** 0.5]
        return cosine_similarity([first], [[factor * value for value in second]])[0, 0]

    praise = "your rule equals scikit-learn's cosine of scaled vectors, for factors above and below zero."
    cases = []
    for sign, smallest in ((1, 0.2), (1, -3.0), (-1, 6.0), (-1, -0.2)):
        cosine, factor = (chance.item() for chance in torch.rand(2, generator=generator()))
        cases.append((sign * (0.2 + 0.7 * cosine), smallest * (1 + factor)))
    return judge(known("5.1"), answer, cases, truth, praise, atol=0.0006)


def mean_of_batch(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 5.2, a batch padded by hand and its means, against texts read one at a time."""

    def one_at_a_time(bert: Bert, texts: list[str]) -> Tensor:
        return torch.stack([Batch(bert, [text]).last[0].mean(dim=0) for text in texts])

    sizes: list[int] = []  # of what the model is called with; copies of it have the hook, too
    hook = bert.model.bert.embeddings.register_forward_hook(lambda *given: sizes.append(len(given[-1])))
    shortcuts = {
        "bertlab reads the texts for you. Give the batch to bert.model.bert, in one call.": reads,
        "the model is called text by text. Give it the whole batch, with padding.": lambda _: max(sizes) == 1,
        "the tokenizer pads for you. Make the lists of ids equally long, and write the mask.": {"padding"}.__le__,
    }
    praise = "your batch equals texts that are read one at a time, in two batches with padding and two models."
    texts = sentences(3)  # of different lengths, so that some have much padding
    cases = [(bert, texts[1:]), (other_bert(bert), texts)]
    outcome = judge(known("5.2"), answer, cases, one_at_a_time, praise, shortcuts=shortcuts)
    hook.remove()
    return outcome


def beyond_unrelated(practice: Tensor, grades: Tensor, test: Tensor, answer: Callable) -> Outcome:
    """Check exercise 5.3, which pairs are above nearly all unrelated ones, against numpy's quantile."""

    def truth(practice: Tensor, grades: Tensor, test: Tensor) -> Tensor:
        return test > float(np.quantile(practice[grades == 0].numpy(), 0.95))

    right = truth(practice, grades, test)
    praise = f"{int(right.sum())} of {len(right)} test pairs are above 95 of 100 unrelated ones."
    cases = [_undisputed(practice, grades, test), _undisputed(*_graded_cosines())]
    return judge(known("5.3"), answer, cases, truth, praise)


def _undisputed(practice: Tensor, grades: Tensor, test: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Drop the test values between the two neighbours of the quantile, where definitions of it differ."""
    unrelated = practice[grades == 0].numpy()
    lower, higher = (float(np.quantile(unrelated, 0.95, method=method)) for method in ("lower", "higher"))
    return practice, grades, test[(test < lower) | (test > higher)]


def _graded_cosines() -> tuple[Tensor, Tensor, Tensor]:
    """Return made-up practice cosines, their grades, and test cosines."""
    grades = torch.arange(6000) // 2 % 10
    grades[grades > 5] = 0  # half of all pairs, so that all of them and those above 0 have other quantiles
    # Grade by grade a little more alike, all rather high: as cosines of real pairs often are.
    cosines = 0.6 + grades * 0.06 + torch.randn(6000, generator=generator()) * 0.015
    # What is asked about covers the range so closely that hardly any two thresholds part it alike.
    test = torch.cat([cosines[1::2], torch.linspace(0.3, 1, 20_000)])
    return cosines[::2], grades[::2].float(), test

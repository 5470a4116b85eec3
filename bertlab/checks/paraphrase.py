"""The checks of lesson 5, Paraphrase."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from sklearn.metrics.pairwise import cosine_similarity
from torch import Tensor
from torch.nn.functional import normalize

from bertlab.bert.loading import Bert
from bertlab.checks.batch import Batch
from bertlab.checks.inputs import generator, other_bert, sentences
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge
from bertlab.checks.student import reads, without_padding


def cosine_of_scaled(answer: Callable) -> Outcome:
    """Check exercise 5.1, the cosine after one vector was multiplied, against scikit-learn's."""

    def truth(cosine: float, factor: float) -> float:
        first, second = [1.0, 0.0], [cosine, (1 - cosine**2) ** 0.5]
        return cosine_similarity([first], [[factor * value for value in second]])[0, 0]

    def wrong(cosine: float, factor: float) -> dict[str, Any]:
        return {
            "the cosine divides the length out again: the size of the factor does not count.": cosine * factor,
            "you cut the product off at 1: the size of the factor does not count at all.": (
                max(-1.0, min(1.0, cosine * factor))
            ),
            "the size of the factor does not count, but does anything else about it? Try minus one.": cosine,
            "you divide by the factor: the cosine has undone the scaling already.": cosine / factor,
            "a negative factor turns the vector around: change the sign of the cosine.": cosine * abs(factor),
            "the sign is the wrong way round.": -cosine if factor > 0 else cosine,
            "you always change the sign: it changes with a negative factor only.": -cosine,
            "a cosine may be negative: keep its sign.": abs(cosine),
            "this is True or False: return the cosine, a number.": (cosine * factor > 0, factor > 0),
        }

    praise = "your rule equals scikit-learn's cosine of scaled vectors, for factors above and below zero."
    cases = []
    for cosine_sign, factor_sign, smallest in ((1, 1, 6.0), (1, -1, 3.0), (1, 1, 0.2), (-1, -1, 0.2)):
        cosine, factor = (chance.item() for chance in torch.rand(2, generator=generator()))
        cases.append((cosine_sign * (0.2 + 0.7 * cosine), factor_sign * (smallest + factor)))
    return judge(answer, cases, truth, wrong, praise, atol=6e-4)


def mean_of_batch(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 5.2, mean pooling of a padded batch, against texts read one at a time."""

    def one_at_a_time(bert: Bert, texts: list[str], counting: slice = slice(None)) -> Tensor:
        return torch.stack([Batch(bert, [text]).last[0, counting].mean(dim=0) for text in texts])

    def wrong(bert: Bert, texts: list[str]) -> dict[str, Any]:
        batch = Batch(bert, texts)
        last, mask = batch.last, batch.mask
        total = (last * mask).sum(dim=1)

        def masked_mean(vectors: Tensor, counting: slice = slice(None)) -> Tensor:
            return (vectors * mask)[:, counting].sum(dim=1) / mask[:, counting].sum(dim=1)

        unmasked = masked_mean(batch.without_mask.last_hidden_state)
        earlier = tuple(map(masked_mean, batch.hidden[:-1]))
        mistakes = {
            "you average the padding in: its vectors are not zero, and the mask says which they are.": last.mean(dim=1),
            "you divide each sum by the longest text's length: divide by mask.sum(dim=1).": total / mask.shape[1],
            "these are sums: divide each by its text's number of tokens.": total,
            "you divide each sum by the tokens of all texts: mask.sum() needs its axis, dim=1.": total / mask.sum(),
            "the wrong axis: dim=0 averages over the texts.": last.mean(dim=0),
            "the wrong axis: dim=-1 averages over the features.": last.mean(dim=-1),
            "you leave out [CLS] or [SEP]: in this exercise both count.": (
                one_at_a_time(bert, texts, slice(1, -1)),
                *(masked_mean(last, slice(*ends)) for ends in ((1, -1), (1, None), (None, -1))),
                last[:, 1:-1].mean(dim=1),
            ),
            "you leave the padding out of the mean only: give the attention mask to the model too.": unmasked,
            "these are the vectors of [CLS].": last[:, 0],
            "these vectors come from an earlier layer: take last_hidden_state.": earlier,
            "your rows have length one: return the means as they are.": normalize(masked_mean(last), dim=-1),
            "this is the maximum over the tokens: take the mean.": last.amax(dim=1),
        }
        if bert.model.bert.pooler is not None:
            mistakes["this is the pooler's output: take last_hidden_state."] = batch.pooled
        return mistakes

    shortcuts = {
        "bertlab reads the texts for you. Give the batch to bert.tokenizer and bert.model.bert, in one call.": reads,
        "the model is called text by text. Give it the whole batch, with padding.": without_padding,
    }
    praise = "your batch equals texts that are read one at a time, in three batches with padding and two models."
    texts = sentences(3)  # of different lengths, so that some have much padding
    cases = [(bert, texts), (bert, texts[::-1]), (other_bert(bert), texts[1:])]
    return judge(answer, cases, one_at_a_time, wrong, praise, shortcuts=shortcuts)


def beyond_unrelated(practice: Tensor, grades: Tensor, test: Tensor, answer: Callable) -> Outcome:
    """Check exercise 5.3, which pairs are above nearly all unrelated ones, against numpy's quantile."""

    def above(values: Tensor, test: Tensor, share: float = 0.95) -> Tensor:
        return test > float(np.quantile(values.numpy(), share))

    def truth(practice: Tensor, grades: Tensor, test: Tensor) -> Tensor:
        return above(practice[grades == 0], test)

    def wrong(practice: Tensor, grades: Tensor, test: Tensor) -> dict[str, Any]:
        unrelated = practice[grades == 0]
        mistakes = {
            "you make the threshold from the test pairs: 5 of 100 are above it whatever they are.": above(test, test),
            "you compare the practice pairs with the threshold: compare those of test.": above(unrelated, practice),
            "you treat all practice pairs as unrelated, including the paraphrases.": above(practice, test),
            "these are the pairs below the threshold: return those above it.": ~above(unrelated, test),
            "you make the threshold from pairs of another grade: unrelated pairs have grades == 0.": tuple(
                above(practice[of_grade], test) for of_grade in (grades != 0, grades == 2)
            ),
            "this is the quantile at 0.9: take it at 0.95.": above(unrelated, test, 0.9),
            "this is the quantile at 0.05, which nearly all unrelated pairs are above: take it at 0.95.": above(
                unrelated, test, 0.05
            ),
            "higher than the mean is higher than about half of them: take 95 of 100.": test > unrelated.mean(),
            "higher than every unrelated pair is too strict, and depends on a single one: take 95 of 100.": test
            > unrelated.max(),
            "mean and two standard deviations fit a bell curve only: take the quantile.": (
                test > unrelated.mean() + 2 * unrelated.std()
            ),
        }
        for limit in (0.5, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95):
            absolute = f"{limit} is an absolute reading: cosines are high or low only among those of the same vectors."
            mistakes[absolute] = test > limit
        for grade in (1, 2, 3):
            related = f"you treat pairs up to grade {grade} as unrelated, but pairs of grade 1 share a topic already."
            mistakes[related] = above(practice[grades <= grade], test), above(practice[grades < grade + 1], test)
        return mistakes

    right = truth(practice, grades, test)
    praise = f"{int(right.sum())} of {len(right)} test pairs are above 95 of 100 unrelated ones."
    cases = [_undisputed(practice, grades, test), _undisputed(*_graded_cosines())]
    return judge(answer, cases, truth, wrong, praise)


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
    cosines = 0.6 + grades * 0.04 + torch.randn(6000, generator=generator()) * 0.025
    # What is asked about covers the range so closely that hardly any two thresholds part it alike.
    test = torch.cat([cosines[1::2], torch.linspace(0.3, 1, 20_000)])
    return cosines[::2], grades[::2].float(), test

"""The checks of lesson 5, Paraphrase."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from bertlab.bert.loading import Bert
from bertlab.checks.inputs import generator, other_bert, sentences
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import Shortcut, Slip, judge


def cosine_of_scaled(answer: Callable[[Tensor, float], Tensor | float | None]) -> Outcome:
    """Check exercise 5.1, the cosine after one vector was multiplied, against scikit-learn's of such vectors.

    Parameters
    ----------
    answer
        Takes the cosine of a and b, and a factor that is not zero; returns the cosine of a and factor * b.

    Returns
    -------
    Outcome
    """
    from sklearn.metrics.pairwise import cosine_similarity

    def scaled(cosine: Tensor, factor: float) -> Tensor:
        """Make two vectors that have the cosine, and multiply one of them."""
        a, b = np.array([[1.0, 0.0]]), np.array([[cosine.item(), (1 - cosine.item() ** 2) ** 0.5]])
        return torch.tensor(cosine_similarity(a, factor * b)[0, 0])

    chance = torch.rand(8, generator=generator())
    cosines, sizes = 0.2 + 0.7 * chance[:4], chance[4:] + torch.tensor([2.0, 3.0, 0.2, 0.2])
    signs = [(1, 1), (1, -1), (1, 1), (-1, -1)]
    return judge(
        answer,
        [(sign * cosines[i], turned * float(sizes[i])) for i, (sign, turned) in enumerate(signs)],
        scaled,
        [
            Slip(
                "the length of a vector is divided out again, so the size of the factor does not count.",
                lambda cosine, factor: cosine * factor,
            ),
            Slip(
                "the size of the factor does not count, but is there anything about it that does? Try minus one.",
                lambda cosine, factor: cosine,
            ),
            Slip(
                "dividing by the factor undoes a scaling that the cosine has undone already.",
                lambda cosine, factor: cosine / factor,
            ),
            Slip(
                "a negative factor turns the vector around, and then the cosine changes its sign.",
                lambda cosine, factor: cosine * abs(factor),
            ),
            Slip("the sign is the wrong way round.", lambda cosine, factor: -cosine if factor > 0 else cosine),
            Slip("a cosine may be negative: keep its sign.", lambda cosine, factor: cosine.abs()),
        ],
        "your rule equals scikit-learn's cosine of scaled vectors, for factors above and below zero.",
    )


def mean_of_batch(bert: Bert, answer: Callable[[Bert, list[str]], Tensor | None]) -> Outcome:
    """Check exercise 5.2, mean pooling of a batch with padding, against texts that are read one at a time.

    Parameters
    ----------
    bert
    answer
        Takes bert and a list of texts; returns (texts, hidden).

    Returns
    -------
    Outcome
    """

    def encoded(bert: Bert, texts: list[str]) -> dict[str, Tensor]:
        return dict(bert.tokenizer(texts, padding=True, return_tensors="pt").to(bert.model.device))

    def last(bert: Bert, texts: list[str]) -> Tensor:
        return bert.model.bert(**encoded(bert, texts)).last_hidden_state

    def mask(bert: Bert, texts: list[str]) -> Tensor:
        return encoded(bert, texts)["attention_mask"][:, :, None]

    def total(bert: Bert, texts: list[str]) -> Tensor:
        return (last(bert, texts) * mask(bert, texts)).sum(dim=1)

    def unmasked(bert: Bert, texts: list[str]) -> Tensor:
        inputs = {name: values for name, values in encoded(bert, texts).items() if name != "attention_mask"}
        hidden = bert.model.bert(**inputs).last_hidden_state
        return (hidden * mask(bert, texts)).sum(dim=1) / mask(bert, texts).sum(dim=1)

    texts = sentences(3)  # of different lengths, so that some have much padding
    return judge(
        answer,
        [(bert, texts), (bert, texts[::-1]), (other_bert(bert), texts[1:])],
        lambda bert, texts: torch.stack([last(bert, [text])[0].mean(dim=0) for text in texts]),
        [
            Slip(
                "the padding is averaged in: its vectors are not zero, and the mask says which ones they are.",
                lambda b, texts: last(b, texts).mean(dim=1),
            ),
            Slip(
                "every sum is divided by the length of the longest text: divide each by its own number of tokens, "
                "mask.sum(dim=1).",
                lambda b, texts: total(b, texts) / mask(b, texts).shape[1],
            ),
            Slip("these are sums: divide each by its text's number of tokens.", total),
            Slip("the wrong axis: dim=0 averages over the texts.", lambda b, texts: last(b, texts).mean(dim=0)),
            Slip("the wrong axis: dim=-1 averages over the features.", lambda b, texts: last(b, texts).mean(dim=-1)),
            Slip(
                "[CLS] and [SEP] are left out here; they count in this exercise, as in the lesson.",
                lambda bert, texts: torch.stack([last(bert, [text])[0, 1:-1].mean(dim=0) for text in texts]),
            ),
            Slip(
                "the padding is left out of the mean, but not hidden from the model: give it the attention mask too.",
                lambda bert, texts: unmasked(bert, texts),
            ),
            Slip("these are the vectors of [CLS].", lambda b, texts: last(b, texts)[:, 0]),
            Slip("this is the maximum over the tokens; the mean is asked for.", lambda b, t: last(b, t).amax(dim=1)),
        ],
        "your batch equals texts that are read one at a time, in three batches with padding and two models.",
        shortcuts=[
            Shortcut(
                "bertlab reads the texts for you, one by one or as readings. Give the batch to bert.tokenizer and "
                "bert.model.bert, in one call, and let the attention mask leave out the padding.",
                lambda words: bool(words & {"read", "read_all", "sentence_vectors", "pool"}),
            ),
            Shortcut(
                "the model is called text by text, so there is no padding to leave out. Give it the whole batch.",
                lambda words: not any("pad" in word for word in words if " " not in word),
            ),
        ],
    )


def beyond_unrelated(
    practice: Tensor,
    grades: Tensor,
    test: Tensor,
    answer: Callable[[Tensor, Tensor, Tensor], Tensor | None],
) -> Outcome:
    """Check exercise 5.3, which pairs lie beyond nearly all unrelated ones, against numpy's quantile.

    Parameters
    ----------
    practice, grades : (practice pairs,)
        Cosines and grades of the pairs for practice.
    test : (test pairs,)
        Cosines of the pairs in question.
    answer
        Takes these three; returns (test pairs,) of bool.

    Returns
    -------
    Outcome
    """

    def above(values: Tensor, cosines: Tensor, share: float = 0.95) -> Tensor:
        return cosines > float(np.quantile(values.numpy(), share))

    def undisputed(values: Tensor, cosines: Tensor) -> Tensor:
        """Leave out what lies between the two values beside the quantile: definitions put their line anywhere there."""
        lower, higher = (float(np.quantile(values.numpy(), 0.95, method=method)) for method in ("lower", "higher"))
        return cosines[(cosines < lower) | (cosines > higher)]

    chance = generator()
    made_grades = torch.arange(6000) // 2 % 6
    # Grade by grade a little more alike, with much overlap, all rather high: as cosines of real pairs often are.
    made = 0.6 + made_grades * 0.02 + torch.randn(6000, generator=chance) * 0.04
    # What is asked about covers the range so closely that hardly any two thresholds part it alike.
    covering = torch.cat([made[1::2], torch.linspace(0.3, 1, 20_000)])
    cases = [
        (cosines, given, undisputed(cosines[given == 0], asked))
        for cosines, given, asked in (
            (practice, grades, test),
            (made[::2], made_grades[::2].float(), covering),
        )
    ]
    right = above(practice[grades == 0], test)
    return judge(
        answer,
        cases,
        lambda cosines, given, asked: above(cosines[given == 0], asked),
        [
            *(
                Slip(
                    f"{limit} is an absolute reading: a cosine is high or low only among cosines of the same vectors.",
                    lambda _cosines, _given, asked, limit=limit: asked > limit,
                )
                for limit in (0.5, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
            ),
            Slip(
                "the threshold is made from the test pairs: then 5 of 100 lie above it whatever they are.",
                lambda _cosines, _given, asked: above(asked, asked),
            ),
            Slip(
                "all practice pairs are taken for unrelated, paraphrases among them.",
                lambda cosines, _given, asked: above(cosines, asked),
            ),
            *(
                Slip(
                    f"pairs up to grade {grade} are taken for unrelated, but grade 1 shares a topic already.",
                    lambda cosines, given, asked, grade=grade: above(cosines[given <= grade], asked),
                )
                for grade in (1, 2, 3)
            ),
            Slip(
                "that is lower than 95 of 100: the other side is asked for.",
                lambda cosines, given, asked: ~above(cosines[given == 0], asked),
            ),
            Slip(
                "these are pairs of grade 2, the hints' last experiment; unrelated are those of grade 0.",
                lambda cosines, given, asked: above(cosines[given == 2], asked),
            ),
            Slip(
                "this is the quantile at 0.9; 95 of 100 are asked for.",
                lambda cosines, given, asked: above(cosines[given == 0], asked, 0.9),
            ),
            Slip(
                "this is the quantile at 0.05, which nearly all unrelated pairs lie above.",
                lambda cosines, given, asked: above(cosines[given == 0], asked, 0.05),
            ),
            Slip(
                "higher than the mean is higher than about half of them; 95 of 100 are asked for.",
                lambda cosines, given, asked: asked > cosines[given == 0].mean(),
            ),
            Slip(
                "higher than every unrelated pair is too strict, and hangs on a single one.",
                lambda cosines, given, asked: asked > cosines[given == 0].max(),
            ),
        ],
        f"{int(right.sum())} of {len(right)} test pairs lie above 95 of 100 unrelated ones.",
    )

"""The checks of lesson 2, Pooler."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from bertlab.bert.loading import Bert
from bertlab.checks.inputs import copied, generator, other_bert, sentences
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import Shortcut, Slip, judge, once

Pairs = Sequence[tuple[str, str]]


def layer_parameters(answer: Callable[[int, int], int | None]) -> Outcome:
    """Check exercise 2.1, the numbers in one encoder layer, against transformers' own layer.

    Parameters
    ----------
    answer
        Takes the hidden size and the intermediate size; returns how many numbers one layer learns.

    Returns
    -------
    Outcome
    """
    from transformers import BertConfig
    from transformers.models.bert.modeling_bert import BertLayer

    def truth(hidden: int, intermediate: int) -> Tensor:
        config = BertConfig(hidden_size=hidden, intermediate_size=intermediate, num_attention_heads=1)
        return torch.tensor(sum(values.numel() for values in BertLayer(config).parameters()))

    def without(part: str) -> Callable[[int, int], Tensor]:
        """Count with one part left out."""
        left_out: dict[str, Callable[[int, int], int]] = {
            "biases": lambda h, i: 4 * h + i + h,
            "LayerNorms": lambda h, i: 4 * h,
            "feed-forward": lambda h, i: 2 * h * i + i + h,
            "half of the LayerNorms": lambda h, i: 2 * h,
            "attention's output": lambda h, i: h * h + h,
        }
        return lambda h, i: truth(h, i) - left_out[part](h, i)

    chance = generator()
    sizes = [tuple(torch.randint(low, low + 40, (1,), generator=chance).item() for low in (20, 100)) for _ in range(3)]
    return judge(
        answer,
        [*sizes, (768, 3072)],
        truth,
        [
            Slip("the biases are missing: every matrix has one, as long as its output.", without("biases")),
            Slip(
                "the two LayerNorms are missing: each has a weight and a bias, which makes 4 * hidden.",
                without("LayerNorms"),
            ),
            Slip(
                "half of the LayerNorms' numbers are missing: there are two of them, each with a weight and a bias.",
                without("half of the LayerNorms"),
            ),
            Slip("all biases and both LayerNorms are missing.", lambda h, i: 4 * h * h + 2 * h * i),
            Slip(
                "a bias is as long as its matrix's output: one of the six has the length intermediate.",
                lambda h, i: truth(h, i) - i + h,
            ),
            Slip("the feed-forward block is missing: hidden to intermediate and back.", without("feed-forward")),
            Slip(
                "attention has four matrices: query, key, value, and the one that joins the heads.",
                without("attention's output"),
            ),
        ],
        "your formula equals transformers' own layer for four sizes, BERT-base's among them.",
    )


def pool_batch(bert: Bert, answer: Callable[[Bert, list[str]], Tensor | None]) -> Outcome:
    """Check exercise 2.2, pooling a batch of texts, against the model's own pooler.

    Parameters
    ----------
    bert
    answer
        Takes bert and a list of texts; returns (texts, hidden).

    Returns
    -------
    Outcome
    """
    bert.require("pooler")

    def encoded(bert: Bert, texts: list[str]) -> dict[str, Tensor]:
        return dict(bert.tokenizer(texts, padding=True, return_tensors="pt").to(bert.model.device))

    def last(bert: Bert, texts: list[str]) -> Tensor:
        return bert.model.bert(**encoded(bert, texts)).last_hidden_state

    def dense(bert: Bert) -> Any:
        pooler: Any = bert.model.bert.pooler
        return pooler.dense

    def no_mask(bert: Bert, texts: list[str]) -> Tensor:
        inputs = {name: values for name, values in encoded(bert, texts).items() if name != "attention_mask"}
        return bert.model.bert(**inputs).pooler_output

    texts = sentences(3)
    return judge(
        answer,
        [(bert, texts), (other_bert(bert), texts[1:])],
        lambda b, texts: b.model.bert(**encoded(b, texts)).pooler_output,
        [
            Slip(
                "only one text came out: unsqueeze(0) or [0] hides the batch. Take [:, 0], each text's first token.",
                lambda b, texts: torch.tanh(dense(b)(last(b, texts)[:1, 0])),
            ),
            Slip(
                "these are the tokens of the first text: [0] picks a text, [:, 0] each text's first token.",
                lambda b, texts: torch.tanh(dense(b)(last(b, texts)[0])),
            ),
            Slip("tanh is missing at the end.", lambda b, texts: dense(b)(last(b, texts)[:, 0])),
            Slip("the bias is missing.", lambda b, texts: torch.tanh(last(b, texts)[:, 0] @ dense(b).weight.T)),
            Slip(
                "the matrix stands the wrong way round: torch stores it as (output, input), so multiply by weight.T.",
                lambda b, texts: torch.tanh(last(b, texts)[:, 0] @ dense(b).weight + dense(b).bias),
            ),
            Slip(
                "these are the vectors of [CLS] as they leave the encoder: the pooler comes after.",
                lambda b, texts: last(b, texts)[:, 0],
            ),
            Slip(
                "the last token was pooled: [:, -1] is [SEP] or padding, [:, 0] is [CLS].",
                lambda b, texts: torch.tanh(dense(b)(last(b, texts)[:, -1])),
            ),
            Slip("the attention mask is missing: the real tokens look at the padding.", no_mask),
        ],
        "your pooled batch equals the model's own, for two batches with padding and two models.",
        shortcuts=[
            Shortcut(
                "a pooler that is there already gives the answer. Take matrix and bias of pooler.dense, and tanh.",
                lambda words: (
                    bool(words & {"pooler", "pooler_output", "pooled"}) and not any("dense" in word for word in words)
                ),
            )
        ],
    )


def next_sentence_accuracy(
    bert: Bert,
    following: Sequence[tuple[str, str]],
    other: Sequence[tuple[str, str]],
    answer: Callable[[Bert, Sequence, Sequence], Tensor | float | None],
) -> Outcome:
    """Check exercise 2.3, the accuracy of the next-sentence head, against transformers' own logits.

    Parameters
    ----------
    bert
    following, other
        Pairs that follow, and pairs that do not; as many of each.
    answer
        Takes bert and both lists; returns the share of all pairs that the head gets right.

    Returns
    -------
    Outcome
    """
    from sklearn.metrics import accuracy_score

    @once
    def probabilities(bert: Bert, pairs: Pairs) -> Tensor:
        firsts, seconds = [first for first, _ in pairs], [second for _, second in pairs]
        inputs = bert.tokenizer(firsts, seconds, padding=True, return_tensors="pt").to(bert.model.device)
        head: Any = bert.model.cls.seq_relationship  # alone: the model's other head would take most of the time
        return head(bert.model.bert(**inputs).pooler_output).softmax(dim=-1)[:, 0].cpu()

    def found(bert: Bert, yes: Pairs, no: Pairs) -> tuple[Tensor, Tensor]:
        """Return which pairs of either list the head gets right."""
        return probabilities(bert, yes) > 0.5, probabilities(bert, no) <= 0.5

    def right(bert: Bert, yes: Pairs, no: Pairs) -> Tensor:
        follows = torch.cat([probabilities(bert, yes), probabilities(bert, no)]) > 0.5
        return torch.tensor(accuracy_score([True] * len(yes) + [False] * len(no), follows))

    # The second case has more pairs of one kind, and some that "do not follow" though they do: with it, no short cut
    # gives the right share, not even for a model that is always right.
    yes, no = list(following), list(other)
    cases = [(bert, yes, no), (bert, yes + no[: len(no) // 4], no[: len(no) // 2]), _right_for_all(other_bert(bert))]

    def praise() -> str:
        accuracy = float(right(*cases[0]))
        return f"{accuracy:.2f} of {len(following) + len(other)} pairs. Guessing reaches 0.50."

    return judge(
        answer,
        cases,
        right,
        [
            Slip(
                "the label is flipped: 0 is 'is next', so a high first probability says that it follows.",
                lambda b, yes, no: 1 - right(b, yes, no),
            ),
            Slip(
                "only the pairs that follow are counted: a head that always says 'next' would have them all right.",
                lambda b, yes, no: found(b, yes, no)[0].float().mean(),
            ),
            Slip(
                "only the pairs that do not follow are counted.",
                lambda b, yes, no: found(b, yes, no)[1].float().mean(),
            ),
            Slip(
                "the mean of the two shares is not the share of all pairs when there are more of one kind.",
                lambda b, yes, no: sum(share.float().mean() for share in found(b, yes, no)) / 2,
            ),
            Slip(
                "this is a mean probability: count the pairs on the right side of one half.",
                lambda b, yes, no: torch.cat([probabilities(b, yes), 1 - probabilities(b, no)]).mean(),
            ),
            Slip("only the first pair of each list is judged.", lambda b, yes, no: right(b, yes[:1], no[:1])),
        ],
        praise,
    )


def _right_for_all(bert: Bert) -> tuple[Bert, Pairs, Pairs]:
    """Return a copy of a BERT, pairs of which it says that they follow, and others: none of which it gets wrong."""
    from bertlab.pooler.layer import next_sentence

    pairs = [(first, second) for _ in range(30) for first, second in [sentences(2)[::-1]]]
    says = next_sentence(bert, pairs)
    sure = copied(bert)
    head: Any = sure.model.cls.seq_relationship
    with torch.no_grad():  # its yes begins at the middle one of these pairs, so that it says both yes and no
        head.bias[0] -= says.median().logit()
    *_, order = says.sort()
    return sure, [pairs[place] for place in order[-8:]], [pairs[place] for place in order[:6]]

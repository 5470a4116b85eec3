"""The checks of lesson 2, Pooler."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import torch
from sklearn.metrics import accuracy_score
from torch import Tensor

from bertlab.bert.loading import Bert
from bertlab.checks.batch import Batch
from bertlab.checks.inputs import generator, other_bert, sentences
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge, once

Pairs = Sequence[tuple[str, str]]


def layer_parameters(answer: Callable) -> Outcome:
    """Check exercise 2.1, the numbers in one encoder layer, against transformers' own layer."""
    from transformers import BertConfig
    from transformers.models.bert.modeling_bert import BertLayer

    def truth(hidden: int, intermediate: int) -> Tensor:
        config = BertConfig(hidden_size=hidden, intermediate_size=intermediate, num_attention_heads=1)
        return torch.tensor(sum(values.numel() for values in BertLayer(config).parameters()))

    def without(count: Callable[[int, int], int]) -> Callable[[int, int], Tensor]:
        return lambda hidden, intermediate: truth(hidden, intermediate) - count(hidden, intermediate)

    wrong = {
        "the biases are missing: every matrix has one, as long as its output.": without(lambda h, i: 5 * h + i),
        "the two LayerNorms are missing: each has a weight and a bias, which makes 4 * hidden.": without(
            lambda h, i: 4 * h
        ),
        "half of the LayerNorms' numbers are missing: there are two of them, each with a weight and a bias.": without(
            lambda h, i: 2 * h
        ),
        "all biases and both LayerNorms are missing.": without(lambda h, i: 9 * h + i),
        "a bias is as long as its matrix's output: one of the six has the length intermediate.": without(
            lambda h, i: i - h
        ),
        "the feed-forward block is missing: hidden to intermediate and back.": without(lambda h, i: 2 * h * i + i + h),
        "attention has four matrices: query, key, value, and the one that joins the heads.": without(
            lambda h, i: h * h + h
        ),
    }
    chance = generator()
    sizes = [tuple(torch.randint(low, low + 40, (1,), generator=chance).item() for low in (20, 100)) for _ in range(3)]
    praise = "your formula equals transformers' own layer for four sizes, BERT-base's among them."
    return judge(answer, [*sizes, (768, 3072)], truth, wrong, praise)


def pool_batch(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 2.2, pooling a batch of texts, against the model's own pooler."""
    bert.require("pooler")
    batch = once(Batch)

    def of(what: Callable[[Batch], Tensor]) -> Callable[[Bert, list[str]], Tensor]:
        return lambda bert, texts: what(batch(bert, texts))

    def dense(b: Batch) -> Any:
        return b.bert.model.bert.pooler.dense  # pyrefly: ignore[missing-attribute]

    def pooled(which: Callable[[Tensor], Tensor]) -> Callable[[Bert, list[str]], Tensor]:
        return of(lambda b: torch.tanh(dense(b)(which(b.last))))

    wrong = {
        "only one text came out: unsqueeze(0) or [0] hides the batch. Take [:, 0], each text's first token.": pooled(
            lambda last: last[:1, 0]
        ),
        "these are the tokens of the first text: [0] picks a text, [:, 0] each text's first token.": pooled(
            lambda last: last[0]
        ),
        "tanh is missing at the end.": of(lambda b: dense(b)(b.last[:, 0])),
        "the bias is missing.": of(lambda b: torch.tanh(b.last[:, 0] @ dense(b).weight.T)),
        "the matrix stands the wrong way round: torch stores it as (output, input), so multiply by weight.T.": of(
            lambda b: torch.tanh(b.last[:, 0] @ dense(b).weight + dense(b).bias)
        ),
        "these are the vectors of [CLS] as they leave the encoder: the pooler comes after.": of(lambda b: b.last[:, 0]),
        "the last token was pooled: [:, -1] is [SEP] or padding, [:, 0] is [CLS].": pooled(lambda last: last[:, -1]),
        "the attention mask is missing: the real tokens look at the padding.": of(
            lambda b: b.without_mask.pooler_output
        ),
    }
    shortcuts = {
        "a pooler that is there already gives the answer. Take matrix and bias of pooler.dense, and tanh.": (
            lambda words: (
                bool(words & {"pooler", "pooler_output", "pooled"}) and not any("dense" in word for word in words)
            )
        )
    }
    texts = sentences(3)
    praise = "your pooled batch equals the model's own, for two batches with padding and two models."
    cases = [(bert, texts), (other_bert(bert), texts[1:])]
    return judge(answer, cases, of(lambda b: b.pooled), wrong, praise, shortcuts=shortcuts)


def next_sentence_accuracy(bert: Bert, following: Pairs, other: Pairs, answer: Callable) -> Outcome:
    """Check exercise 2.3, the accuracy of the next-sentence head, against transformers' own logits."""

    @once
    def probabilities(bert: Bert, pairs: Pairs) -> Tensor:
        firsts, seconds = zip(*pairs, strict=True)
        pooled = Batch(bert, list(firsts), list(seconds)).pooled
        head: Any = bert.model.cls.seq_relationship  # alone: the model's other head would take most of the time
        return head(pooled).softmax(dim=-1)[:, 0].cpu()

    def of(what: Callable[[Tensor, Tensor], Any]) -> Callable[[Bert, Pairs, Pairs], Any]:
        """Return a function of the probabilities of the pairs that follow and of those that do not."""
        return lambda bert, yes, no: what(probabilities(bert, yes), probabilities(bert, no))

    def accuracy(yes: Tensor, no: Tensor) -> float:
        return float(accuracy_score([True] * len(yes) + [False] * len(no), torch.cat([yes, no]) > 0.5))

    def share_of_yes(yes: Tensor, no: Tensor) -> Tensor:
        return (yes > 0.5).float().mean()

    def share_of_no(yes: Tensor, no: Tensor) -> Tensor:
        return (no <= 0.5).float().mean()

    wrong = {
        "the label is flipped: 0 is 'is next', so a high first probability says that it follows.": of(
            lambda yes, no: 1 - accuracy(yes, no)
        ),
        "only the pairs that follow are counted: a head that always says 'next' would have them all right.": of(
            share_of_yes
        ),
        "only the pairs that do not follow are counted.": of(share_of_no),
        "the mean of the two shares is not the share of all pairs when there are more of one kind.": of(
            lambda yes, no: (share_of_yes(yes, no) + share_of_no(yes, no)) / 2
        ),
        "this is a mean probability: count the pairs on the right side of one half.": of(
            lambda yes, no: torch.cat([yes, 1 - no]).mean()
        ),
    }
    # The second case has more pairs of one kind, and some that "do not follow" though they do: with it, no short cut
    # gives the right share, not even for a model that is always right.
    yes, no = list(following), list(other)
    cases = [(bert, yes, no), (bert, yes + no[: len(no) // 4], no[: len(no) // 2]), _right_for_all(other_bert(bert))]

    def praise() -> str:
        return f"{of(accuracy)(*cases[0]):.2f} of {len(yes) + len(no)} pairs. Guessing reaches 0.50."

    return judge(answer, cases, of(accuracy), wrong, praise)


def _right_for_all(bert: Bert) -> tuple[Bert, Pairs, Pairs]:
    """Return a copy of a BERT, pairs of which it says that they follow, and others: none of which it gets wrong."""
    from bertlab.pooler.layer import next_sentence

    pairs: Pairs = [(short, long) for long, short in (sentences(2) for _ in range(30))]
    follows = next_sentence(bert, pairs)
    sure = deepcopy(bert)
    head: Any = sure.model.cls.seq_relationship
    with torch.no_grad():  # its yes begins at the middle one of these pairs, so that it says both yes and no
        head.bias[0] -= follows.median().logit()
    order = follows.argsort().tolist()
    return sure, [pairs[i] for i in order[-8:]], [pairs[i] for i in order[:6]]

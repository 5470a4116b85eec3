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

    def truth(hidden: int, intermediate: int) -> int:
        config = BertConfig(hidden_size=hidden, intermediate_size=intermediate, num_attention_heads=1)
        return sum(values.numel() for values in BertLayer(config).parameters())

    def wrong(hidden: int, intermediate: int) -> dict[str, int]:
        right, biases = truth(hidden, intermediate), 5 * hidden + intermediate
        feed_forward = 2 * hidden * intermediate + intermediate + hidden
        return {
            "the biases are missing: every matrix has one, as long as its output.": right - biases,
            "the two LayerNorms are missing: each has a weight and a bias.": right - 4 * hidden,
            "half of the LayerNorms' numbers are missing: two, each with weight and bias.": right - 2 * hidden,
            "all biases and both LayerNorms are missing.": right - biases - 4 * hidden,
            "one of the six biases has the length intermediate, its matrix's output.": right - intermediate + hidden,
            "the feed-forward block is missing: hidden to intermediate and back.": right - feed_forward,
            "attention has four matrices: query, key, value, and one that joins the heads.": right - hidden**2 - hidden,
        }

    sizes = [(hidden, hidden + more) for hidden, more in torch.randint(20, 60, (3, 2), generator=generator()).tolist()]
    praise = "your formula equals transformers' own layer for four sizes, BERT-base's among them."
    return judge(answer, [*sizes, (768, 3072)], truth, wrong, praise)


def pool_batch(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 2.2, pooling a batch of texts, against the model's own pooler."""
    bert.require("pooler")
    batch = once(Batch)

    def wrong(bert: Bert, texts: list[str]) -> dict[str, Tensor]:
        dense: Any = bert.model.bert.pooler.dense  # pyrefly: ignore[missing-attribute]
        last, unmasked = batch(bert, texts).last, batch(bert, texts).without_mask
        first = last[:, 0]
        turned_round, one_text = first @ dense.weight + dense.bias, dense(first[:1])
        return {
            "only one text came out: [0] hides the batch. Take [:, 0], each text's first token.": one_text.tanh(),
            "these are the tokens of the first text: [:, 0] picks each text's first token.": dense(last[0]).tanh(),
            "tanh is missing at the end.": dense(first),
            "the bias is missing.": (first @ dense.weight.T).tanh(),
            "the matrix stands the wrong way round: it is (output, input), multiply by weight.T.": turned_round.tanh(),
            "these are the vectors of [CLS] as they leave the encoder: the pooler comes after.": first,
            "the last token was pooled: [:, -1] is [SEP] or padding, [:, 0] is [CLS].": dense(last[:, -1]).tanh(),
            "the attention mask is missing: the real tokens look at the padding.": unmasked.pooler_output,
        }

    def asks_a_pooler(words: set[str]) -> bool:
        return bool(words & {"pooler", "pooler_output", "pooled"}) and not any("dense" in word for word in words)

    shortcuts = {"a pooler that is there already gives the answer. Take pooler.dense, then tanh.": asks_a_pooler}
    texts = sentences(3)
    praise = "your pooled batch equals the model's own, for two batches with padding and two models."
    cases = [(bert, texts), (other_bert(bert), texts[1:])]
    return judge(answer, cases, lambda *case: batch(*case).pooled, wrong, praise, shortcuts=shortcuts)


def next_sentence_accuracy(bert: Bert, following: Pairs, other: Pairs, answer: Callable) -> Outcome:
    """Check exercise 2.3, the accuracy of the next-sentence head, against transformers' own logits."""

    @once
    def probabilities(bert: Bert, pairs: Pairs) -> Tensor:
        firsts, seconds = zip(*pairs, strict=True)
        pooled = Batch(bert, list(firsts), list(seconds)).pooled
        head: Any = bert.model.cls.seq_relationship  # alone: the model's other head would take most of the time
        return head(pooled).softmax(dim=-1)[:, 0].cpu()

    def truth(bert: Bert, following: Pairs, other: Pairs) -> float:
        yes, no = probabilities(bert, following), probabilities(bert, other)
        return float(accuracy_score([True] * len(yes) + [False] * len(no), torch.cat([yes, no]) > 0.5))

    def wrong(bert: Bert, following: Pairs, other: Pairs) -> dict[str, Any]:
        yes, no = probabilities(bert, following), probabilities(bert, other)
        flipped = 1 - truth(bert, following, other)
        right_yes, right_no = (yes > 0.5).float().mean(), (no <= 0.5).float().mean()
        return {
            "the label is flipped: 0 is 'is next', so a high first probability says that it follows.": flipped,
            "only the pairs that follow are counted: who always says 'next' would have them all right.": right_yes,
            "only the pairs that do not follow are counted.": right_no,
            "this is the mean of two shares: with more pairs of one kind, count all.": (right_yes + right_no) / 2,
            "this is a mean probability: count those on the right side of 0.5.": torch.cat([yes, 1 - no]).mean(),
        }

    # The second case has more pairs of one kind, and some that "do not follow" though they do: with it, no short cut
    # gives the right share, not even for a model that is always right.
    yes, no = list(following), list(other)
    cases = [(bert, yes, no), (bert, yes + no[: len(no) // 4], no[: len(no) // 2]), _right_for_all(other_bert(bert))]

    def praise() -> str:
        return f"{truth(*cases[0]):.2f} of {len(yes) + len(no)} pairs. Guessing reaches 0.50."

    return judge(answer, cases, truth, wrong, praise)


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

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

LINE = 0.93  # the threshold at which the lesson's head is right most often


def layer_parameters(answer: Callable) -> Outcome:
    """Check exercise 2.1, the numbers in one encoder layer, against transformers' own layer."""
    from transformers import BertConfig
    from transformers.models.bert.modeling_bert import BertLayer

    def truth(hidden: int, intermediate: int) -> int:
        config = BertConfig(hidden_size=hidden, intermediate_size=intermediate, num_attention_heads=1)
        return sum(values.numel() for values in BertLayer(config).parameters())

    def wrong(hidden: int, intermediate: int) -> dict[str, Any]:
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
            "a bias has a number for each output of its matrix, and not one alone.": right - biases + 6,
            "the bias of the matrix back to hidden has the length hidden.": right + intermediate - hidden,
            "the matrix back, from intermediate to hidden, is missing.": right - hidden * intermediate,
            "the matrix back, from intermediate to hidden, and its bias are missing.": right
            - (intermediate + 1) * hidden,
            "in Python ^ is no power: write hidden**2.": right - 4 * hidden**2 + 4 * (hidden ^ 2),
            "in Python ^ is no power, and is computed last: write hidden**2.": (4 * hidden)
            ^ (2 + right - 4 * hidden**2),
        }

    sizes = [(hidden, hidden + more) for hidden, more in torch.randint(20, 60, (3, 2), generator=generator()).tolist()]
    praise = "your formula equals transformers' own layer for four sizes, BERT-base's among them."

    def counts_modules(words: set[str]) -> bool:
        return bool(words & {"numel", "parameters", "num_parameters"})

    shortcuts = {"torch counts a layer that is there already. Write the formula.": counts_modules}
    return judge(answer, [*sizes, (768, 3072)], truth, wrong, praise, shortcuts=shortcuts)


def pool_batch(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 2.2, pooling a batch of texts, against the model's own pooler."""
    bert.require("pooler")
    batch = once(Batch)

    def wrong(bert: Bert, texts: list[str]) -> dict[str, Any]:
        pooler: Any = bert.model.bert.pooler
        dense, last, unmasked = pooler.dense, batch(bert, texts).last, batch(bert, texts).without_mask
        first = last[:, 0]
        turned_round, one_text = first @ dense.weight + dense.bias, dense(first[0]).tanh()
        return {
            "only one text came out: [0] hides the batch. Take [:, 0], each text's first token.": (
                one_text,
                one_text[None],
            ),
            "only one text came out: the pooler takes [:, 0] itself, here of a batch of one. Take pooler.dense, then "
            "tanh.": pooler(first[None]),
            "these are the tokens of the first text: [:, 0] picks each text's first token.": dense(last[0]).tanh(),
            "tanh is missing at the end.": dense(first),
            "the bias is missing.": (first @ dense.weight.T).tanh(),
            "the matrix is the wrong way round: it is (output, input), multiply by weight.T.": turned_round.tanh(),
            "these are the vectors of [CLS] as they leave the encoder: the pooler comes after.": first,
            "the last token was pooled: [:, -1] is [SEP] or padding, [:, 0] is [CLS].": dense(last[:, -1]).tanh(),
            "the attention mask is missing: the real tokens look at the padding.": (
                dense(unmasked.last_hidden_state[:, 0]).tanh(),
                unmasked.pooler_output,
            ),
            "the mean of all tokens was pooled. Take [:, 0], each text's first token.": dense(last.mean(dim=1)).tanh(),
            "tanh comes at the end, and this is the sigmoid.": dense(first).sigmoid(),
            "an existing pooler gives the answer, which is a shortcut. Take pooler.dense, then tanh.": (
                batch(bert, texts).pooled
            ),
        }

    def truth(bert: Bert, texts: list[str]) -> Tensor:
        dense: Any = bert.model.bert.pooler.dense  # pyrefly: ignore[missing-attribute]
        return torch.tanh(dense(batch(bert, texts).last[:, 0]))

    texts = sentences(3)
    other = other_bert(bert)
    praise = "your pooled batch equals the model's own, for batches with padding and two models."
    cases = [(bert, texts), (other, texts[1:]), (_without_answer(other), texts)]
    needed = 'the tokenizer makes one table of all texts with padding=True and return_tensors="pt".'
    meanings = {"activate truncation and/or padding": needed, "'list' object": needed}
    return judge(answer, cases, truth, wrong, praise, meanings=meanings)


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
        right, every = truth(bert, following, other), len(yes) + len(no)
        right_yes, right_no = (yes > 0.5).float().mean(), (no <= 0.5).float().mean()
        at_another = (yes > LINE).sum() + (no <= LINE).sum()
        said_next = (torch.cat([yes, no]) > 0.5).float().mean()
        shorter = min(len(yes), len(no))
        higher = yes[:shorter] > no[:shorter]
        return {
            "the label is flipped: 0 is 'is next', so a high first probability says that it follows.": 1 - right,
            "this is the larger of the share and of one minus it: a head may be wrong more often than right.": max(
                right, 1 - right
            ),
            "this is the share at the threshold of 0.93: here it is one half.": at_another / every,
            "only the pairs that follow are counted: who always says 'next' would have them all right.": right_yes,
            "only the pairs that do not follow are counted.": right_no,
            "this is the mean of two shares: with more pairs of one kind, count all.": (right_yes + right_no) / 2,
            "this is a mean probability: count those on the right side of 0.5.": torch.cat([yes, 1 - no]).mean(),
            "both lists are counted above 0.5: of the pairs that do not follow, those below it are right.": said_next,
            "each pair is compared with one of the other list: compare each with 0.5.": higher.float().mean(),
            "this is how many are right: divide by the number of all pairs.": right * every,
            "the number of right ones is divided by one list: divide by the number of all pairs.": right
            * every
            / len(yes),
        }

    # The second case has more pairs of one kind, and some that "do not follow" though they do: with it, no short cut
    # gives the right share, not even for a model that is always right; and no rounded share is right. In the last case
    # that model is always wrong.
    yes, no = list(following), list(other)
    sure, *always = _right_for_all(other_bert(bert))
    cases = [
        (bert, yes, no),
        (bert, yes[1:] + no[: len(no) // 4], no[: len(no) // 2]),
        (sure, *always),
        (sure, *reversed(always)),
    ]

    def praise() -> str:
        every = len(yes) + len(no)
        return f"the head is right on {truth(bert, yes, no) * every:.0f} of {every} pairs. Guessing gets half of them."

    meanings = {"must match the size": "the two lists may differ in length: compare each probability with 0.5."}
    return judge(answer, cases, truth, wrong, praise, meanings=meanings)


def _without_answer(bert: Bert) -> Bert:
    """Return a copy of a BERT whose pooler returns zeros but keeps its matrix and bias."""
    silent = deepcopy(bert)
    pooler: Any = silent.model.bert.pooler
    pooler.register_forward_hook(lambda module, inputs, output: torch.zeros_like(output))
    return silent


def _right_for_all(bert: Bert) -> tuple[Bert, Pairs, Pairs]:
    """Return a copy of a BERT with pairs that follow and pairs that do not, all of which it classifies correctly."""
    from bertlab.pooler.layer import next_sentence

    pairs: Pairs = [(short, long) for long, short in (sentences(2) for _ in range(30))]
    follows = next_sentence(bert, pairs)
    sure = deepcopy(bert)
    head: Any = sure.model.cls.seq_relationship
    with torch.no_grad():  # its yes begins at the middle one of these pairs, so that it says both yes and no
        head.bias[0] -= follows.median().logit()
    order = follows.argsort().tolist()
    return sure, [pairs[i] for i in order[-8:]], [pairs[i] for i in order[:6]]

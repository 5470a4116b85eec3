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
from bertlab.checks.known import known
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

    sizes = [(hidden, hidden + more) for hidden, more in torch.randint(20, 60, (3, 2), generator=generator()).tolist()]
    praise = "your formula equals transformers' own layer for four sizes, BERT-base's among them."

    def counts_modules(words: set[str]) -> bool:
        return bool(words & {"numel", "nelement", "parameters", "named_parameters", "num_parameters", "state_dict"})

    shortcuts = {"torch counts a layer that is there already. Write the formula.": counts_modules}
    return judge(known("2.1"), answer, [*sizes, (768, 3072)], truth, praise, shortcuts=shortcuts)


def pool_batch(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 2.2, pooling a batch of texts, against the model's own pooler."""
    bert.require("pooler")

    def truth(bert: Bert, texts: list[str]) -> Tensor:
        dense: Any = bert.model.bert.pooler.dense  # pyrefly: ignore[missing-attribute]
        return torch.tanh(dense(Batch(bert, texts).last[:, 0]))

    texts = sentences(3)
    other = other_bert(bert)
    praise = "your pooled batch equals the model's own, for batches with padding and two models."
    cases = [(other, texts[1:]), (_without_answer(other), texts), (bert, texts)]
    return judge(known("2.2"), answer, cases, truth, praise)


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

    # Another BERT is always right, then always wrong, then both by lot. In the last but one there are more pairs of one
    # kind, and some that "do not follow" though they do, so that no other way to count gives the right share.
    yes, no = list(following), list(other)
    sure, follow, strange = _right_for_all(other_bert(bert))
    cases = [(sure, follow, strange), (sure, strange, follow)]
    for a, b, c, d in torch.randint(1, len(strange), (2, 4), generator=generator()).tolist():
        cases.append((sure, follow[:a] + strange[:b], strange[-c:] + follow[-d:]))
    cases += [(bert, yes[1:] + no[: len(no) // 4], no[: len(no) // 2]), (bert, yes, no)]

    def praise() -> str:
        every = len(yes) + len(no)
        return f"the head is right on {truth(bert, yes, no) * every:.0f} of {every} pairs. Guessing gets half of them."

    return judge(known("2.3"), answer, cases, truth, praise)


def _without_answer(bert: Bert) -> Bert:
    """Return a copy of a BERT whose pooler returns zeros but keeps its matrix and bias."""
    silent = deepcopy(bert)
    pooler: Any = silent.model.bert.pooler
    pooler.register_forward_hook(lambda module, inputs, output: torch.zeros_like(output))
    return silent


def _right_for_all(bert: Bert) -> tuple[Bert, list, list]:
    """Return a copy of a BERT with pairs that follow and pairs that do not, all of which it classifies correctly."""
    from bertlab.pooler.layer import next_sentence

    pairs: Pairs = [(short, long) for long, short in (sentences(2) for _ in range(60))]
    follows = next_sentence(bert, pairs)
    sure = deepcopy(bert)
    head: Any = sure.model.cls.seq_relationship
    with torch.no_grad():  # its yes begins at the middle one of these pairs, so that it says both yes and no
        head.bias[0] -= follows.median().logit()
    order = follows.argsort().tolist()
    return sure, [pairs[i] for i in order[-13:]], [pairs[i] for i in order[:11]]

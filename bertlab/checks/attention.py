"""The checks of lesson 4, Attention."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bertlab.attention.heads import measure_heads
from bertlab.bert.loading import Bert
from bertlab.checks.batch import Batch
from bertlab.checks.inputs import other_bert, sentences
from bertlab.checks.known import known
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge, once

Head = tuple[int, int]  # the number of its layer, and its own


def received(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 4.1, the weight that each token receives, against a sum written out cell by cell."""

    def truth(weights: Tensor) -> Tensor:
        rows = weights.tolist()
        return torch.tensor([sum(row[column] for row in rows) / len(rows) for column in range(len(rows))])

    # Of one BERT alone, which the answer's cell may have changed, they could all be nan.
    readings = [model.read(text) for model, text in zip((bert, other_bert(bert)), sentences(2), strict=True)]
    cases = [(reading.attention[layer, 0],) for reading in readings for layer in (0, -1)]
    praise = "your means equal a sum by hand, for four matrices. Over all tokens they add up to 1."
    return judge(known("4.1"), answer, cases, truth, praise)


def head_of_batch(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 4.2, one head's weights for a batch, against the model's own."""
    batch = once(Batch)

    def truth(bert: Bert, texts: list[str], layer: int, head: int) -> Tensor:
        return batch(bert, texts).attention[layer][:, head]

    def counts(bert: Bert, texts: list[str], *_: int) -> Tensor:
        # It does not matter where padding looks; an answer that reads each text alone has no such rows.
        return batch(bert, texts).mask == 1

    def by_the_model(words: set[str]) -> bool:
        read = bool(words & {"read", "read_all"}) and "attention" in words
        return bool(words & {"output_attentions", "attentions"}) or (read and "query" not in words)

    shortcuts = {"the model hands over its own weights: compute them from query and key.": by_the_model}
    texts, other = sentences(3), deepcopy(other_bert(bert))
    inside: Any = other.model.bert
    attention = inside.encoder.layer[0].attention.self
    with torch.no_grad():  # its last head looks for [PAD], and gives most others less than -10, which so hides nothing
        inside.embeddings.word_embeddings.weight[0] = 10 * attention.key.weight[-1]
        attention.query.bias[-1] += 8
        attention.key.bias[-1] -= 8
    cases = [(bert, texts[1:], bert.model.config.num_hidden_layers - 1, 1), (other, texts, 0, 2)]
    praise = (
        "your weights equal the model's own, for two padded batches and two models. (The rows of [PAD] were not "
        "compared: no token looks there.)"
    )
    return judge(known("4.2"), answer, cases, truth, praise, shortcuts=shortcuts, counts=counts)


def more_than_others(bert: Bert, texts: Sequence[str], answer: Callable) -> Outcome:
    """Check exercise 4.3, the effect of switching off a head compared with others, against zeros in the weights."""
    loss = once(_loss_without)

    def rises(bert: Bert, texts: list[str], head: Head, others: list[Head]) -> tuple[float, Tensor]:
        whole = loss(bert, texts)
        return loss(bert, texts, head) - whole, torch.tensor([loss(bert, texts, other) - whole for other in others])

    def truth(bert: Bert, texts: list[str], head: Head, others: list[Head]) -> Tensor:
        own, theirs = rises(bert, texts, head, others)
        return own - theirs.mean()

    previous = measure_heads(bert, texts, ["previous"]).nlargest(1, "previous")
    layer, number = int(previous["layer"].item()), int(previous["head"].item())
    beside = [(layer, head) for head in range(bert.model.config.num_attention_heads) if head != number][:2]
    own, other = sentences(3)[1:], other_bert(bert)
    cases = [
        (other, own, (5, 1), [(5, 0), (5, 2), (0, 0)]),
        (other, own, (5, 1), [(0, 0)]),
        (other, own, (0, 0), [(5, 1)]),  # one of the two is below zero
        (bert, list(texts), (layer, number), beside),
    ]

    def praise() -> str:
        rise, of_others = rises(*cases[-1])
        return (
            f"without head {number} of layer {layer}, which looks most at the previous piece, the loss changes by "
            f"{rise:+.2f}; without one of {len(beside)} others of its layer by {of_others.mean():+.2f} on average."
        )

    return judge(known("4.3"), answer, cases, truth, praise, atol=0.0002)  # small differences of losses near ten


def _loss_without(bert: Bert, texts: Sequence[str], *heads: Head) -> float:
    """Return the mean loss on each token, masked in turn, with zeros for some heads in the output projection."""
    model: Any = deepcopy(bert.model)
    size = model.config.hidden_size // model.config.num_attention_heads
    losses = []
    with torch.no_grad():
        for layer, head in heads:
            matrix = model.bert.encoder.layer[layer].attention.output.dense.weight
            matrix[:, head * size : (head + 1) * size] = 0
        for text in texts:
            ids = bert.tokenizer(text, return_tensors="pt")["input_ids"][0]
            places = torch.arange(1, len(ids) - 1)
            masked = ids.repeat(len(places), 1)
            masked[places - 1, places] = bert.tokenizer.mask_token_id
            hidden = model.bert(input_ids=masked.to(model.device)).last_hidden_state[places - 1, places]
            losses.append(cross_entropy(model.cls.predictions(hidden).cpu(), ids[places], reduction="none"))
    return float(torch.cat(losses).mean())

"""The checks of lesson 4, Attention."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bertlab.bert.loading import Bert
from bertlab.checks.batch import Batch
from bertlab.checks.inputs import other_bert, sentences
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge, once

Head = tuple[int, int]
"""The number of its layer, and its own."""


def received(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 4.1, the weight that each token receives, against a sum written out cell by cell."""

    def truth(weights: Tensor) -> Tensor:
        rows = weights.tolist()
        return torch.tensor([sum(row[column] for row in rows) / len(rows) for column in range(len(rows))])

    wrong = {
        "every token gets the same: the rows add up to one, so a mean over each row says nothing. Go over those who "
        "look, dim=0.": lambda weights: weights.mean(dim=-1),
        "these are the sums of the rows, all one: a row looks, a column is looked at.": lambda w: w.sum(dim=-1),
        "this is the sum over those who look; the mean divides by how many they are.": lambda w: w.sum(dim=0),
        "this is the weight that each token puts on itself.": lambda weights: weights.diagonal(),
        "this is the row of the first token alone: take the mean over all who look.": lambda weights: weights[0],
        "this is one number for the whole matrix; each token receives its own.": lambda weights: weights.mean(),
    }
    readings = [bert.read(text) for text in sentences(2)]
    cases = [(reading.attention[layer, 0],) for reading in readings for layer in (0, -1)]
    praise = "your means equal a sum by hand, for four matrices. Added up over the tokens they give 1."
    return judge(answer, cases, truth, wrong, praise)


def head_of_batch(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 4.2, one head's weights for a batch, against the model's own."""
    batch = once(Batch)

    def by_hand(
        divisor: Callable[[int, int], float] = lambda hidden, size: size**0.5,
        dim: int = -1,
        fill: float | None = float("-inf"),
        rows: bool = False,
        states: int = 0,
    ) -> Callable[..., Tensor]:
        """Return a way to the weights with one thing changed."""

        def weights(bert: Bert, texts: list[str], layer: int, head: int) -> Tensor:
            entering, mask = batch(bert, texts).hidden[layer + states], batch(bert, texts).mask
            encoder: Any = bert.model.bert.encoder
            attention = encoder.layer[layer].attention.self
            size = attention.attention_head_size
            features = slice(head * size, (head + 1) * size)
            query, key = attention.query(entering)[..., features], attention.key(entering)[..., features]
            scores = query @ key.transpose(1, 2) / divisor(bert.model.config.hidden_size, size)
            padding = (mask if rows else mask.transpose(1, 2)) == 0
            return torch.softmax(scores if fill is None else scores.masked_fill(padding, fill), dim=dim)

        return weights

    def root_of_hidden(hidden: int, size: int) -> float:
        return hidden**0.5

    wrong = {
        "the scores are divided by √hidden; a head is smaller: divide by the root of its size.": by_hand(
            root_of_hidden
        ),
        "the scores are not divided by the root of the head's size.": by_hand(lambda *_: 1),
        "the scores are divided by the head's size; divide by its root.": by_hand(lambda hidden, size: size),
        "the mask is forgotten: [PAD] receives weight. Set its columns to -inf before softmax.": by_hand(fill=None),
        "both: the mask is forgotten, and the scores are divided by √hidden.": by_hand(root_of_hidden, fill=None),
        "softmax goes over those who look; each row has to add up to one: dim=-1.": by_hand(dim=1),
        "the columns of the filling are set to 0 before softmax, and e to the power 0 is 1: take -inf.": by_hand(
            fill=0
        ),
        "that is made from what leaves the layer, hidden_states[layer + 1]; what enters it is hidden_states[layer].": (
            by_hand(states=1)
        ),
        "the mask hides those who look; hide those who are looked at, the columns.": by_hand(rows=True),
    }

    def by_the_model(words: set[str]) -> bool:
        by_hand = words & {"query", "head_weights"}
        return bool(words & {"output_attentions", "attentions"} or ({"read", "attention"} <= words and not by_hand))

    shortcuts = {
        "the model hands over its own weights. Compute them from query and key, as the exercise says.": by_the_model
    }
    texts, other = sentences(3), other_bert(bert)
    return judge(
        answer,
        [(bert, texts, 0, 1), (other, texts[1:], other.model.config.num_hidden_layers - 1, 2)],
        lambda bert, texts, layer, head: batch(bert, texts).attention[layer][:, head],
        wrong,
        "your weights equal the model's own, for two padded batches and two models.",
        shortcuts=shortcuts,
        # A token of the filling looks nowhere that matters; who reads each text alone has no such rows.
        counts=lambda bert, texts, *_: batch(bert, texts).mask == 1,
    )


def more_than_others(bert: Bert, texts: Sequence[str], answer: Callable) -> Outcome:
    """Check exercise 4.3, what switching a head off does beyond other heads, against zeros in the weights."""
    loss = once(_loss_without)

    def of(what: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
        """Return a function of the rises of the loss without the head and without each of the others."""

        def value(bert: Bert, texts: list[str], head: Head, others: list[Head]) -> Tensor:
            own, *rises = (loss(bert, texts, switched_off) - loss(bert, texts) for switched_off in (head, *others))
            return what(torch.tensor(own), torch.tensor(rises))

        return value

    wrong = {
        "there is no control: the mean rise without the others is not taken away.": of(lambda own, others: own),
        "it is the other way round: the head's own rise comes first.": of(lambda own, others: others.mean() - own),
        "this is the mean rise without the others alone.": of(lambda own, others: others.mean()),
        "this is the loss without the head, and not how much it rose.": (
            lambda bert, texts, head, others: loss(bert, texts, head)
        ),
        "the others were switched off all at once: switch each off alone, and take the mean.": (
            lambda bert, texts, head, others: loss(bert, texts, head) - loss(bert, texts, *others)
        ),
        "only one of the others is compared with: take the mean over all of them.": of(
            lambda own, others: own - others[0]
        ),
        "the head itself is counted among the others.": of(
            lambda own, others: own - torch.cat([own[None], others]).mean()
        ),
        "the others are added up: the mean divides by how many they are.": of(lambda own, others: own - others.sum()),
    }
    truth = of(lambda own, others: own - others.mean())
    heads, last = bert.model.config.num_attention_heads, bert.model.config.num_hidden_layers - 1
    own = sentences(3)[1:]
    cases = [
        (bert, list(texts), (0, 0), [(0, head) for head in range(1, min(heads, 4))]),
        (bert, own, (last, 1), [(last, 0), (0, 0)]),
        (other_bert(bert), own, (5, 1), [(5, 0), (5, 2), (0, 0)]),
    ]

    def praise() -> str:
        more = float(truth(*cases[0]))
        return f"the loss rises by {more:.3f} more without head 0 of layer 0 than without the heads beside it."

    return judge(answer, cases, truth, wrong, praise, atol=2e-4)  # small differences of losses near ten


def _loss_without(bert: Bert, texts: Sequence[str], *heads: Head) -> float:
    """Return the mean loss of every token behind [MASK], with zeros for some heads in the output projection."""
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

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
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import judge, once

Head = tuple[int, int]  # the number of its layer, and its own


def received(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 4.1, the weight that each token receives, against a sum written out cell by cell."""

    def truth(weights: Tensor) -> Tensor:
        rows = weights.tolist()
        return torch.tensor([sum(row[column] for row in rows) / len(rows) for column in range(len(rows))])

    def without_itself(weights: Tensor) -> Tensor:
        return (weights.sum(dim=0) - weights.diagonal()) / (len(weights) - 1)

    def wrong(weights: Tensor) -> dict[str, Any]:
        return {
            "every token gets the same, because a row adds up to one: average over dim=0.": weights.mean(dim=-1),
            "these are the sums of the rows, all one: a row looks, and a column is looked at.": weights.sum(dim=-1),
            "this is the sum over the tokens that look: divide by how many there are.": weights.sum(dim=0),
            "you divide by one less: divide by how many tokens look.": weights.sum(dim=0) / (len(weights) - 1),
            "the token itself is left out, but it looks, too: take the mean over all rows.": without_itself(weights),
            "this is the first column, what the first token receives: go down all columns.": weights[:, 0],
            "this is the largest weight that each token receives: take the mean.": weights.amax(dim=0),
            "this is the weight that each token puts on itself: go down the whole column.": weights.diagonal(),
            "this is the row of the first token alone: take the mean over all rows.": weights[0],
            "this is one number for the whole matrix: return one number per token.": weights.mean(),
        }

    # Of one BERT alone, which the answer's cell may have changed, they could all be nan.
    readings = [model.read(text) for model, text in zip((bert, other_bert(bert)), sentences(2), strict=True)]
    cases = [(reading.attention[layer, 0],) for reading in readings for layer in (0, -1)]
    praise = "your means equal a sum by hand, for four matrices. Over all tokens they add up to 1."
    return judge(answer, cases, truth, wrong, praise)


def head_of_batch(bert: Bert, answer: Callable) -> Outcome:
    """Check exercise 4.2, one head's weights for a batch, against the model's own."""
    batch = once(Batch)

    def truth(bert: Bert, texts: list[str], layer: int, head: int) -> Tensor:
        return batch(bert, texts).attention[layer][:, head]

    def counts(bert: Bert, texts: list[str], *_: int) -> Tensor:
        # It does not matter where padding looks; an answer that reads each text alone has no such rows.
        return batch(bert, texts).mask == 1

    def wrong(bert: Bert, texts: list[str], layer: int, head: int) -> dict[str, Any]:
        hidden, mask = batch(bert, texts).hidden, batch(bert, texts).mask
        encoder: Any = bert.model.bert.encoder
        attention = encoder.layer[layer].attention.self
        size, root = attention.attention_head_size, attention.attention_head_size**0.5
        own, layer_before = slice(head * size, (head + 1) * size), encoder.layer[layer - 1].attention.self
        padding = mask.transpose(1, 2) == 0

        def scores(entering: Tensor, features: slice = own, attention: Any = attention) -> Tensor:
            query, key = attention.query(entering)[..., features], attention.key(entering)[..., features]
            return query @ key.transpose(1, 2)

        def weights(scores: Tensor, filling: Tensor = padding, fill: float = float("-inf"), dim: int = -1) -> Tensor:
            return scores.masked_fill(filling, fill).softmax(dim=dim)

        right, of_leaving = scores(hidden[layer]), scores(hidden[layer + 1])
        ids = batch(bert, texts).inputs["input_ids"]
        unmasked = bert.model.bert(ids, output_hidden_states=True).hidden_states[layer]
        heads, root_of_hidden = bert.model.config.num_attention_heads, bert.model.config.hidden_size**0.5
        over_hidden, of_all = right / root_of_hidden, scores(hidden[layer], slice(None))
        return {
            "the scores are divided by √hidden: a head is smaller; take the root of its size.": weights(over_hidden),
            "the scores are not divided: divide by the root of the head's size.": weights(right),
            "the scores are divided by the head's size: divide by its root.": weights(right / size),
            "the mask is forgotten: set the columns of [PAD] to -inf before softmax.": (right / root).softmax(dim=-1),
            "both: the mask is forgotten, and the scores are divided by √hidden.": over_hidden.softmax(dim=-1),
            "the mask comes after softmax, and rows no longer add up to one: take -inf before.": (
                (right / root).softmax(dim=-1).masked_fill(padding, 0)
            ),
            "query and key are swapped: the row is the token that looks, by its query.": (
                weights(right.transpose(1, 2) / root)
            ),
            "the model was not given the mask: give it all inputs, or earlier layers look at [PAD].": (
                weights(scores(unmasked) / root)
            ),
            "softmax goes over the tokens that look: each row adds up to one; take dim=-1.": (
                weights(right / root, dim=1)
            ),
            "[PAD] is set to 0 before softmax, but e to the power 0 is 1: take -inf.": weights(right / root, fill=0),
            "[PAD] is set to -1 before softmax, and e to that is 0.37: take -inf.": weights(right / root, fill=-1),
            "this is made from what leaves the layer: hidden_states[layer] enters it.": weights(of_leaving / root),
            "this is the previous layer: layers are counted from 0; take layer, not layer - 1.": (
                weights(scores(hidden[layer], attention=layer_before) / root),
                weights(scores(hidden[layer - 1], attention=layer_before) / root),
            ),
            "query and key are of all heads: take this head's features, head * size to (head + 1) * size.": (
                weights(of_all / root),
                weights(of_all / root_of_hidden),
            ),
            "a head's features are side by side: take head * size to (head + 1) * size.": (
                weights(scores(hidden[layer], slice(head, None, heads)) / root)
            ),
            "these are scores: turn them into weights with softmax.": (
                (right / root).masked_fill(padding, float("-inf")),
                right / root,
                right,
            ),
            "the mask hides the tokens that look: hide those looked at, the columns.": weights(right / root, mask == 0),
        }

    def by_the_model(words: set[str]) -> bool:
        read = bool(words & {"read", "read_all"}) and "attention" in words
        return bool(words & {"output_attentions", "attentions"}) or (read and not words & {"query", "head_weights"})

    shortcuts = {
        "the model hands over its own weights: compute them from query and key.": by_the_model,
        "head_weights computes them text by text: compute the batch from query and key.": lambda words: (
            "head_weights" in words
        ),
    }
    texts, other = sentences(3), other_bert(bert)
    cases = [(bert, texts, 0, 1), (other, texts[1:], other.model.config.num_hidden_layers - 1, 2)]
    praise = (
        "your weights equal the model's own, for two padded batches and two models. (The rows of [PAD] were not "
        "compared: no token looks there.)"
    )
    return judge(answer, cases, truth, wrong, praise, shortcuts=shortcuts, counts=counts)


def more_than_others(bert: Bert, texts: Sequence[str], answer: Callable) -> Outcome:
    """Check exercise 4.3, the effect of switching off a head compared with others, against zeros in the weights."""
    loss = once(_loss_without)

    def rises(bert: Bert, texts: list[str], head: Head, others: list[Head]) -> tuple[float, Tensor]:
        whole = loss(bert, texts)
        return loss(bert, texts, head) - whole, torch.tensor([loss(bert, texts, other) - whole for other in others])

    def truth(bert: Bert, texts: list[str], head: Head, others: list[Head]) -> Tensor:
        own, theirs = rises(bert, texts, head, others)
        return own - theirs.mean()

    def wrong(bert: Bert, texts: list[str], head: Head, others: list[Head]) -> dict[str, Any]:
        own, theirs = rises(bert, texts, head, others)
        without = loss(bert, texts, head)
        return {
            "there is no control: subtract the mean rise without the others.": own,
            "it is the other way round: subtract the others from the head's own rise.": theirs.mean() - own,
            "this is the mean rise without the others alone: subtract it from the head's own rise.": theirs.mean(),
            "this is the loss without the head: return how much more it rises.": without,
            "the others were switched off all at once: switch each off alone.": without - loss(bert, texts, *others),
            "only one of the others is compared with: take the mean over all of them.": own - theirs[0],
            "this compares with the largest rise of the others: take their mean.": own - theirs.max(),
            "this compares with the median of the others: take their mean.": own - theirs.quantile(0.5),
            "the sign is gone: if the others are missed more, the result is below zero.": (own - theirs.mean()).abs(),
            "the head itself is among the others: leave it out.": own - (own + theirs.sum()) / (1 + len(others)),
            "the others are added up: divide by how many there are.": own - theirs.sum(),
        }

    previous = measure_heads(bert, texts, ["previous"]).nlargest(1, "previous")
    layer, number = int(previous["layer"].item()), int(previous["head"].item())
    beside = [(layer, head) for head in range(bert.model.config.num_attention_heads) if head != number][:4]
    own, other = sentences(3)[1:], other_bert(bert)
    cases = [
        (bert, list(texts), (layer, number), beside),
        (other, own, (5, 1), [(5, 0), (5, 2), (0, 0)]),
        (other, own, (5, 1), [(0, 0)]),
        (other, own, (0, 0), [(5, 1)]),  # one of the two is below zero
    ]

    def praise() -> str:
        rise, of_others = rises(*cases[0])
        return (
            f"without head {number} of layer {layer}, which looks most at the previous piece, the loss changes by "
            f"{rise:+.2f}; without one of {len(beside)} others of its layer by {of_others.mean():+.2f} on average."
        )

    return judge(answer, cases, truth, wrong, praise, atol=2e-4)  # small differences of losses near ten


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

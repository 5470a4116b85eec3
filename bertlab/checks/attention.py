"""The checks of lesson 4, Attention."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor

from bertlab.attention.layer import layer_of
from bertlab.bert.loading import Bert
from bertlab.checks.inputs import copied, other_bert, sentences
from bertlab.checks.outcome import Outcome
from bertlab.checks.runner import Shortcut, Slip, judge, once


def received(bert: Bert, answer: Callable[[Tensor], Tensor | None]) -> Outcome:
    """Check exercise 4.1, the weight that each token receives, against a sum written out cell by cell.

    Parameters
    ----------
    bert
    answer
        Takes one head's weights, (tokens, tokens); returns (tokens,).

    Returns
    -------
    Outcome
    """
    readings = [bert.read(text) for text in sentences(2)]
    cases = [(reading.attention[layer, 0],) for reading in readings for layer in (0, -1)]

    def truth(weights: Tensor) -> Tensor:
        rows = weights.tolist()
        return torch.tensor([sum(row[column] for row in rows) / len(rows) for column in range(len(rows))])

    return judge(
        answer,
        cases,
        truth,
        [
            Slip(
                "every token gets the same: the rows add up to one, so a mean over each row says nothing. Go over "
                "those who look, dim=0.",
                lambda weights: weights.mean(dim=-1),
            ),
            Slip(
                "these are the sums of the rows, all one: a row looks, a column is looked at.", lambda w: w.sum(dim=-1)
            ),
            Slip("this is the sum over those who look; the mean divides by how many they are.", lambda w: w.sum(dim=0)),
            Slip("this is the weight that each token puts on itself.", lambda weights: weights.diagonal()),
            Slip("this is the row of the first token alone: take the mean over all who look.", lambda w: w[0]),
            Slip("this is one number for the whole matrix; each token receives its own.", lambda w: w.mean()),
            Slip(
                "this is the largest weight a token receives from any one; the mean is asked for.", lambda w: w.amax(0)
            ),
        ],
        "your means equal a sum by hand, for four matrices. Added up over the tokens they give 1.",
    )


def head_of_batch(bert: Bert, answer: Callable[[Bert, list[str], int, int], Tensor | None]) -> Outcome:
    """Check exercise 4.2, one head's weights for a batch, against the model's own.

    Parameters
    ----------
    bert
    answer
        Takes bert, a list of texts, a layer and a head; returns (texts, tokens, tokens).

    Returns
    -------
    Outcome
    """

    def encoded(bert: Bert, texts: list[str]) -> dict[str, Tensor]:
        return dict(bert.tokenizer(texts, padding=True, return_tensors="pt").to(bert.model.device))

    def head_size(bert: Bert) -> int:
        return bert.model.config.hidden_size // bert.model.config.num_attention_heads

    def scores(bert: Bert, texts: list[str], layer: int, head: int, after: int = 0) -> tuple[Tensor, Tensor]:
        """Return the dot products of one head, (texts, tokens, tokens), and the mask, (texts, 1, tokens)."""
        inputs = encoded(bert, texts)
        entering = bert.model.bert(**inputs, output_hidden_states=True).hidden_states[layer + after]
        attention = layer_of(bert, layer).attention.self
        features = slice(head * head_size(bert), (head + 1) * head_size(bert))
        query, key = attention.query(entering)[..., features], attention.key(entering)[..., features]
        return query @ key.transpose(1, 2), inputs["attention_mask"][:, None, :] == 0

    def variant(
        divisor: Callable[[Bert], float] = lambda b: head_size(b) ** 0.5,
        dim: int = -1,
        mask: float | None = float("-inf"),
        rows: bool = False,
        after: int = 0,
    ) -> Callable[[Bert, list[str], int, int], Tensor]:
        """Return a way to the weights with one thing changed."""

        def weights(bert: Bert, texts: list[str], layer: int, head: int) -> Tensor:
            products, filling = scores(bert, texts, layer, head, after)
            products, filling = products / divisor(bert), filling.transpose(1, 2) if rows else filling
            return torch.softmax(products if mask is None else products.masked_fill(filling, mask), dim=dim)

        return weights

    def root_of_hidden(bert: Bert) -> float:
        return bert.model.config.hidden_size**0.5

    texts = sentences(3)
    hidden_rows = "the mask hides those who look; hide those who are looked at, the columns."
    return judge(
        answer,
        [(bert, texts, 0, 1), (other_bert(bert), texts[1:], other_bert(bert).model.config.num_hidden_layers - 1, 2)],
        lambda bert, texts, layer, head: bert.model.bert(**encoded(bert, texts), output_attentions=True).attentions[
            layer
        ][:, head],
        [
            Slip(
                "the scores are divided by √hidden; a head is smaller: divide by the root of its size.",
                variant(root_of_hidden),
            ),
            Slip("the scores are not divided by the root of the head's size.", variant(lambda b: 1)),
            Slip("the scores are divided by the head's size; divide by its root.", variant(head_size)),
            Slip(
                "the mask is forgotten: [PAD] receives weight. Set its columns to -inf before softmax.",
                variant(mask=None),
            ),
            Slip(
                "both: the mask is forgotten, and the scores are divided by √hidden.",
                variant(root_of_hidden, mask=None),
            ),
            Slip("softmax goes over those who look; each row has to add up to one: dim=-1.", variant(dim=1)),
            Slip("softmax goes over the texts of the batch; each row has to add up to one: dim=-1.", variant(dim=0)),
            Slip(
                "the columns of the filling are set to 0 before softmax, and e to the power 0 is 1: take -inf.",
                variant(mask=0.0),
            ),
            Slip(
                "that is made from what leaves the layer, hidden_states[layer + 1]; what enters it is "
                "hidden_states[layer].",
                variant(after=1),
            ),
            Slip(hidden_rows, variant(rows=True)),
            Slip(hidden_rows, variant(rows=True, mask=-1e9)),
        ],
        "your weights equal the model's own, for two padded batches and two models.",
        shortcuts=[
            Shortcut(
                "the model hands over its own weights. Compute them from query and key, as the exercise says.",
                _asks_for_weights,
            )
        ],
        # A token of the filling looks nowhere that matters; who reads each text alone has no such rows.
        counts=lambda bert, texts, *_: encoded(bert, texts)["attention_mask"][:, :, None] == 1,
    )


def _asks_for_weights(words: set[str]) -> bool:
    """Return whether the model's own weights are taken instead of computed."""
    by_hand = words & {"query", "head_weights"}
    return bool(words & {"output_attentions", "attentions"} or ({"read", "attention"} <= words and not by_hand))


def more_than_others(
    bert: Bert,
    texts: Sequence[str],
    answer: Callable[[Bert, Sequence[str], tuple[int, int], list[tuple[int, int]]], float | None],
) -> Outcome:
    """Check exercise 4.3, what switching a head off does beyond other heads, against zeros in the weights themselves.

    Parameters
    ----------
    bert
    texts
    answer
        Takes bert, texts, a pair of layer and head, and a list of others; returns one number.

    Returns
    -------
    Outcome
    """
    heads, last = bert.model.config.num_attention_heads, bert.model.config.num_hidden_layers - 1
    own, other = sentences(3), other_bert(bert)
    cases = [
        (bert, list(texts), (0, 0), [(0, head) for head in range(1, min(heads, 4))]),
        (bert, own[1:], (last, 1), [(last, 0), (0, 0)]),
        (other, own[1:], (5, 1), [(5, 0), (5, 2), (0, 0)]),
    ]
    losses = once(lambda bert, texts: _with_zeroed_weights(copied(bert), texts))

    def right(bert: Bert, texts: Sequence[str], head: tuple[int, int], others: list[tuple[int, int]]) -> Tensor:
        loss = losses(bert, texts)
        return torch.tensor(loss(head) - sum(map(loss, others)) / len(others))

    def change(bert: Bert, texts: Sequence[str], *heads: tuple[int, int]) -> Tensor:
        loss = losses(bert, texts)
        return torch.tensor([loss(head) - loss() for head in heads])

    return judge(
        answer,
        cases,
        right,
        [
            Slip(
                "there is no control: the mean rise without the others is not taken away.",
                lambda b, t, head, o: change(b, t, head)[0],
            ),
            Slip(
                "it is the other way round: the head's own rise comes first.",
                lambda b, t, head, o: change(b, t, *o).mean() - change(b, t, head)[0],
            ),
            Slip("this is the mean rise without the others alone.", lambda b, t, head, o: change(b, t, *o).mean()),
            Slip(
                "this is the loss without the head, and not how much it rose.",
                lambda b, t, head, o: losses(b, t)(head),
            ),
            Slip(
                "the others were switched off all at once: switch each off alone, and take the mean.",
                lambda b, t, head, o: torch.tensor(losses(b, t)(head) - losses(b, t)(*o)),
            ),
            Slip(
                "only one of the others is compared with: take the mean over all of them.",
                lambda b, t, head, o: change(b, t, head)[0] - change(b, t, o[0])[0],
            ),
            Slip(
                "the head itself is counted among the others.",
                lambda b, t, head, o: change(b, t, head)[0] - change(b, t, head, *o).mean(),
            ),
            Slip(
                "the others are added up: the mean divides by how many they are.",
                lambda b, t, head, o: change(b, t, head)[0] - change(b, t, *o).sum(),
            ),
        ],
        lambda: (
            f"the loss rises by {float(right(*cases[0])):.3f} more without head 0 of layer 0 than without the heads "
            "beside it."
        ),
        atol=2e-4,  # small differences of losses near ten
    )


def _with_zeroed_weights(bert: Bert, texts: Sequence[str]) -> Callable[..., float]:
    """Return a function that gives the loss without one head or several, or that of the whole model, in another way.

    Here there are zeros in the output projection, so it takes a copy of the model. What was asked for is kept.
    """
    predictions: Any = bert.model.cls.predictions
    size = bert.model.config.hidden_size // bert.model.config.num_attention_heads

    def mean_loss() -> float:
        total, count = 0.0, 0
        for text in texts:
            ids = bert.tokenizer(text, return_tensors="pt")["input_ids"][0]
            places = range(1, len(ids) - 1)
            copies = ids.repeat(len(places), 1)
            for row, place in enumerate(places):
                copies[row, place] = bert.tokenizer.mask_token_id
            with torch.no_grad():
                hidden = bert.model.bert(input_ids=copies.to(bert.model.device)).last_hidden_state
                scores = predictions(hidden[range(len(places)), places]).cpu()
            total += float(torch.nn.functional.cross_entropy(scores, ids[1:-1], reduction="sum"))
            count += len(places)
        return total / count

    @cache
    def without(*heads: tuple[int, int]) -> float:
        matrices = {layer: layer_of(bert, layer).attention.output.dense.weight for layer, _ in heads}
        before = {layer: matrix.detach().clone() for layer, matrix in matrices.items()}
        with torch.no_grad():
            for layer, number in heads:
                matrices[layer][:, number * size : (number + 1) * size] = 0
        try:
            return mean_loss()
        finally:
            with torch.no_grad():
                for layer, matrix in matrices.items():
                    matrix.copy_(before[layer])

    return without

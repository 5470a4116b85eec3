"""Take something away and see what changes: a word, or a head (lesson 4)."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bertlab.attention.layer import features_of, layer_of
from bertlab.bert.arguments import require_groups, require_list, require_pairs
from bertlab.bert.masked_texts import MaskedText, last_vectors, masked_texts, sample
from bertlab.bert.texts import Text
from bertlab.evidence.intervals import Interval, interval, ratio

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert

BATCH = 128  # texts of one length that go through the model together


@contextmanager
def without_heads(bert: "Bert", heads: Iterable[tuple[int, int]]) -> Iterator[None]:
    """Switch heads off inside a ``with`` block: zeros take the place of what they make (Michel et al. 2019).

    `heads` are pairs of layer and head, counted from 0; an `IndexError` if the model has no such layer or head. Their
    weights still stand in readings. After the block, and after an error in it, all is as before.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> with without_heads(bert, [(0, 1), (2, 5)]):
    ...     reading = bert.read("The cat sat.")
    >>> torch.equal(reading.hidden[-1], bert.read("The cat sat.").hidden[-1])
    False
    """
    parts = [
        (layer_of(bert, layer).attention.output.dense, features_of(bert, head))
        for layer, head in require_pairs(heads=heads)
    ]
    handles = [dense.register_forward_pre_hook(partial(_silence, features=features)) for dense, features in parts]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def masking_effect(bert: "Bert", text: str, pair: str | None = None) -> Tensor:
    """Return how far each token's last vector moves when one piece of the text is replaced by [MASK].

    The distances (Euclidean) are (tokens, tokens): the row moves, the column is masked. They are not a number on the
    diagonal and in the columns of [CLS] and [SEP], which are not masked.

    Examples
    --------
    >>> import bertlab
    >>> masking_effect(bertlab.load("bertlab-mini"), "The cat sat.").shape
    torch.Size([6, 6])
    """
    whole = bert.read(text, pair)
    copies = masked_texts(bert, whole.ids, whole.segments)
    if len(copies) < 2:
        raise ValueError("This text is one piece, beside which no other can be masked. Give two words or more.")
    tokens = len(whole.ids)
    effect = torch.full((tokens, tokens), torch.nan)
    before, *after = last_vectors(bert, [whole, *copies], batch_size=64)  # the text goes along with its copies
    for copy, vectors in zip(copies, after, strict=True):
        effect[:, copy.place] = (vectors - before).norm(dim=-1).cpu()
    return effect.fill_diagonal_(torch.nan)


def change_of_loss(
    bert: "Bert",
    texts: Sequence[Text],
    heads: Iterable[tuple[int, int]] | None = None,
    *,
    groups: Sequence[Hashable] | None = None,
    instead: Tensor | None = None,
    progress: Callable[[list], Iterable] = iter,
) -> pd.DataFrame:
    """Return how much the loss on hidden pieces rises when one head is switched off, head by head.

    Each piece of each text is [MASK] in its turn.

    Parameters
    ----------
    heads
        Pairs of layer and head, by default all.
    groups
        Which texts belong together, such as the sentences of one page; by default each stands alone.
    instead
        What takes the place of what a head makes, (layers, hidden), such as means over many tokens; by default zeros.
    progress
        Takes the batches and yields them again, as ``tqdm.tqdm`` does.

    Returns
    -------
    pandas.DataFrame
        One row per head, in the order of `heads`: the mean ``loss`` without it, in nats; its ``change`` from the whole
        model's; ``ahead``, by how much that is more than the change for the head that is missed next. ``low`` and
        ``high``, ``ahead low`` and ``ahead high`` are 95 % intervals, by drawing texts, or groups, again.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> change_of_loss(bert, ["The cat sat.", "It rained."], [(0, 3)]).columns.tolist()
    ['layer', 'head', 'loss', 'change', 'low', 'high', 'ahead', 'ahead low', 'ahead high']
    """
    config = bert.model.config
    if heads is None:
        layers = range(config.num_hidden_layers)
        heads = [(layer, head) for layer in layers for head in range(config.num_attention_heads)]
    pairs, texts = require_pairs(heads=heads), require_list(texts=texts)
    groups = range(len(texts)) if groups is None else require_groups(groups, texts=texts)
    copies = sample(bert, texts)
    by_length = pd.Series(range(len(copies))).groupby([len(copy.ids) for copy in copies])  # so nothing is filled up
    batches = [numbers[i : i + BATCH] for _, numbers in by_length for i in range(0, len(numbers), BATCH)]
    losses = np.full((1 + len(pairs), len(copies)), np.nan)
    for numbers in progress(batches):
        losses[:, numbers] = _losses(bert, [copies[i] for i in numbers], pairs, instead)
    whole, without = losses[0], losses[1:]
    of_copy = [groups[copy.number] for copy in copies]

    def by_text(change: np.ndarray) -> Interval:
        grouped = pd.Series(change).groupby(of_copy)
        return interval(grouped.sum(), grouped.count(), statistic=ratio)

    order = sorted(range(len(pairs)), key=lambda i: -without[i].mean())  # those that are missed most first
    ahead = {i: by_text(without[i] - without[j]) for i, j in pairwise(order)}
    last = Interval(np.nan, np.nan, np.nan)
    rows = [
        (*pairs[i], without[i].mean(), *by_text(without[i] - whole), *ahead.get(i, last)) for i in range(len(pairs))
    ]
    names = ["layer", "head", "loss", "change", "low", "high", "ahead", "ahead low", "ahead high"]
    return pd.DataFrame(rows, columns=names)


def _losses(
    bert: "Bert", copies: Sequence[MaskedText], heads: Sequence[tuple[int, int]], instead: Tensor | None
) -> np.ndarray:
    """Return the losses of copies of one length with all heads, and then without each of some, (1 + heads, copies).

    Up to a head's layer nothing changes without it, and after the last layer's attention only the hidden piece counts:
    that saves more than half of the work.
    """
    bert.require("masked-word head")
    encoder, predictions = bert.model.bert.encoder, bert.model.cls.predictions
    blocks: Any = list(encoder.layer)
    ids, segments = torch.stack([copy.ids for copy in copies]), torch.stack([copy.segments for copy in copies])
    answers = torch.tensor([copy.answer for copy in copies], device=bert.model.device)
    rows, places = range(len(copies)), [copy.place for copy in copies]

    def loss(joined: Tensor, layer: int) -> np.ndarray:  # of what the heads of a layer make
        attended = blocks[layer].attention.output(joined, entering[layer])
        for block, following in pairwise(blocks[layer:]):
            attended = following.attention(block.output(block.intermediate(attended), attended))[0]
        asked = attended[rows, places]  # (copies, hidden)
        last = blocks[-1].output(blocks[-1].intermediate(asked), asked)
        return cross_entropy(predictions(last), answers, reduction="none").cpu().numpy()

    with torch.no_grad():
        run = bert.model.bert(
            ids.to(bert.model.device), token_type_ids=segments.to(bert.model.device), output_hidden_states=True
        )
        entering = run.hidden_states[:-1]  # what enters each layer
        made = [block.attention.self(hidden)[0] for block, hidden in zip(blocks, entering, strict=True)]
        losses = [loss(made[-1], -1)]
        for layer, head in heads:
            features = features_of(bert, head)
            (joined,) = _silence(None, (made[layer],), features)
            if instead is not None:
                joined[..., features] = instead[layer, features]
            losses.append(loss(joined, layer))
    return np.array(losses)


def _silence(_module: Any, inputs: tuple[Tensor, ...], features: slice) -> tuple[Tensor, ...]:
    """Put zeros for one head's features into what enters the output projection."""
    joined = inputs[0].clone()
    joined[..., features] = 0
    return (joined, *inputs[1:])

"""Switch heads off, and measure what changes (lesson 4)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bertlab.arguments import Some, guarded
from bertlab.attention.layer import features_of, layer_of
from bertlab.bert.loading import Bert
from bertlab.bert.masked_texts import MaskedText, masked_copies
from bertlab.bert.texts import Text

BATCH = 128  # texts of one length that go through the model together


@guarded
@contextmanager
def without_heads(bert: Bert, heads: Iterable[tuple[int, int]]) -> Iterator[None]:
    """Switch heads off inside a ``with`` block (Michel et al. 2019).

    The output projection reads zeros in their place; readings still contain the attention weights of these heads. A
    layer or head that the model lacks is an `IndexError`.

    Parameters
    ----------
    bert : Bert
        The model whose heads are switched off, until the block ends.
    heads : list of (int, int)
        Pairs of layer and head, counted from 0.

    Returns
    -------
    context manager
        For a ``with`` statement.

    Examples
    --------
    >>> bert = bertlab.load("bertlab-mini")
    >>> with without_heads(bert, [(0, 1), (2, 5)]):
    ...     reading = bert.read("The cat sat.")
    """
    parts = [(layer_of(bert, layer).attention.output.dense.weight, features_of(bert, head)) for layer, head in heads]
    before = deepcopy(parts)
    try:
        with torch.no_grad():
            for weight, columns in parts:
                weight[:, columns] = 0
        yield
    finally:
        with torch.no_grad():
            for (weight, columns), (kept, _) in zip(parts, before, strict=True):
                weight[:, columns] = kept[:, columns]


@guarded
def change_of_loss(
    bert: Bert,
    texts: Some[Text],
    heads: Iterable[tuple[int, int]] | None = None,
    *,
    progress: Callable[[list], Iterable] = iter,
) -> pd.DataFrame:
    """Return how much the loss on masked pieces rises when each head is switched off (Michel et al. 2019).

    A head that the model lacks is an `IndexError`, a text without a piece to mask a `ValueError`.

    Parameters
    ----------
    bert : Bert
        The model whose heads are switched off.
    texts : list of str or of (str, str)
        Sentences, or pairs of sentences; each piece is masked once.
    heads : list of (int, int), optional
        Pairs of layer and head, by default all.
    progress : callable
        Takes the batches and yields them again, as ``tqdm.tqdm`` does.

    Returns
    -------
    pandas.DataFrame
        One row per head: the mean ``loss`` without it, in nats, and its ``change`` from that of the whole model.

    Examples
    --------
    >>> change_of_loss(bertlab.load("bertlab-mini"), ["The cat sat.", "It rained."], [(0, 3)])["change"].shape
    (1,)
    """
    config = bert.model.config
    if heads is None:
        heads = product(range(config.num_hidden_layers), range(config.num_attention_heads))
    pairs = list(heads)
    for layer, head in pairs:
        layer_of(bert, layer), features_of(bert, head)  # refuse one that is not there
    copies = masked_copies(bert, texts)
    by_length = pd.Series(range(len(copies))).groupby([len(copy.ids) for copy in copies])  # so nothing is padded
    batches = [numbers[i : i + BATCH] for _, numbers in by_length for i in range(0, len(numbers), BATCH)]
    losses = np.full((1 + len(pairs), len(copies)), np.nan)
    for numbers in progress(batches):
        losses[:, numbers] = _losses(bert, [copies[i] for i in numbers], pairs)
    whole, *without = losses.mean(axis=1)
    rows = [(*pair, loss, loss - whole) for pair, loss in zip(pairs, without, strict=True)]
    return pd.DataFrame(rows, columns=["layer", "head", "loss", "change"])


def _losses(bert: Bert, copies: Sequence[MaskedText], heads: Sequence[tuple[int, int]]) -> np.ndarray:
    """Return the losses of copies of one length with all heads, then without each head, (1 + heads, copies)."""
    bert.require("masked-word head")
    encoder, predictions = bert.model.bert.encoder, bert.model.cls.predictions
    blocks: Any = list(encoder.layer)
    ids, segments = torch.stack([copy.ids for copy in copies]), torch.stack([copy.segments for copy in copies])
    answers = torch.tensor([copy.answer for copy in copies], device=bert.model.device)
    rows, places = range(len(copies)), [copy.place for copy in copies]

    def loss(joined: Tensor, layer: int) -> np.ndarray:  # from the joined outputs of a layer's heads
        attended = blocks[layer].attention.output(joined, inputs[layer])
        for block, following in pairwise(blocks[layer:]):
            attended = following.attention(block.output(block.intermediate(attended), attended))[0]
        masked = attended[rows, places]  # (copies, hidden)
        last = blocks[-1].output(blocks[-1].intermediate(masked), masked)
        return cross_entropy(predictions(last), answers, reduction="none").cpu().numpy()

    with torch.no_grad():
        output = bert.model.bert(
            ids.to(bert.model.device), token_type_ids=segments.to(bert.model.device), output_hidden_states=True
        )
        inputs = output.hidden_states[:-1]  # of each layer
        joined = [block.attention.self(hidden)[0] for block, hidden in zip(blocks, inputs, strict=True)]
        losses = [loss(joined[-1], -1)]
        for layer, head in heads:
            silenced = deepcopy(joined[layer])
            silenced[..., features_of(bert, head)] = 0
            losses.append(loss(silenced, layer))
    return np.array(losses)

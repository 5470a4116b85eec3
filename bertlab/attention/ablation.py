"""Remove a word or a head, and measure what changes (lesson 4)."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bertlab.attention.layer import features_of, layer_of
from bertlab.bert.arguments import require_groups, require_list, require_pairs
from bertlab.bert.loading import Bert
from bertlab.bert.masked_texts import MaskedText, masked_copies, masked_texts
from bertlab.bert.texts import Text, in_batches
from bertlab.evidence.intervals import Interval, interval, ratio

BATCH = 128  # texts of one length that go through the model together


@contextmanager
def without_heads(bert: Bert, heads: Iterable[tuple[int, int]]) -> Iterator[None]:
    """Switch heads off inside a ``with`` block, by replacing their outputs by zeros (Michel et al. 2019).

    Readings still contain the attention weights of these heads.

    Parameters
    ----------
    bert : Bert
        The model whose heads are switched off.
    heads : list of (int, int)
        Pairs of layer and head, counted from 0.

    Returns
    -------
    context manager
        For a ``with`` statement, after which all heads are on again.

    Examples
    --------
    >>> bert = bertlab.load("bertlab-mini")
    >>> with without_heads(bert, [(0, 1), (2, 5)]):
    ...     reading = bert.read("The cat sat.")
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


def masking_effect(bert: Bert, text: str, pair: str | None = None) -> Tensor:
    """Return how far each token's last vector moves when one piece of the text is replaced by [MASK].

    Parameters
    ----------
    bert : Bert
        The model that reads the text.
    text, pair : str
        The sentence, or the two sentences of a pair.

    Returns
    -------
    Tensor
        Euclidean distances, (tokens, tokens): row i, column j is how far token i moves when token j is masked. The
        diagonal and the columns of [CLS] and [SEP] are nan.

    Raises
    ------
    ValueError
        If the text has fewer than two pieces to mask.

    Examples
    --------
    >>> masking_effect(bertlab.load("bertlab-mini"), "The cat sat.").shape
    torch.Size([6, 6])
    """
    whole = bert.read(text, pair)
    copies = masked_texts(bert, whole.ids, whole.segments)
    if len(copies) < 2:
        raise ValueError("This text is one piece, beside which no other can be masked. Give two words or more.")
    # The copies have one length, so they stay in their order.
    batches = in_batches(bert.model, bert.tokenizer, [copy.encoded for copy in copies], batch_size=64)
    vectors = torch.cat(
        [output.last_hidden_state.float().cpu() for _, output, _ in batches]
    )  # (copies, tokens, hidden)
    effect = torch.full((len(whole.ids), len(whole.ids)), torch.nan)
    effect[:, [copy.place for copy in copies]] = (vectors - whole.hidden[-1]).norm(dim=-1).T
    return effect.fill_diagonal_(torch.nan)


def change_of_loss(
    bert: Bert,
    texts: Sequence[Text],
    heads: Iterable[tuple[int, int]] | None = None,
    *,
    groups: Sequence[Hashable] | None = None,
    progress: Callable[[list], Iterable] = iter,
) -> pd.DataFrame:
    """Return how much the loss on masked pieces rises when each head is switched off (Michel et al. 2019).

    Parameters
    ----------
    bert : Bert
        The model whose heads are switched off.
    texts : list of str or of (str, str)
        Sentences, or pairs of sentences; each piece is masked once.
    heads : list of (int, int), optional
        Pairs of layer and head, by default all.
    groups : list, optional
        The group of each text, such as its page. By default each text is independent.
    progress : callable
        Takes the list of batches and yields them again, as ``tqdm.tqdm`` does.

    Returns
    -------
    pandas.DataFrame
        One row per head: the mean ``loss`` without the head, in nats, and its ``change`` from the loss of the whole
        model with its 95 % interval, ``low`` to ``high``, a bootstrap over texts, or groups.

    Raises
    ------
    IndexError, MissingPartError, ValueError
        If the model lacks such a head, or its masked-word head; if there are fewer than two texts or groups, or a text
        has no piece to mask.

    Examples
    --------
    >>> change_of_loss(bertlab.load("bertlab-mini"), ["The cat sat.", "It rained."], [(0, 3)])["change"].shape
    (1,)
    """
    config = bert.model.config
    if heads is None:
        layers = range(config.num_hidden_layers)
        heads = [(layer, head) for layer in layers for head in range(config.num_attention_heads)]
    pairs, texts = require_pairs(heads=heads), require_list(texts=texts)
    groups = range(len(texts)) if groups is None else require_groups(groups, texts=texts)
    copies = masked_copies(bert, texts)
    by_length = pd.Series(range(len(copies))).groupby([len(copy.ids) for copy in copies])  # so nothing is padded
    batches = [numbers[i : i + BATCH] for _, numbers in by_length for i in range(0, len(numbers), BATCH)]
    losses = np.full((1 + len(pairs), len(copies)), np.nan)
    for numbers in progress(batches):
        losses[:, numbers] = _losses(bert, [copies[i] for i in numbers], pairs)
    whole, without = losses[0], losses[1:]
    group_of_copy = [groups[copy.number] for copy in copies]

    def mean(change: np.ndarray) -> Interval:
        grouped = pd.Series(change).groupby(group_of_copy)
        return interval(grouped.sum(), grouped.count(), statistic=ratio)

    rows = [(*pair, loss.mean(), *mean(loss - whole)) for pair, loss in zip(pairs, without, strict=True)]
    return pd.DataFrame(rows, columns=["layer", "head", "loss", "change", "low", "high"])


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
            features = features_of(bert, head)
            (silenced,) = _silence(None, (joined[layer],), features)
            losses.append(loss(silenced, layer))
    return np.array(losses)


def _silence(_module: Any, inputs: tuple[Tensor, ...], features: slice) -> tuple[Tensor, ...]:
    """Set one head's features to zero in the input of the output projection."""
    joined = inputs[0].clone()
    joined[..., features] = 0
    return (joined, *inputs[1:])

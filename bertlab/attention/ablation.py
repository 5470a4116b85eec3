"""Take something away and see what changes: a word, or a head (lesson 4)."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd
import torch
from scipy.stats import wilcoxon
from torch import Tensor

from bertlab.attention.layer import features_of, layer_of
from bertlab.bert.masked_texts import answers, last_vectors, masked_texts, sample
from bertlab.bert.texts import Text
from bertlab.evidence.controls import holm
from bertlab.evidence.intervals import interval, ratio

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert


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
    parts = [(layer_of(bert, layer).attention.output.dense, features_of(bert, head)) for layer, head in heads]
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
    per_text: int | None = None,
    seed: int = 0,
    batch_size: int = 64,
) -> pd.DataFrame:
    """Return how much the loss on masked pieces rises when one head is switched off, head by head.

    `heads` are pairs of layer and head, by default all. The other arguments are those of `bertlab.masking.masked_loss`,
    for two texts or more; the same pieces are masked for every head.

    Returns
    -------
    pandas.DataFrame
        A row a head: the mean ``loss`` without it, in nats, and the ``change`` from the whole model's, with ``low`` and
        ``high`` of a paired 95 % bootstrap interval over texts; ``p``, of Wilcoxon's (1945) signed-rank test over
        texts, is corrected for the number of heads (Holm 1979).

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> change_of_loss(bert, ["The cat sat.", "It rained."], [(0, 3)]).columns.tolist()
    ['layer', 'head', 'loss', 'change', 'low', 'high', 'p']
    """
    config = bert.model.config
    if heads is None:
        layers = range(config.num_hidden_layers)
        heads = [(layer, head) for layer in layers for head in range(config.num_attention_heads)]
    copies = sample(bert, texts, per_text, seed)
    numbers = [copy.number for copy in copies]
    whole, _ = answers(bert, copies, batch_size)
    rows = []
    for layer, head in heads:
        with without_heads(bert, [(layer, head)]):
            without, _ = answers(bert, copies, batch_size)
        by_text = pd.Series(without - whole).groupby(numbers)
        p = wilcoxon(by_text.sum()).pvalue if by_text.sum().any() else 1.0  # nothing changed: nothing to test
        change = interval(by_text.sum(), by_text.count(), statistic=ratio)
        rows.append((int(layer), int(head), without.mean(), *change, p))
    table = pd.DataFrame(rows, columns=["layer", "head", "loss", "change", "low", "high", "p"])
    return table.assign(p=holm(table["p"]))


def _silence(_module: Any, inputs: tuple[Tensor, ...], features: slice) -> tuple[Tensor, ...]:
    """Put zeros for one head's features into what enters the output projection."""
    joined = inputs[0].clone()
    joined[..., features] = 0
    return (joined, *inputs[1:])

"""The pooler, which gives one vector for a whole text, and the next-sentence head on top of it (lesson 2)."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from bertlab.bert.arguments import require_axes, require_pairs
from bertlab.bert.loading import Bert


def pooler_output(bert: Bert, hidden: Tensor) -> Tensor:
    """Return the pooled vector of each text: tanh(W · h + b), where h is the vector of its first token, [CLS].

    Parameters
    ----------
    bert : Bert
        The model whose pooler is used.
    hidden : (texts, tokens, hidden)
        The output of the last layer. Padding does not matter.

    Returns
    -------
    Tensor
        The pooled vectors, (texts, hidden).

    Raises
    ------
    MissingPartError
        If the checkpoint was saved without its pooler.

    Examples
    --------
    >>> bert = bertlab.load("bertlab-mini")
    >>> pooler_output(bert, bert.read("The cat sat.").hidden[-1:]).shape
    torch.Size([1, 256])
    """
    bert.require("pooler")
    require_axes("texts, tokens, hidden", hidden=hidden)
    pooler: Any = bert.model.bert.pooler
    dense = pooler.dense
    with torch.no_grad():
        return torch.tanh(hidden[:, 0].to(dense.weight.device) @ dense.weight.T + dense.bias)


def next_sentence(bert: Bert, pairs: Iterable[tuple[str, str]]) -> Tensor:
    """Return the probability that each second sentence follows the first, by the next-sentence head.

    Parameters
    ----------
    bert : Bert
        The model whose pooler and head are used.
    pairs : list of (str, str)
        Pairs of sentences.

    Returns
    -------
    Tensor
        The probability of "is next", label 0 of the head's two, (pairs,).

    Raises
    ------
    MissingPartError
        If the checkpoint was saved without its pooler or this head.

    Examples
    --------
    >>> next_sentence(bertlab.load("bertlab-mini"), [("It rained all day.", "We stayed at home.")]).shape
    torch.Size([1])
    """
    bert.require("next-sentence head")
    pooled = torch.stack([reading.pooled for reading in bert.read_all(require_pairs(pairs=pairs))])
    head = bert.model.cls.seq_relationship
    with torch.no_grad():
        logits = pooled @ head.weight.T.cpu() + head.bias.cpu()
    return logits.softmax(dim=-1)[:, 0]

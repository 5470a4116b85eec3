"""One head of the encoder, without padding and dropout (lesson 4)."""

from typing import Any

import torch
from torch import Tensor

from bertlab.bert.arguments import require_axes, require_place
from bertlab.bert.loading import Bert


def head_weights(bert: Bert, hidden: Tensor, layer: int, head: int) -> Tensor:
    """Return the attention weights of one head: softmax(Q · Kᵀ / √d), where d is the size of a head.

    Parameters
    ----------
    bert : Bert
        The model that the head belongs to.
    hidden : (tokens, hidden)
        The input of the layer, ``reading.hidden[layer]``.
    layer, head : int
        The layer and the head, counted from 0.

    Returns
    -------
    Tensor
        The weights, (tokens, tokens): each row is one token's weights on all tokens, which sum to one.

    Examples
    --------
    >>> bert = bertlab.load("bertlab-mini")
    >>> head_weights(bert, bert.read("The cat sat.").hidden[2], layer=2, head=5).shape
    torch.Size([6, 6])
    """
    attention, features = layer_of(bert, layer).attention.self, features_of(bert, head)
    hidden = _entering(bert, hidden)
    with torch.no_grad():
        query = attention.query(hidden)[:, features]  # (tokens, head size)
        key = attention.key(hidden)[:, features]
        scores = query @ key.T / query.shape[-1] ** 0.5  # (tokens, tokens)
        return torch.softmax(scores, dim=-1).cpu()


def head_output(bert: Bert, hidden: Tensor, layer: int, head: int) -> Tensor:
    """Return the output of one head: for each token the mean of all values, weighted by its attention weights.

    Parameters
    ----------
    bert, hidden, layer, head
        As for `head_weights`.

    Returns
    -------
    Tensor
        One vector per token, (tokens, head size).

    Examples
    --------
    >>> bert = bertlab.load("bertlab-mini")
    >>> head_output(bert, bert.read("The cat sat.").hidden[0], layer=0, head=1).shape
    torch.Size([6, 32])
    """
    weights = head_weights(bert, hidden, layer, head)
    attention, features = layer_of(bert, layer).attention.self, features_of(bert, head)
    with torch.no_grad():
        value = attention.value(_entering(bert, hidden))[:, features].cpu()  # (tokens, head size)
    return weights @ value


def layer_of(bert: Bert, layer: int) -> Any:
    """Return a layer of the encoder (transformers' ``BertLayer``), counted from 0."""
    layers: Any = bert.model.bert.encoder.layer
    require_place(len(layers), layer=layer)
    return layers[layer]


def features_of(bert: Bert, head: int) -> slice:
    """Return the slice of a head's features in the queries, keys and values of its layer."""
    heads = bert.model.config.num_attention_heads
    require_place(heads, head=head)  # a slice beyond the end would be empty, and no error
    size = bert.model.config.hidden_size // heads
    return slice(size * head, size * (head + 1))


def _entering(bert: Bert, hidden: Tensor) -> Tensor:
    """Return the input of a layer on the model's device; refuse a batch, whose texts would be read as tokens."""
    require_axes("tokens, hidden", hidden=hidden)
    return hidden.to(bert.model.device)

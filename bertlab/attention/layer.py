"""One head and one layer, written out in lesson 4; padding and dropout are left out."""

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from bertlab.bert.arguments import require_axes, require_place

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert


def head_weights(bert: "Bert", hidden: Tensor, layer: int, head: int) -> Tensor:
    """Return the attention weights of one head: softmax(Q · Kᵀ / √d), d numbers being the size of a head.

    Layers and heads are counted from 0; an `IndexError` if the model has no such layer or head. `hidden` is what enters
    the layer, (tokens, hidden): ``reading.hidden[layer]``. Of what is returned, (tokens, tokens), the row looks, the
    column is looked at, and each row adds up to one (Vaswani et al. 2017, section 3.2).

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> reading = bert.read("The cat sat.")
    >>> torch.allclose(head_weights(bert, reading.hidden[2], 2, 5), reading.attention[2, 5], atol=1e-5)
    True
    """
    attention, features = layer_of(bert, layer).attention.self, features_of(bert, head)
    hidden = _entering(bert, hidden)
    with torch.no_grad():
        query = attention.query(hidden)[:, features]  # (tokens, head size)
        key = attention.key(hidden)[:, features]
        scores = query @ key.T / query.shape[-1] ** 0.5  # (tokens, tokens)
        return torch.softmax(scores, dim=-1).cpu()


def head_output(bert: "Bert", hidden: Tensor, layer: int, head: int) -> Tensor:
    """Return what one head makes for each token, (tokens, head size), from what `head_weights` takes.

    It is the mean of all tokens' values, weighted by the head's attention.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> head_output(bert, bert.read("The cat sat.").hidden[0], layer=0, head=1).shape
    torch.Size([6, 32])
    """
    weights = head_weights(bert, hidden, layer, head)
    attention, features = layer_of(bert, layer).attention.self, features_of(bert, head)
    with torch.no_grad():
        value = attention.value(_entering(bert, hidden))[:, features].cpu()  # (tokens, head size)
    return weights @ value


def layer_output(bert: "Bert", hidden: Tensor, layer: int) -> Tensor:
    """Return the output of a whole layer, (tokens, hidden): attention, then the feed-forward block.

    Each has its LayerNorm. `hidden` is as for `head_weights`; what is returned enters the next layer.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> reading = bert.read("The cat sat.")
    >>> torch.allclose(layer_output(bert, reading.hidden[0], 0), reading.hidden[1], atol=1e-4)
    True
    """
    heads = range(bert.model.config.num_attention_heads)
    joined = torch.cat([head_output(bert, hidden, layer, head) for head in heads], dim=-1)  # (tokens, hidden)
    block, hidden = layer_of(bert, layer), _entering(bert, hidden)
    with torch.no_grad():
        attended = block.attention.output.dense(joined.to(hidden.device))
        attended = block.attention.output.LayerNorm(attended + hidden)
        wider = block.intermediate.intermediate_act_fn(block.intermediate.dense(attended))
        return block.output.LayerNorm(block.output.dense(wider) + attended).cpu()


def layer_of(bert: "Bert", layer: int) -> Any:
    """Return a layer of the encoder (transformers' ``BertLayer``), counted from 0."""
    layers: Any = bert.model.bert.encoder.layer
    require_place(len(layers), layer=layer)
    return layers[layer]


def features_of(bert: "Bert", head: int) -> slice:
    """Return which features of the queries, keys and values are a head's, counted from 0: equal shares in a row."""
    heads = bert.model.config.num_attention_heads
    require_place(heads, head=head)  # a slice beyond the end would be empty, and no error
    size = bert.model.config.hidden_size // heads
    return slice(size * head, size * (head + 1))


def _entering(bert: "Bert", hidden: Tensor) -> Tensor:
    """Return what enters a layer, on the model's device; refuse a batch, whose texts would be taken for tokens."""
    require_axes("tokens, hidden", hidden=hidden)
    return hidden.to(bert.model.device)

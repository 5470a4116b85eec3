"""One head of the encoder, without padding and dropout (lesson 4)."""

from typing import Any

from bertlab.arguments import require_place
from bertlab.bert.loading import Bert


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

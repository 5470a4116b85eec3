"""One head, one layer, and what a head adds, written out in lesson 4.

Layers and heads are counted from 0, as in ``reading.attention[layer, head]``: layer ``l`` takes ``reading.hidden[l]``
and gives ``reading.hidden[l + 1]``. In a matrix of weights the row looks and the column is looked at. Two things
are left out: padding, which a single text does not have, and dropout, which does nothing in eval mode.
"""

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from bertlab.bert.arguments import whole_number
from bertlab.bert.reading import Reading

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert


def head_weights(bert: "Bert", hidden: Tensor, layer: int, head: int) -> Tensor:
    """Return the attention weights of one head: softmax(Q · Kᵀ / √d), d numbers being the size of a head.

    Parameters
    ----------
    bert
    hidden : (tokens, hidden)
        What enters the layer: ``reading.hidden[layer]``.
    layer, head
        Counted from 0.

    Returns
    -------
    torch.Tensor, (tokens, tokens)
        The row looks, the column is looked at; each row adds up to one (Vaswani et al. 2017, section 3.2).

    Raises
    ------
    IndexError
        If the model has no such layer or head.
    TypeError, ValueError
        If `hidden` is no tensor with these two axes.

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
    """Return what one head makes for each token: the mean of all tokens' values, weighted by its attention.

    Parameters
    ----------
    bert, hidden, layer, head
        As for `head_weights`.

    Returns
    -------
    torch.Tensor, (tokens, head size)

    Raises
    ------
    IndexError, TypeError, ValueError
        As `head_weights`.

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
    """Return the output of a whole layer: attention, then the feed-forward block, each with its LayerNorm.

    Parameters
    ----------
    bert, hidden, layer
        As for `head_weights`.

    Returns
    -------
    torch.Tensor, (tokens, hidden)
        What enters the next layer: ``reading.hidden[layer + 1]``.

    Raises
    ------
    IndexError, TypeError, ValueError
        As `head_weights`.

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


def value_contribution(bert: "Bert", hidden: Tensor, layer: int, head: int) -> Tensor:
    """Return what one head would add to a token that looked at one other alone: f(x) = (x · W_V + b_V) · W_O.

    Parameters
    ----------
    bert, hidden, layer, head
        As for `head_weights`.

    Returns
    -------
    torch.Tensor, (tokens, hidden)
        The vectors f(x) of Kobayashi et al. (2020), one for each token that is looked at. W_O are the columns of the
        output projection that belong to this head. Its bias belongs to no head and is not in them: all heads'
        ``weights @ value_contribution`` and that bias add up to the output of the projection.

    Raises
    ------
    IndexError, TypeError, ValueError
        As `head_weights`.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> value_contribution(bert, bert.read("The cat sat.").hidden[0], layer=0, head=1).shape
    torch.Size([6, 256])
    """
    attention, features = layer_of(bert, layer).attention, features_of(bert, head)
    with torch.no_grad():
        value = attention.self.value(_entering(bert, hidden))[:, features]  # (tokens, head size)
        return (value @ attention.output.dense.weight[:, features].T).cpu()


def weighted_norms(bert: "Bert", reading: Reading) -> Tensor:
    """Return the length of what each token gives to each other: ‖α · f(x)‖ (Kobayashi et al. 2020).

    A large weight on a short vector moves little. These lengths take both into account, though not what the
    vectors do to one another when they are added, nor what later layers make of them.

    Parameters
    ----------
    bert
    reading
        With attention, by this same BERT.

    Returns
    -------
    torch.Tensor, (layers, heads, tokens, tokens)
        As ``reading.attention``, but a row does not add up to one.

    Raises
    ------
    TypeError, ValueError
        If it is not a reading, holds no attention, or was made by another BERT.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> weighted_norms(bert, bert.read("The cat sat.")).shape
    torch.Size([4, 8, 6, 6])
    """
    check_reading(bert, reading)
    _refuse_other_weights(bert, reading)
    layers, heads, tokens, _ = reading.attention.shape
    each = [
        value_contribution(bert, reading.hidden[layer], layer, head) for layer in range(layers) for head in range(heads)
    ]
    lengths = torch.stack(each).norm(dim=-1).view(layers, heads, 1, tokens)
    return reading.attention * lengths


def check_reading(bert: "Bert", reading: Reading) -> None:
    """Raise `TypeError` or `ValueError` unless this is a reading with attention by a BERT of this shape."""
    if not isinstance(reading, Reading):
        raise TypeError(f"This takes a reading, as bert.read(text) returns it, and got {type(reading).__name__}.")
    config = bert.model.config
    here = (config.num_hidden_layers, config.num_attention_heads, config.hidden_size)
    there = (*reading.attention.shape[:2], reading.hidden.shape[-1])
    if here != there:
        raise ValueError(
            f"This reading has (layers, heads, hidden) = {there}, and {bert.name} has {here}: another BERT made it. "
            "Read the text again with this one."
        )


def _refuse_other_weights(bert: "Bert", reading: Reading) -> None:
    """Refuse a reading whose attention this BERT does not give: one head a layer is computed again."""
    for layer, expected in enumerate(reading.attention[:, 0]):
        # Rounding is a hundred times less; the attention even of two untrained models differs more.
        if not torch.allclose(head_weights(bert, reading.hidden[layer], layer, 0), expected, atol=1e-4):
            raise ValueError(
                f"This reading was not made by {bert.name} as it is now: another BERT of the same shape made it, or "
                f"the weights of layer {layer} were changed since. Read the text again with this one."
            )


def layer_of(bert: "Bert", layer: int) -> Any:
    """Return a layer of the encoder (transformers' ``BertLayer``), counted from 0."""
    layers: Any = bert.model.bert.encoder.layer
    return layers[_counted(layer, len(layers), "layer")]


def features_of(bert: "Bert", head: int) -> slice:
    """Return which features of the queries, keys and values are a head's, counted from 0: equal shares in a row."""
    config = bert.model.config
    size = config.hidden_size // config.num_attention_heads
    start = size * _counted(head, config.num_attention_heads, "head")
    return slice(start, start + size)


def _counted(number: int, count: int, what: str) -> int:
    """Return a layer's or head's number, or refuse it."""
    place = whole_number(number)
    if place is None or not 0 <= place < count:
        raise IndexError(f"There is no {what} {number!r}: this BERT has {count}, counted from 0 to {count - 1}.")
    return place


def _entering(bert: "Bert", hidden: Tensor) -> Tensor:
    """Return what enters a layer, on the model's device, or refuse it."""
    width = bert.model.config.hidden_size
    if not isinstance(hidden, Tensor):
        raise TypeError(f"What enters a layer is a tensor, reading.hidden[layer], and this is {type(hidden).__name__}.")
    if hidden.ndim != 2 or hidden.shape[-1] != width or not len(hidden):
        raise ValueError(
            f"What enters a layer has the axes (tokens, hidden), with {width} features here; this has shape "
            f"{tuple(hidden.shape)}. For one text take reading.hidden[layer]."
        )
    return hidden.to(bert.model.device)

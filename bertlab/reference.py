"""A whole BERT, in the lines that the lessons leave to you: it goes on where a gap is blank.

Every function takes tensors, and `w`, the numbers of one part by name, as `numbers` returns them, such as
``w["query"]["weight"]``, (out, in) as torch has it. Axes in front are free, so that a text (tokens, hidden) and a batch
(texts, tokens, hidden) both work. A mask, (..., tokens), is 1 for real tokens and 0 for padding.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn.functional import gelu

if TYPE_CHECKING:
    from transformers import BertForMaskedLM

    from bertlab.bert.loading import Bert

Numbers = Mapping[str, Any]


def layer_norm(x: Tensor, w: Numbers) -> Tensor:  # lesson 1
    """Return each token's features with mean 0 and variance 1, times a weight, plus a bias."""
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, correction=0, keepdim=True)
    return (x - mean) / (variance + w["eps"]).sqrt() * w["weight"] + w["bias"]


def embed(ids: Tensor, segments: Tensor, w: Numbers) -> Tensor:  # lesson 1
    """Return what enters the encoder, (..., tokens, hidden): three rows of each token, added up and normalised."""
    positions = torch.arange(ids.shape[-1])
    summed = w["word"][ids] + w["position"][positions] + w["segment"][segments]
    return layer_norm(summed, w["norm"])


def cosine(a: Tensor, b: Tensor) -> Tensor:  # lesson 1
    """Return the dot products of vectors, (..., features) each, divided by their lengths."""
    return (a * b).sum(dim=-1) / (a.norm(dim=-1) * b.norm(dim=-1))


def linear(x: Tensor, w: Numbers) -> Tensor:  # lesson 2
    """Return W · x + b of each token: (..., in) to (..., out)."""
    return x @ w["weight"].T + w["bias"]


def pool(hidden: Tensor, w: Numbers) -> Tensor:  # lesson 2
    """Return one vector of each text, from that of its first token: (..., tokens, hidden) to (..., hidden)."""
    return torch.tanh(linear(hidden[..., 0, :], w))


def softmax(scores: Tensor) -> Tensor:  # lesson 2
    """Return scores as shares: above zero, each row adds up to one."""
    powers = scores.exp()
    return powers / powers.sum(dim=-1, keepdim=True)


def attention_weights(query: Tensor, key: Tensor, mask: Tensor) -> Tensor:  # lesson 4
    """Return how much each token looks at each, (..., tokens, tokens), from queries and keys (..., tokens, size)."""
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    scores = scores.masked_fill(mask[..., None, :] == 0, float("-inf"))
    return softmax(scores)


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:  # lesson 4
    """Return what one head makes of each token: the mean of all values, weighted by where it looks."""
    return attention_weights(query, key, mask) @ value


def all_heads(x: Tensor, mask: Tensor, w: Numbers, heads: int) -> Tensor:  # lesson 4
    """Return what all heads of a layer make, joined and mixed by the output projection."""
    queries = linear(x, w["query"]).chunk(heads, dim=-1)
    keys = linear(x, w["key"]).chunk(heads, dim=-1)
    values = linear(x, w["value"]).chunk(heads, dim=-1)
    made = [attention(query, key, value, mask) for query, key, value in zip(queries, keys, values, strict=True)]
    return linear(torch.cat(made, dim=-1), w["output"])


def feed_forward(x: Tensor, w: Numbers) -> Tensor:  # lesson 4
    """Return the feed-forward block's output: to four times as many features, through GELU, and back."""
    return linear(gelu(linear(x, w["wider"])), w["back"])


def one_layer(x: Tensor, mask: Tensor, w: Numbers, heads: int) -> Tensor:  # lesson 4
    """Return a layer's output: attention and the feed-forward block, each added to what came in, and normalised."""
    x = layer_norm(x + all_heads(x, mask, w["attention"], heads), w["attention"]["norm"])
    return layer_norm(x + feed_forward(x, w), w["norm"])


def encoder(x: Tensor, mask: Tensor, layers: Sequence[Numbers], heads: int) -> list[Tensor]:  # lesson 4
    """Return the hidden states: what came in, and each layer's output."""
    hidden = [x]
    for w in layers:
        hidden.append(one_layer(hidden[-1], mask, w, heads))
    return hidden


def mean_pool(hidden: Tensor, mask: Tensor) -> Tensor:  # lesson 5
    """Return the mean over the real tokens: (..., tokens, hidden) to (..., hidden)."""
    real = mask[..., None]
    return (hidden * real).sum(dim=-2) / real.sum(dim=-2)


def word_logits(hidden: Tensor, w: Numbers) -> Tensor:  # lesson 6
    """Return a score of each piece of the vocabulary for each token: (..., tokens, vocabulary)."""
    x = layer_norm(gelu(linear(hidden, w["transform"])), w["norm"])
    return x @ w["word"].T + w["bias"]


def masked_loss(logits: Tensor, ids: Tensor, chosen: Tensor) -> Tensor:  # lesson 6
    """Return the mean of −log of the right piece's probability, over the chosen tokens."""
    return -logits[chosen].log_softmax(dim=-1)[torch.arange(int(chosen.sum())), ids[chosen]].mean()


def my_bert(ids: Tensor, segments: Tensor, mask: Tensor, w: Numbers, heads: int) -> Tensor:  # lesson 6
    """Return a score of each piece for each token: all parts but the pooler put together."""
    hidden = encoder(embed(ids, segments, w["embedding"]), mask, w["layers"], heads)
    return word_logits(hidden[-1], w["words"])


def numbers(bert: "Bert | BertForMaskedLM") -> dict[str, Any]:
    """Return the numbers of a BERT by part and name, the model's own tensors, as these functions take them.

    A BERT whose layers have another curve than GELU is refused with a `ValueError`.

    Returns
    -------
    dict
        ``embedding`` (``word``, ``position``, ``segment``, ``norm``), ``layers`` (a list; each has ``attention``,
        ``wider``, ``back`` and ``norm``) and, if the checkpoint has them, ``pooler`` and ``words``, the masked-word
        head's. A matrix has a ``weight`` (out, in) and a ``bias``, a norm ``eps`` as well.

    Examples
    --------
    >>> w = numbers(bertlab.load("bertlab-mini"))
    >>> w["layers"][2]["attention"]["query"]["weight"].shape
    torch.Size([256, 256])
    """
    whole: Any = getattr(bert, "model", bert)
    if (curve := whole.config.hidden_act) != "gelu":
        name = getattr(bert, "name", "This BERT")
        raise ValueError(f"{name} has {curve} in its layers, and the BERT of these lessons has GELU. Take another.")
    model, head = whole.bert, whole.cls.predictions
    embeddings = model.embeddings
    word, position, segment = (
        getattr(embeddings, f"{name}_embeddings").weight.detach() for name in ("word", "position", "token_type")
    )
    found: dict[str, Any] = {
        "embedding": {"word": word, "position": position, "segment": segment, "norm": _norm(embeddings.LayerNorm)},
        "layers": [_layer(layer) for layer in model.encoder.layer],
    }
    if model.pooler is not None:
        found["pooler"] = _matrix(model.pooler.dense)
    if "masked-word head" not in getattr(bert, "missing_parts", ()):
        found["words"] = {
            "transform": _matrix(head.transform.dense),
            "norm": _norm(head.transform.LayerNorm),
            "word": word,
            "bias": head.bias.detach(),
        }
    return found


def tensors(w: Numbers) -> list[Tensor]:
    """Return the tensors of what `numbers` returns, or of a part of it, each once and ready for gradients.

    A step on them changes `w`, and the model that it was taken from.

    Examples
    --------
    >>> len(tensors(numbers(bertlab.load("bertlab-mini"))["layers"][0]))
    16
    """
    found: dict[int, Tensor] = {}
    for part in w.values():
        if isinstance(part, Tensor):
            found[id(part)] = part.requires_grad_()
        for inner in part if isinstance(part, list) else [part] if isinstance(part, Mapping) else []:
            found |= {id(tensor): tensor for tensor in tensors(inner)}
    return list(found.values())


def _layer(layer: Any) -> dict[str, Any]:
    heads, output = layer.attention.self, layer.attention.output
    attention = {name: _matrix(getattr(heads, name)) for name in ("query", "key", "value")}
    attention |= {"output": _matrix(output.dense), "norm": _norm(output.LayerNorm)}
    wider, back = _matrix(layer.intermediate.dense), _matrix(layer.output.dense)
    return {"attention": attention, "wider": wider, "back": back, "norm": _norm(layer.output.LayerNorm)}


def _matrix(module: Any) -> dict[str, Tensor]:
    return {"weight": module.weight.detach(), "bias": module.bias.detach()}


def _norm(module: Any) -> dict[str, Any]:
    return {**_matrix(module), "eps": module.eps}

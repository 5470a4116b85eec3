"""The embedding layer in parts, whose three rows are added and normalised, and the cosine of vectors (lesson 1)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from bertlab import reference
from bertlab.bert.loading import Bert


@dataclass(frozen=True, eq=False)
class Parts:
    """The tokens of a text and, (tokens, hidden) each, the three rows of each token, their sum, and its LayerNorm."""

    tokens: list[str]
    word: Tensor
    position: Tensor
    segment: Tensor
    summed: Tensor
    normed: Tensor


def parts(bert: Bert, text: str, pair: str | None = None) -> Parts:
    """Return the rows that the embedding layer adds for each token of a text, their sum, and its LayerNorm.

    Parameters
    ----------
    bert : Bert
        The model whose tables are used.
    text, pair : str
        The sentence, or the two sentences of a pair.

    Returns
    -------
    Parts
        ``tokens``, and (tokens, hidden) each: ``word``, ``position``, ``segment``, their sum ``summed``, and
        ``normed``, which enters the encoder.

    Examples
    --------
    >>> parts(bertlab.load("bertlab-mini"), "The cat sat.").word.shape
    torch.Size([6, 256])
    """
    reading = bert.read(text, pair)
    layer = bert.model.bert.embeddings
    device = bert.model.device
    with torch.no_grad():  # without dropout: in eval mode, in which bertlab loads every model, it does nothing
        word = layer.word_embeddings(reading.ids.to(device))
        position = layer.position_embeddings(torch.arange(len(reading.tokens), device=device))
        segment = layer.token_type_embeddings(reading.segments.to(device))
        summed = word + position + segment
        normed = layer.LayerNorm(summed)
    return Parts(reading.tokens, word.cpu(), position.cpu(), segment.cpu(), summed.cpu(), normed.cpu())


def cosine(a: Tensor, b: Tensor) -> Tensor:
    """Return the cosine of the angle between vectors: their dot product divided by both lengths.

    Parameters
    ----------
    a, b : (..., features)
        The vectors, along the last axis; the other axes must broadcast, as in ``cosine(table, table[5])``.

    Returns
    -------
    Tensor
        The cosines, (...), from -1 to 1.

    Raises
    ------
    ValueError
        If a vector is all zeros: it has no direction.

    Examples
    --------
    >>> cosine(torch.tensor([1.0, 0.0]), torch.tensor([1.0, 1.0]))
    tensor(0.7071)
    """
    if not (a.any(dim=-1).all() and b.any(dim=-1).all()):
        raise ValueError("A vector of zeros has no direction, so its cosine with another is not defined.")
    return reference.cosine(a, b)

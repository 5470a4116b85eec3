"""The embedding layer, taken apart: three rows looked up, added, normalised (lesson 1).

Lesson 1 writes this out by hand. Dropout is left out: in eval mode, in which bertlab loads every model, it
does nothing.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert


@dataclass(frozen=True, eq=False)
class Parts:
    """What the embedding layer adds up for one text. Every tensor is (tokens, hidden), float32, on the CPU.

    Attributes
    ----------
    tokens
        The pieces, special tokens included.
    word, position, segment
        The row that each token has in each of the three tables.
    summed
        ``word + position + segment``.
    normed
        The sum after LayerNorm: what enters the encoder, ``reading.hidden[0]``.
    """

    tokens: list[str]
    word: Tensor
    position: Tensor
    segment: Tensor
    summed: Tensor
    normed: Tensor


def parts(bert: "Bert", text: str, pair: str | None = None) -> Parts:
    """Take the embedding layer's output for a text apart.

    Parameters
    ----------
    bert
    text
    pair
        A second sentence, whose tokens get segment 1.

    Returns
    -------
    Parts

    Raises
    ------
    TypeError, ValueError
        As `bertlab.bert.Bert.read`.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> bertlab.embedding.parts(bert, "The cat sat.").word.shape
    torch.Size([6, 256])
    """
    reading = bert.read(text, pair)
    layer = bert.model.bert.embeddings
    device = bert.model.device
    with torch.no_grad():
        word = layer.word_embeddings(reading.ids.to(device))
        position = layer.position_embeddings(torch.arange(len(reading.tokens), device=device))
        segment = layer.token_type_embeddings(reading.segments.to(device))
        summed = word + position + segment
        normed = layer.LayerNorm(summed)
    return Parts(reading.tokens, word.cpu(), position.cpu(), segment.cpu(), summed.cpu(), normed.cpu())

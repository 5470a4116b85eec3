"""The embedding layer, taken apart: three rows looked up, added, normalised (lesson 1)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert


@dataclass(frozen=True, eq=False)
class Parts:
    """What the embedding layer adds up for one text. Every tensor is (tokens, hidden), float32, on the CPU."""

    tokens: list[str]
    word: Tensor  # the row that each token has in the word table,
    position: Tensor  # the position table
    segment: Tensor  # and the segment table
    summed: Tensor  # word + position + segment
    normed: Tensor  # the sum after LayerNorm, which enters the encoder: reading.hidden[0]


def parts(bert: "Bert", text: str, pair: str | None = None) -> Parts:
    """Take the embedding layer's output for a text, or for a text and its second sentence, apart.

    What cannot be read is refused as by `bertlab.bert.Bert.read`.

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
    with torch.no_grad():  # without dropout: in eval mode, in which bertlab loads every model, it does nothing
        word = layer.word_embeddings(reading.ids.to(device))
        position = layer.position_embeddings(torch.arange(len(reading.tokens), device=device))
        segment = layer.token_type_embeddings(reading.segments.to(device))
        summed = word + position + segment
        normed = layer.LayerNorm(summed)
    return Parts(reading.tokens, word.cpu(), position.cpu(), segment.cpu(), summed.cpu(), normed.cpu())

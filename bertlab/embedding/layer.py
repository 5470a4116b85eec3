"""The embedding layer in parts: three rows are looked up, added and normalised (lesson 1)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of the embedding layer's output for one text, as `parts` returns them.

    Attributes
    ----------
    tokens : list of str
        The pieces, special tokens included.
    word, position, segment : (tokens, hidden)
        The row of each token in the word table, the position table and the segment table.
    summed : (tokens, hidden)
        The sum of these three.
    normed : (tokens, hidden)
        The sum after LayerNorm, which enters the encoder: ``reading.hidden[0]``.
    """

    tokens: list[str]
    word: Tensor
    position: Tensor
    segment: Tensor
    summed: Tensor
    normed: Tensor


def parts(bert: "Bert", text: str, pair: str | None = None) -> Parts:
    """Return the rows that the embedding layer adds for each token of a text, their sum, and its LayerNorm.

    Parameters
    ----------
    bert : Bert
        The model whose tables are used.
    text : str
        The sentence, or the first sentence of a pair.
    pair : str, optional
        The second sentence.

    Returns
    -------
    Parts
        The tokens, and for each step its vectors, (tokens, hidden).

    Raises
    ------
    TypeError, ValueError
        As for `bertlab.bert.Bert.read`.

    References
    ----------
    Devlin et al. (2019), figure 2.

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

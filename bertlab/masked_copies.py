"""Texts in which one piece at a time is [MASK], and what BERT makes of them (lessons 4 and 6).

Not the masking of the training, which hides several words at once: here all others stay, and each piece has a turn.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence

from bertlab.reading import Reading, Text

if TYPE_CHECKING:
    from bertlab.model import Bert


@dataclass(frozen=True, eq=False)
class Copy:
    """A text in which one piece is masked: what goes in, and what is asked for.

    Attributes
    ----------
    ids, segments : torch.Tensor, (tokens,)
    place : int
        Where [MASK] stands.
    answer : int
        The id of the piece that stood there.
    """

    ids: Tensor
    segments: Tensor
    place: int
    answer: int


def copies_of(bert: "Bert", reading: Reading) -> list[Copy]:
    """Return a copy of a text for each piece that can be masked: all but [CLS], [SEP], and what is [MASK] already."""
    tokenizer = bert.tokenizer
    kept = {tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.mask_token_id}
    copies = []
    for place, answer in enumerate(reading.ids.tolist()):
        if answer not in kept:
            ids = reading.ids.clone()
            ids[place] = tokenizer.mask_token_id
            copies.append(Copy(ids, reading.segments, place, answer))
    return copies


def last_vectors(bert: "Bert", copies: Sequence[Copy], batch_size: int) -> Iterator[Tensor]:
    """Yield the last layer's output, (tokens, hidden), for each copy, computed in batches."""
    device = bert.model.device
    for start in range(0, len(copies), batch_size):
        batch = copies[start : start + batch_size]
        ids = pad_sequence([copy.ids for copy in batch], batch_first=True, padding_value=bert.tokenizer.pad_token_id)
        segments = pad_sequence([copy.segments for copy in batch], batch_first=True)
        present = pad_sequence([torch.ones_like(copy.ids) for copy in batch], batch_first=True)
        with torch.no_grad():
            hidden = bert.model.bert(ids.to(device), present.to(device), segments.to(device)).last_hidden_state
        yield from (row[: len(copy.ids)] for row, copy in zip(hidden, batch, strict=True))


def masked_loss(
    bert: "Bert", texts: Sequence[Text], *, per_text: int | None = None, seed: int = 0, batch_size: int = 64
) -> pd.DataFrame:
    """Return how badly BERT predicts pieces of texts, each masked in turn.

    Parameters
    ----------
    bert : bertlab.model.Bert
    texts : sequence of str or of (str, str)
    per_text : int, optional
        Mask only so many pieces of each text (all of a shorter one), drawn without replacement. By default every one.
    seed : int
        Fixes what is drawn.
    batch_size : int
        How many masked texts pass through the model together. Changes values only by rounding.

    Returns
    -------
    pandas.DataFrame
        A row a masked piece: ``text`` and ``place`` (both from 0), ``piece``, and the ``loss`` in nats: minus the
        logarithm of the probability that the masked-word head gives the piece.

    Raises
    ------
    MissingPartError
        If the checkpoint was saved without its masked-word head.
    TypeError, ValueError
        As `bertlab.model.Bert.read_all`; or if there is no text, or none with a piece to mask.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> masked_loss(bert, ["The cat sat.", "It was late."])["piece"].tolist()
    ['the', 'cat', 'sat', '.', 'it', 'was', 'late', '.']
    """
    bert.require("masked-word head")
    if per_text is not None and per_text < 1:
        raise ValueError(f"per_text is {per_text}; it counts the pieces to mask in each text, so it is at least 1.")
    rng = np.random.default_rng(seed)
    rows, copies = [], []
    for text, reading in enumerate(bert.read_all(texts, batch_size)):
        chosen = copies_of(bert, reading)
        if per_text is not None and per_text < len(chosen):
            chosen = [chosen[i] for i in sorted(rng.choice(len(chosen), per_text, replace=False))]
        rows += [{"text": text, "place": copy.place, "piece": reading.tokens[copy.place]} for copy in chosen]
        copies += chosen
    if not copies:
        raise ValueError("There is no piece to mask. Give a list of sentences with a word or more in each.")
    return pd.DataFrame(rows).assign(loss=_losses(bert, copies, batch_size))


def _losses(bert: "Bert", copies: Sequence[Copy], batch_size: int) -> np.ndarray:
    """Return the loss of each copy's masked piece."""
    head: Any = bert.model.cls.predictions
    vectors = zip(last_vectors(bert, copies, batch_size), copies, strict=True)
    masked = torch.stack([vector[copy.place].clone() for vector, copy in vectors])  # a view would keep the batch
    answers = torch.tensor([copy.answer for copy in copies], device=masked.device)
    with torch.no_grad():  # in parts: a score for every piece of the vocabulary is a long row
        parts = zip(masked.split(batch_size), answers.split(batch_size), strict=True)
        losses = [cross_entropy(head(vectors), wanted, reduction="none") for vectors, wanted in parts]
    return torch.cat(losses).double().cpu().numpy()

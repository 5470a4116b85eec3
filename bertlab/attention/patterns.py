"""Patterns of attention: where a head looks that looks at itself, at its neighbours, at [CLS] (lesson 4).

A *pattern* is a set of places in a matrix of weights: for ``previous``, those where each piece meets the one before.
A row counts if it has such a place; what it puts there is its weight on the pattern. A head's figure is the mean over
all rows that count, in all texts. Clark et al. (2019, section 3) describe the heads of BERT-base by their neighbours
and by what [SEP] receives; Kovaleva et al. (2019, section 4.1) see vertical stripes (special tokens) and diagonals (the
piece itself and its neighbours). Which rows count is our choice, and stands here:

=======================  ===========================  ==========================================================
pattern                  rows that count              places in the row
=======================  ===========================  ==========================================================
``itself``               pieces                       the piece itself
``previous``, ``next``   pieces that have one         the neighbouring piece, of the same sentence
``same piece``           pieces that occur again      the other places with the same id
``special``              pieces                       [CLS] and every [SEP]
``[CLS] receives``       pieces                       [CLS]
``[SEP] receives``       pieces                       every [SEP]
``[CLS] to itself``      [CLS]                        [CLS]
``[CLS] to [SEP]``       [CLS]                        every [SEP]
``[CLS] to signs``       [CLS], if there are signs    pieces without a letter or digit: punctuation, symbols
``[CLS] to words``       [CLS], if there are words    the other pieces
=======================  ===========================  ==========================================================

A *piece* is here any token but [CLS] and [SEP]; [MASK], [UNK] and punctuation are pieces.
"""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert
    from bertlab.bert.reading import Reading

PATTERNS = (
    "itself",
    "previous",
    "next",
    "same piece",
    "special",
    "[CLS] receives",
    "[SEP] receives",
    "[CLS] to itself",
    "[CLS] to [SEP]",
    "[CLS] to signs",
    "[CLS] to words",
)


def pattern_places(bert: "Bert", reading: "Reading") -> dict[str, Tensor]:
    """Return where each of `PATTERNS` has its places in one text: (tokens, tokens) of bool, the row looks."""
    ids = reading.ids
    cls, sep = ids == bert.tokenizer.cls_token_id, ids == bert.tokenizer.sep_token_id
    pieces = ~(cls | sep)
    signs = torch.tensor([not any(map(str.isalnum, token)) for token in reading.tokens])
    place = torch.arange(len(ids))
    step = place - place[:, None]  # (tokens, tokens): how far the column is to the right of the row
    row, from_cls, both = pieces[:, None], cls[:, None], pieces[:, None] & pieces
    return {
        "itself": row & (step == 0),
        "previous": both & (step == -1),
        "next": both & (step == 1),
        "same piece": row & (ids[:, None] == ids) & (step != 0),
        "special": row & ~pieces,
        "[CLS] receives": row & cls,
        "[SEP] receives": row & sep,
        "[CLS] to itself": from_cls & cls,
        "[CLS] to [SEP]": from_cls & sep,
        "[CLS] to signs": from_cls & signs,
        "[CLS] to words": from_cls & pieces & ~signs,
    }


def by_row(weights: Tensor, places: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the weight on each pattern row by row, (layers, heads, rows that count).

    `weights`, (layers, heads, tokens, tokens), have rows that add up to one; `places` are as of `pattern_places`.
    """
    return {name: (weights * where).sum(-1)[..., where.any(-1)] for name, where in places.items()}

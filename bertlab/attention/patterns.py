"""Patterns of attention: where a head looks that looks at itself, at its neighbours, at [CLS] (lesson 4).

A *pattern* is a set of places in a matrix of weights: for ``previous``, those where each piece meets the one before.
A row counts if it has such a place; what it puts there is its weight on the pattern. A head's figure is the mean over
all rows that count, in all texts. A uniform head gives every token the same weight, so its figure is the share of
such places in those rows. Clark et al. (2019, section 3) describe the heads of BERT-base by their neighbours, by what
[SEP] receives and by their entropy; Kovaleva et al. (2019, section 4.1) see vertical stripes (special tokens) and
diagonals (the piece itself and its neighbours). Which rows count is our choice, and stands here:

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

A *piece* is here any token but [CLS] and [SEP]; [MASK], [UNK] and punctuation are pieces. ``entropy`` (of pieces' rows)
and ``[CLS] entropy``, in nats, say how broadly a head looks: 0 at one token alone, log n at n tokens alike.
"""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert
    from bertlab.bert.reading import Reading

NEIGHBOURS = ("itself", "previous", "next", "same piece")
RECEIVED = ("special", "[CLS] receives", "[SEP] receives")
FROM_CLS = ("[CLS] to itself", "[CLS] to [SEP]", "[CLS] to signs", "[CLS] to words")
PATTERNS = (*NEIGHBOURS, *RECEIVED, *FROM_CLS)
ENTROPIES = {"entropy": "itself", "[CLS] entropy": "[CLS] to itself"}
"""Each entropy, and the pattern that counts the same rows."""

MEASURES = (*PATTERNS, *ENTROPIES)


def pattern_places(bert: "Bert", reading: "Reading") -> dict[str, Tensor]:
    """Return where each of `PATTERNS` has its places in one text: (tokens, tokens) of bool, the row looks.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> places = pattern_places(bert, bert.read("The cat sat."))["previous"]
    >>> places.nonzero().tolist()  # cat looks at the, sat at cat, the full stop at sat
    [[2, 1], [3, 2], [4, 3]]
    """
    cls, sep = reading.ids == bert.tokenizer.cls_token_id, reading.ids == bert.tokenizer.sep_token_id
    pieces = ~(cls | sep)
    signs = torch.tensor([not any(map(str.isalnum, token)) for token in reading.tokens])
    words = pieces & ~signs
    columns = {"[CLS] receives": cls, "[SEP] receives": sep}
    looked_at = {"[CLS] to itself": cls, "[CLS] to [SEP]": sep, "[CLS] to signs": signs, "[CLS] to words": words}
    return (
        piece_patterns(reading.ids, pieces, ~pieces)
        | {name: pieces[:, None] & column for name, column in columns.items()}
        | {name: cls[:, None] & column for name, column in looked_at.items()}
    )


def piece_patterns(
    ids: Tensor, looking: Tensor, special: Tensor, neighbours: Tensor | None = None
) -> dict[str, Tensor]:
    """Return the places, (tokens, tokens) each, of the patterns in pieces' rows: neighbours and ``special``.

    `looking` are the tokens whose rows count, `special` those that the pattern of this name means, `neighbours` those
    that count as a previous or next one, by default all but the special ones; (tokens,) each.
    """
    place = torch.arange(len(ids))
    step = place - place[:, None]  # (tokens, tokens): how far the column is to the right of the row
    near = looking[:, None] & (~special if neighbours is None else neighbours)
    return {
        "itself": looking[:, None] & (step == 0),
        "previous": near & (step == -1),
        "next": near & (step == 1),
        "same piece": looking[:, None] & (ids[:, None] == ids) & (step != 0),
        "special": looking[:, None] & special,
    }


def by_row(weights: Tensor, places: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return every measure of one text row by row, (layers, heads, rows that count).

    `weights`, (layers, heads, tokens, tokens), have rows that add up to one; `places` are as `pattern_places` returns
    them. Of `ENTROPIES` those are returned whose rows are known.
    """
    measured = {name: (weights * where).sum(-1)[..., where.any(-1)] for name, where in places.items()}
    spread = torch.special.entr(weights).sum(-1)  # -w log w, and 0 for a weight of 0
    return measured | {name: spread[..., places[rows].any(-1)] for name, rows in ENTROPIES.items() if rows in places}

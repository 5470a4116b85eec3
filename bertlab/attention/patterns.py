"""Patterns of attention, such as looking at the token itself, at its neighbours, or at [CLS] (lesson 4).

A *pattern* is a set of positions in a matrix of attention weights. A row counts if it has such a position; its weight
on the pattern is the sum over these positions, and a head's is the mean over all rows that count, in all texts. Clark
et al. (2019, section 3) and Kovaleva et al. (2019, section 4.1) describe such patterns; which rows count is our choice.
A piece is any token except [CLS] and [SEP], so [MASK] and [UNK] too; a sign is a piece without letter or digit.
"""

import torch
from torch import Tensor

from bertlab.bert.loading import Bert
from bertlab.bert.reading import Reading

PATTERNS = ("itself", "previous", "next", "same piece", "special", "[CLS] receives", "[SEP] receives")
PATTERNS += ("[CLS] to itself", "[CLS] to [SEP]", "[CLS] to signs", "[CLS] to words")


def pattern_places(bert: Bert, reading: Reading) -> dict[str, Tensor]:
    """Return the positions of each of `PATTERNS` in one text, (tokens, tokens) of bool."""
    ids = reading.ids
    cls, sep = ids == bert.tokenizer.cls_token_id, ids == bert.tokenizer.sep_token_id
    pieces = ~(cls | sep)
    signs = torch.tensor([not any(map(str.isalnum, token)) for token in reading.tokens])
    place = torch.arange(len(ids))
    step = place - place[:, None]  # (tokens, tokens): how far the column is to the right of the row
    row, from_cls, both_pieces = pieces[:, None], cls[:, None], pieces[:, None] & pieces
    return {
        "itself": row & (step == 0),
        "previous": both_pieces & (step == -1),
        "next": both_pieces & (step == 1),
        "same piece": row & (ids[:, None] == ids) & (step != 0),
        "special": row & ~pieces,
        "[CLS] receives": row & cls,
        "[SEP] receives": row & sep,
        "[CLS] to itself": from_cls & cls,
        "[CLS] to [SEP]": from_cls & sep,
        "[CLS] to signs": from_cls & signs,
        "[CLS] to words": from_cls & pieces & ~signs,
    }

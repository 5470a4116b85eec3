"""Patterns of attention, such as looking at the token itself, at its neighbours, or at [CLS] (lesson 4).

A *pattern* is a set of positions in a matrix of attention weights. A row counts if it has such a position; its weight
on the pattern is the sum over these positions, and a head's is the mean over all rows that count, in all texts. Clark
et al. (2019, section 3) and Kovaleva et al. (2019, section 4.1) describe such patterns; which rows count is our choice.
A piece is any token except [CLS] and [SEP], so [MASK] and [UNK] too; a sign is a piece without letter or digit.
"""

from types import SimpleNamespace

import torch
from torch import Tensor

from bertlab.bert.loading import Bert
from bertlab.bert.reading import Reading

PATTERNS = {  # of a row, which looks, and of columns, at which it looks
    "itself": lambda row, column, step: row.piece & (step == 0),
    "previous": lambda row, column, step: row.piece & column.piece & (step == -1),
    "next": lambda row, column, step: row.piece & column.piece & (step == 1),
    "same piece": lambda row, column, step: row.piece & (row.ids == column.ids) & (step != 0),
    "special": lambda row, column, step: row.piece & ~column.piece,
    "[CLS] receives": lambda row, column, step: row.piece & column.cls,
    "[SEP] receives": lambda row, column, step: row.piece & column.sep,
    "[CLS] to itself": lambda row, column, step: row.cls & column.cls,
    "[CLS] to [SEP]": lambda row, column, step: row.cls & column.sep,
    "[CLS] to signs": lambda row, column, step: row.cls & column.sign,
    "[CLS] to words": lambda row, column, step: row.cls & column.piece & ~column.sign,
}


def pattern_places(bert: Bert, reading: Reading) -> dict[str, Tensor]:
    """Return the positions of each of `PATTERNS` in one text, (tokens, tokens) of bool."""
    ids = reading.ids
    of_token = {"ids": ids, "cls": ids == bert.tokenizer.cls_token_id, "sep": ids == bert.tokenizer.sep_token_id}
    of_token["piece"] = ~(of_token["cls"] | of_token["sep"])
    of_token["sign"] = torch.tensor([not any(map(str.isalnum, token)) for token in reading.tokens])
    row = SimpleNamespace(**{name: values[:, None] for name, values in of_token.items()})
    place = torch.arange(len(ids))
    step = place - place[:, None]  # how far the column is to the right of the row
    return {name: rule(row, SimpleNamespace(**of_token), step) for name, rule in PATTERNS.items()}

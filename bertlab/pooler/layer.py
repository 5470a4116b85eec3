"""The next-sentence head, on top of the pooler (lesson 2)."""

import torch
from torch import Tensor

from bertlab.arguments import Some, guarded
from bertlab.bert.loading import Bert


@guarded
def next_sentence(bert: Bert, pairs: Some[tuple[str, str]]) -> Tensor:
    """Return the probability that each second sentence follows the first, by the next-sentence head.

    Parameters
    ----------
    bert : Bert
        The model whose pooler and head are used.
    pairs : list of (str, str)
        Pairs of sentences.

    Returns
    -------
    Tensor
        The probability of "is next", label 0 of the head's two, (pairs,).

    Raises
    ------
    MissingPartError
        If the checkpoint was saved without its pooler or this head.

    Examples
    --------
    >>> next_sentence(bertlab.load("bertlab-mini"), [("It rained all day.", "We stayed at home.")]).shape
    torch.Size([1])
    """
    bert.require("next-sentence head")
    pooled = torch.stack([reading.pooled for reading in bert.read_all(pairs)])
    head = bert.model.cls.seq_relationship
    with torch.no_grad():
        logits = pooled @ head.weight.T.cpu() + head.bias.cpu()
    return logits.softmax(dim=-1)[:, 0]

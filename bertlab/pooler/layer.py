"""The pooler, one vector of a whole text, and the next-sentence head on top of it, written out in lesson 2."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from bertlab.bert.arguments import require_axes, require_pairs

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert


def pooler_output(bert: "Bert", hidden: Tensor) -> Tensor:
    """Return the pooled vectors of a batch, (texts, hidden): tanh(W · h + b) of each text's first token, [CLS].

    `hidden` is the last layer's output, (texts, tokens, hidden); padding does not matter. A checkpoint that was saved
    without its pooler is a `MissingPartError`.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> pooler_output(bert, bert.read("The cat sat.").hidden[-1:]).shape
    torch.Size([1, 256])
    """
    bert.require("pooler")
    require_axes("texts, tokens, hidden", hidden=hidden)
    pooler: Any = bert.model.bert.pooler
    dense = pooler.dense
    with torch.no_grad():
        return torch.tanh(hidden[:, 0].to(dense.weight.device) @ dense.weight.T + dense.bias)


def next_sentence(bert: "Bert", pairs: Iterable[tuple[str, str]]) -> Tensor:
    """Return the probability, by the next-sentence head, that each second sentence follows the first, (pairs,).

    The head's label 0 means "is next" (Devlin et al. 2019; transformers). A checkpoint that was saved without its
    pooler or this head is a `MissingPartError`.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> next_sentence(bert, [("It rained all day.", "We stayed at home.")]).shape
    torch.Size([1])
    """
    bert.require("next-sentence head")
    pooled = torch.stack([reading.pooled for reading in bert.read_all(require_pairs(pairs=pairs))])
    head = bert.model.cls.seq_relationship
    with torch.no_grad():
        logits = pooled @ head.weight.T.cpu() + head.bias.cpu()
    return logits.softmax(dim=-1)[:, 0]

"""The pooler and the next-sentence head on top of it, written out in lesson 2.

The pooler makes one vector of a whole text, out of the first token's. What that vector is worth is for the
lesson to say; other ways to make one are in lesson 5.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from bertlab.bert.texts import listed

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert


def pooler_output(bert: "Bert", hidden: Tensor) -> Tensor:
    """Return the pooled vectors of a batch: tanh(W · h + b) of each text's first token, [CLS].

    Parameters
    ----------
    bert
    hidden : (texts, tokens, hidden)
        The last layer's output. Padding does not matter: only the first token counts.

    Returns
    -------
    torch.Tensor, (texts, hidden)
        Between -1 and 1, detached, on the model's device.

    Raises
    ------
    MissingPartError
        If the checkpoint was saved without its pooler.
    ValueError
        If `hidden` has other axes: one row a text, for example, is already too late for the pooler.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> pooler_output(bert, bert.read("The cat sat.").hidden[-1:]).shape
    torch.Size([1, 256])
    """
    bert.require("pooler")
    if hidden.ndim != 3:
        raise ValueError(
            f"The pooler takes a batch, (texts, tokens, hidden), and picks the first tokens itself; this has shape "
            f"{tuple(hidden.shape)}. For one text use reading.hidden[-1:]."
        )
    pooler: Any = bert.model.bert.pooler
    dense = pooler.dense
    with torch.no_grad():
        return torch.tanh(hidden[:, 0].to(dense.weight.device) @ dense.weight.T + dense.bias)


def next_sentence(bert: "Bert", pairs: Iterable[tuple[str, str]]) -> Tensor:
    """Return the probability, by the next-sentence head, that each second sentence follows the first.

    Parameters
    ----------
    bert
    pairs

    Returns
    -------
    torch.Tensor, (pairs,)
        Between 0 and 1. The head's label 0 means "is next" (Devlin et al. 2019; transformers).

    Raises
    ------
    MissingPartError
        If the checkpoint was saved without its pooler or its next-sentence head.
    TypeError, ValueError
        As `Bert.read_all`, or if there is no pair.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> next_sentence(bert, [("It rained all day.", "We stayed at home.")]).shape
    torch.Size([1])
    """
    bert.require("next-sentence head")
    bert.require("pooler")
    pairs = listed(pairs)
    if not pairs:
        raise ValueError("There is no pair to judge. Give a list of pairs: [('first', 'second'), ...].")
    for i, pair in enumerate(pairs):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(
                f"Item {i} of {len(pairs)} is {_kind(pair)}, not a pair: {pair!r:.60}. next_sentence takes a list of "
                "pairs, one pair too: next_sentence(bert, [('first', 'second')])."
            )
    pooled = torch.stack([reading.pooled for reading in bert.read_all(pairs)])
    head = bert.model.cls.seq_relationship
    with torch.no_grad():
        logits = pooled @ head.weight.T.cpu() + head.bias.cpu()
    return logits.softmax(dim=-1)[:, 0]


def _kind(given: object) -> str:
    """Return what stands in the place of a pair."""
    return f"a tuple of {len(given)}" if isinstance(given, tuple) else type(given).__name__

"""What training makes of a text: pieces are chosen, and most of them hidden (written out in lesson 6)."""

import torch
from torch import Tensor
from transformers import BertTokenizer

from bertlab.arguments import Share, guarded


@guarded
def corrupt(ids: Tensor, rate: Share, tokenizer: BertTokenizer) -> tuple[Tensor, Tensor]:
    """Return what goes in, and which positions were chosen, as in Devlin et al. (2019).

    Of the chosen pieces, 80 % become [MASK], 10 % a random piece, and 10 % stay. Torch's seed decides.

    Parameters
    ----------
    ids : Tensor
        (..., tokens); special tokens are never chosen.
    rate, tokenizer
        The share of the pieces that are chosen, on average; the tokenizer knows [MASK] and the special tokens.

    Returns
    -------
    tuple of Tensor
        The corrupted ids and True where a piece was chosen, both (..., tokens).

    Examples
    --------
    >>> bert = bertlab.load()
    >>> reading = bert.read("The cat sat on the mat.")
    >>> given, chosen = bertlab.masking.corrupt(reading.ids, 0, bert.tokenizer)
    >>> given.equal(reading.ids), chosen.any().item()
    (True, False)
    """
    if ids.is_floating_point():
        raise TypeError("ids must be whole numbers, such as reading.ids.")
    special = torch.tensor(tokenizer.all_special_ids)
    chosen = (torch.rand(ids.shape) < rate) & ~torch.isin(ids, special)
    lot = torch.rand(ids.shape)
    given = ids.clone()
    given[chosen & (lot < 0.8)] = tokenizer.mask_token_id
    other = chosen & (lot >= 0.8) & (lot < 0.9)
    given[other] = torch.randint(len(tokenizer), (int(other.sum()),))
    return given, chosen

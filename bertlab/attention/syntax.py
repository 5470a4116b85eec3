"""From attention between pieces to attention between words (lesson 4, Clark et al. 2019)."""

import torch
from torch import Tensor

from bertlab.arguments import Some, guarded, require_fit
from bertlab.bert.reading import Reading


@guarded
def to_words(weights: Tensor, reading: Reading, spans: Some[tuple[int, int]]) -> Tensor:
    """Turn attention weights between tokens into weights between words (Clark et al. 2019).

    The weight on a word is the sum over its pieces; the weight from a word is the mean over its pieces. Words that do
    not begin and end where tokens do are a `ValueError`, and so is the reading of a pair.

    Parameters
    ----------
    weights : (..., tokens, tokens)
        Attention weights, such as ``reading.attention``.
    reading : Reading
        The reading of one sentence that they come from.
    spans : list of (int, int)
        The start and end of each word in ``reading.text``, such as ``tree.spans``.

    Returns
    -------
    Tensor
        Weights between words, (..., words, words).

    Examples
    --------
    >>> reading = bertlab.load("bertlab-mini").read("The cat sat.")
    >>> to_words(reading.attention, reading, [(0, 3), (4, 7), (8, 11), (11, 12)]).shape[-2:]
    torch.Size([4, 4])
    """
    if reading.pair is not None:
        raise ValueError("Spans are places in one sentence, and this reading is of a pair. Read the sentence alone.")
    start, end = torch.tensor(reading.offsets).T  # (tokens,) each; 0 and 0 for special tokens
    require_fit(weights.shape[-2:] == 2 * start.shape, weights=weights, tokens=start)
    places = torch.tensor(spans)  # (words, 2)
    first, last = places[:, :1], places[:, 1:]  # (words, 1) each
    touched = (start < last) & (end > first)  # (words, tokens)
    inside = (start >= first) & (end <= last) & touched
    if not inside.any(dim=1).all() or (touched & ~inside).any() or (inside.sum(dim=0) > 1).any():
        raise ValueError(
            f"These words do not begin and end where tokens of {reading.text!r} do, each its own: {spans}."
        )
    onto = inside.float()
    out_of = onto / onto.sum(dim=1, keepdim=True)
    return out_of @ weights @ onto.T

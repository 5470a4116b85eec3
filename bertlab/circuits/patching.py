"""Take one vector from another sentence, and see how much of the difference at [MASK] comes with it (lesson 9)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from bertlab.attention.layer import features_of
from bertlab.bert.arguments import require_list, require_place
from bertlab.circuits.sides import Choice, Pair, Words, onward, onward_from_heads, sides

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert


def preference(bert: "Bert", texts: Sequence[str], words: Words) -> Tensor:
    """Return which of two lists of words BERT prefers at the [MASK] of each text.

    Parameters
    ----------
    bert : Bert
        The model that reads the texts.
    texts : list of str
        Sentences with one [MASK] each, all with the same number of tokens.
    words : two lists of str
        The words that compete, such as ``[["is", "was"], ["are", "were"]]``; each is one piece.

    Returns
    -------
    Tensor
        The mean logit of the second words minus the mean logit of the first, (texts,).

    Raises
    ------
    MissingPartError
        If the checkpoint was saved without its masked-word head.
    ValueError
        If a text has no [MASK] or several, the texts differ in length, or a word has several pieces.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> one, many = preference(bert, ["The dog [MASK] old.", "The dogs [MASK] old."], [["is"], ["are"]])
    >>> bool(one < 0 < many)
    True
    """
    texts = require_list(texts=texts)
    side, _ = sides(bert, [(text, text) for text in texts])
    return Choice(bert, words).preference(side.hidden[-1], side.place).cpu()


def patch_positions(bert: "Bert", pairs: Sequence[Pair], words: Words) -> Tensor:
    """Return how much of a difference at [MASK] comes with one vector that is taken from the other sentence.

    Parameters
    ----------
    bert : Bert
        The model that reads the sentences.
    pairs : list of (str, str)
        Pairs (text, other), such as the same sentence with a noun in the singular and in the plural. All sentences have
        the same number of tokens, and one [MASK] each, which in a pair is at the same position.
    words : two lists of str
        The words that compete at [MASK], such as ``[["is", "was"], ["are", "were"]]``; each is one piece.

    Returns
    -------
    Tensor
        (layers + 1, tokens). Row 0 is for the output of the embedding layer, row i for the output of the i-th layer. A
        number is the share of the mean whole difference between `other` and `text` that appears in `text` when this one
        vector is replaced by the vector of `other`: 0 means nothing, 1 all of it.

    Raises
    ------
    MissingPartError
        If the checkpoint was saved without its masked-word head.
    ValueError
        If a sentence has no [MASK] or several, sentences differ in length, a word has several pieces, or the sentences
        of the pairs do not differ.

    References
    ----------
    Vig et al. (2020), "Investigating gender bias in language models using causal mediation analysis"; Meng et al.
    (2022), "Locating and editing factual associations in GPT".

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> pairs = [("The dog near us [MASK] old.", "The dogs near us [MASK] old.")]
    >>> shares = patch_positions(bert, pairs, [["is"], ["are"]])
    >>> shares.shape, round(shares[0, 2].item(), 2)  # before the first layer, all of it is in the noun
    (torch.Size([5, 9]), 1.0)
    """
    return share(bert, pairs, words, moved_by_positions(bert, pairs, words))


def patch_heads(bert: "Bert", pairs: Sequence[Pair], words: Words, position: int | None = None) -> Tensor:
    """Return how much of a difference at [MASK] comes with the output of one head, at [MASK] or at another position.

    What a head makes is its weighted sum of values, before the output projection.

    Parameters
    ----------
    bert : Bert
        The model that reads the sentences.
    pairs : list of (str, str)
        As for `patch_positions`.
    words : two lists of str
        As for `patch_positions`.
    position : int, optional
        The position of the token, counted from 0 with [CLS]; by default that of [MASK].

    Returns
    -------
    Tensor
        (layers, heads): the share of the mean whole difference that appears in `text` when what this head makes at
        this position is taken from `other`.

    Raises
    ------
    IndexError
        If the sentences have no such position.
    MissingPartError, ValueError
        As for `patch_positions`.

    References
    ----------
    Vig et al. (2020); Wang et al. (2023), "Interpretability in the wild".

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> pairs = [("The dog near us [MASK] old.", "The dogs near us [MASK] old.")]
    >>> patch_heads(bert, pairs, [["is"], ["are"]]).shape
    torch.Size([4, 8])
    """
    return share(bert, pairs, words, moved_by_heads(bert, pairs, words, position))


def differences(bert: "Bert", pairs: Sequence[Pair], words: Words) -> Tensor:
    """Return by how much `other` and `text` differ in their preference, (pairs,)."""
    text, other = sides(bert, pairs)
    choice = Choice(bert, words)
    return (choice.preference(other.hidden[-1], other.place) - choice.preference(text.hidden[-1], text.place)).cpu()


def share(bert: "Bert", pairs: Sequence[Pair], words: Words, moved: Tensor) -> Tensor:
    """Return the mean of differences, (..., pairs), as a share of the mean whole difference."""
    whole = differences(bert, pairs, words).mean()
    if whole.abs() < 1e-6:
        raise ValueError("The two sentences of these pairs do not differ at [MASK], so there is nothing to share out.")
    return moved.mean(dim=-1) / whole


def moved_by_positions(bert: "Bert", pairs: Sequence[Pair], words: Words) -> Tensor:
    """Return what `patch_positions` takes the mean of, (layers + 1, tokens, pairs)."""
    text, other = sides(bert, pairs)
    choice = Choice(bert, words)
    low = choice.preference(text.hidden[-1], text.place)
    moved = []
    for number, (own, others) in enumerate(zip(text.hidden, other.hidden, strict=True)):
        tokens = own.shape[1]
        copies = own.repeat(tokens, 1, 1, 1)  # (tokens, pairs, tokens, hidden): one token of each copy is swapped
        for token in range(tokens):
            copies[token, :, token] = others[:, token]
        last = onward(bert, copies.flatten(0, 1), number)
        moved.append(choice.preference(last, text.place.repeat(tokens)).view(tokens, -1) - low)
    return torch.stack(moved).cpu()


def moved_by_heads(bert: "Bert", pairs: Sequence[Pair], words: Words, position: int | None = None) -> Tensor:
    """Return what `patch_heads` takes the mean of, (layers, heads, pairs)."""
    text, other = sides(bert, pairs)
    choice, heads = Choice(bert, words), bert.model.config.num_attention_heads
    low, rows = choice.preference(text.hidden[-1], text.place), torch.arange(len(text.place))
    at = text.place
    if position is not None:
        require_place(text.hidden[0].shape[1], position=position)
        at = torch.full_like(text.place, position)
    moved = []
    for number, (own, others) in enumerate(zip(text.joined, other.joined, strict=True)):
        copies = own.repeat(heads, 1, 1, 1)  # (heads, pairs, tokens, hidden)
        for head in range(heads):
            features = features_of(bert, head)
            copies[head, rows, at, features] = others[rows, at, features]
        last = onward_from_heads(bert, text.hidden[number].repeat(heads, 1, 1), copies.flatten(0, 1), number)
        moved.append(choice.preference(last, text.place.repeat(heads)).view(heads, -1) - low)
    return torch.stack(moved).cpu()

"""Take one vector from another sentence, and see how much of the difference at [MASK] comes with it (lesson 9)."""

import torch
from torch import Tensor

from bertlab.arguments import Some, guarded, require_place
from bertlab.bert.loading import Bert
from bertlab.circuits.sides import Choice, Pair, Side, Words, onward, read, sides, with_each_head


@guarded
def preference(bert: Bert, texts: Some[str], words: Words) -> Tensor:
    """Return which of two lists of words BERT prefers at the [MASK] of each text.

    Parameters
    ----------
    bert : Bert
        The model.
    texts : list of str
        Sentences with one [MASK] each, all with the same number of tokens.
    words : two lists of str
        As for `patch_positions`.

    Returns
    -------
    Tensor
        The mean logit of the second words minus the mean logit of the first, (texts,).

    Examples
    --------
    >>> preference(bertlab.load("bertlab-mini"), ["The dog [MASK] old.", "The dogs [MASK] old."], [["is"], ["are"]]) > 0
    tensor([False,  True])
    """
    return Choice(bert, words).preference(read(bert, texts).at_mask).cpu()


@guarded
def patch_positions(bert: Bert, pairs: Some[Pair], words: Words) -> Tensor:
    """Return how much of a difference at [MASK] comes with one vector taken from the other sentence (Vig et al. 2020).

    Parameters
    ----------
    bert : Bert
        The model.
    pairs : list of (str, str)
        Sentences (text, other), as with a noun in the singular and in the plural: all of one length in tokens, with one
        [MASK] each, in a pair at the same position.
    words : two lists of str
        The words that compete at [MASK], such as ``[["is", "was"], ["are", "were"]]``; each is one piece.

    Returns
    -------
    Tensor
        (layers + 1, tokens), row 0 for the embedding layer's output: the share of the mean difference between `other`
        and `text` that appears in `text` if this vector is that of `other`; 0 is nothing, 1 all of it.

    Raises
    ------
    MissingPartError, ValueError
        If the checkpoint lacks its masked-word head, or the sentences of the pairs do not differ at [MASK].

    Examples
    --------
    >>> pairs = [("The dog near us [MASK] old.", "The dogs near us [MASK] old.")]
    >>> patch_positions(bertlab.load("bertlab-mini"), pairs, [["is"], ["are"]]).shape
    torch.Size([5, 9])
    """
    both, choice = sides(bert, pairs), Choice(bert, words)
    return share(both, choice, moved_by_positions(bert, both, choice))


@guarded
def patch_heads(bert: Bert, pairs: Some[Pair], words: Words, position: int | None = None) -> Tensor:
    """Return how much of a difference at [MASK] comes with the output of one head, before the output projection.

    Parameters
    ----------
    bert, pairs, words
        As for `patch_positions`.
    position : int, optional
        The position whose output is taken from `other`, counted from 0 with [CLS]; by default that of [MASK].

    Returns
    -------
    Tensor
        (layers, heads): the share of the mean difference that comes with each head.

    Examples
    --------
    >>> pairs = [("The dog near us [MASK] old.", "The dogs near us [MASK] old.")]
    >>> patch_heads(bertlab.load("bertlab-mini"), pairs, [["is"], ["are"]]).shape
    torch.Size([4, 8])
    """
    both, choice = sides(bert, pairs), Choice(bert, words)
    return share(both, choice, moved_by_heads(bert, both, choice, position))


def differences(both: tuple[Side, Side], choice: Choice) -> Tensor:
    """Return by how much `other` and `text` differ in their preference, (pairs,)."""
    text, other = (choice.preference(side.at_mask) for side in both)
    return (other - text).cpu()


def share(both: tuple[Side, Side], choice: Choice, moved: Tensor) -> Tensor:
    """Return the mean of differences, (..., pairs), as a share of the mean whole difference."""
    whole = differences(both, choice).mean()
    if whole.abs() < 1e-6:
        raise ValueError("The two sentences of these pairs do not differ at [MASK], so there is nothing to share out.")
    return moved.mean(dim=-1) / whole


def moved_by_positions(bert: Bert, both: tuple[Side, Side], choice: Choice) -> Tensor:
    """Return what `patch_positions` takes the mean of, (layers + 1, tokens, pairs)."""
    text, other = both
    low, moved = choice.preference(text.at_mask), []
    for number, (own, others) in enumerate(zip(text.hidden, other.hidden, strict=True)):
        tokens = own.shape[1]
        copies = own.repeat(tokens, 1, 1, 1)  # (tokens, pairs, tokens, hidden): one token of each copy is swapped
        for token in range(tokens):
            copies[token, :, token] = others[:, token]
        at_mask = onward(bert, copies.flatten(0, 1), number, text.place.repeat(tokens))
        moved.append(choice.preference(at_mask).view(tokens, -1) - low)
    return torch.stack(moved).cpu()


def moved_by_heads(bert: Bert, both: tuple[Side, Side], choice: Choice, position: int | None = None) -> Tensor:
    """Return what `patch_heads` takes the mean of, (layers, heads, pairs)."""
    text, other = both
    rows, places = torch.arange(len(text.place)), text.place
    if position is not None:
        require_place(text.hidden[0].shape[1], position=position)
        places = torch.full_like(text.place, position)
    replacements = [outputs.clone() for outputs in text.joined]
    for replacement, outputs in zip(replacements, other.joined, strict=True):
        replacement[rows, places] = outputs[rows, places]
    return (with_each_head(bert, choice, text, replacements) - choice.preference(text.at_mask)).cpu()

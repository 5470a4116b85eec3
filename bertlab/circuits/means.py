"""Set heads to their mean over all sentences, so that they say nothing about one, and see what is lost (lesson 9)."""

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from bertlab.attention.layer import features_of, layer_of
from bertlab.bert.arguments import require_place
from bertlab.bert.loading import Bert
from bertlab.circuits.patching import share
from bertlab.circuits.sides import Choice, Pair, Side, Words, onward, sides, with_each_head

Kept = Iterable[tuple[int, int, Iterable[int]]]  # layer, head, positions


def share_lost(bert: Bert, pairs: Sequence[Pair], words: Words) -> Tensor:
    """Return how much of a difference at [MASK] is lost when one head says nothing about the sentence.

    The head's output is replaced by its mean over all sentences of the pairs, position by position. Zeros mislead,
    because the layers that follow have never met them (Zhang and Nanda 2024).

    Parameters
    ----------
    bert, pairs, words
        As for `patch_positions`.

    Returns
    -------
    Tensor
        (layers, heads): 0 where nothing is lost, 1 where all of it is.

    Examples
    --------
    >>> pairs = [("I saw [MASK] apple.", "I saw [MASK] pear."), ("I saw [MASK] egg.", "I saw [MASK] fish.")]
    >>> share_lost(bertlab.load("bertlab-mini"), pairs, [["an"], ["a"]]).argmax()  # head 1 of layer 0: the next word
    tensor(1)
    """
    return 1 - share(bert, pairs, words, left_without_heads(bert, pairs, words))


def share_kept(bert: Bert, pairs: Sequence[Pair], words: Words, kept: Kept) -> float:
    """Return how much of a difference at [MASK] is left when all heads but a few say nothing about the sentence.

    The other heads give their mean, as in `share_lost`; the feed-forward blocks stay as they are (Wang et al. 2023).

    Parameters
    ----------
    bert, pairs, words
        As for `patch_positions`.
    kept : list of (int, int, list of int)
        The layer, the head, and the positions of the tokens at which it keeps its own output.

    Returns
    -------
    float
        The share that is left.

    Examples
    --------
    >>> pairs = [("I saw [MASK] apple.", "I saw [MASK] pear."), ("I saw [MASK] egg.", "I saw [MASK] fish.")]
    >>> share_kept(bertlab.load("bertlab-mini"), pairs, [["an"], ["a"]], kept=[]) < 0.1
    True
    """
    return share(bert, pairs, words, left_with_heads(bert, pairs, words, kept)).item()


def left_without_heads(bert: Bert, pairs: Sequence[Pair], words: Words) -> Tensor:
    """Return the differences that are left with each head at its mean, (layers, heads, pairs)."""
    both, choice = sides(bert, pairs), Choice(bert, words)
    text, other = (with_each_head(bert, choice, side, means_of_heads(both)) for side in both)
    return (other - text).cpu()


def left_with_heads(bert: Bert, pairs: Sequence[Pair], words: Words, kept: Kept) -> Tensor:
    """Return the differences that are left with all heads at their means but those that are kept, (pairs,)."""
    both = sides(bert, pairs)
    choice, means = Choice(bert, words), means_of_heads(both)
    is_kept = [torch.zeros_like(mean, dtype=torch.bool) for mean in means]  # (tokens, hidden): which numbers are kept
    for layer, head, positions in kept:
        layer_of(bert, layer)
        for position in positions:
            require_place(len(is_kept[0]), position=position)
            is_kept[layer][position, features_of(bert, head)] = True

    def change(number: int, joined: Tensor) -> Tensor:
        return torch.where(is_kept[number], joined, means[number])

    text, other = (choice.preference(onward(bert, side.hidden[0], 0, change), side.place) for side in both)
    return (other - text).cpu()


def means_of_heads(both: tuple[Side, Side]) -> list[Tensor]:
    """Return the mean of what each layer's heads make, over all sentences, (tokens, hidden) each."""
    return [torch.cat(joined).mean(dim=0) for joined in zip(*(side.joined for side in both), strict=True)]

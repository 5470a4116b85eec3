"""Set heads to their mean over all sentences, so that they say nothing about one, and see what is lost (lesson 9)."""

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor
from torch.nn.functional import linear, scaled_dot_product_attention

from bertlab.arguments import Some, guarded, require_place
from bertlab.attention.layer import features_of, layer_of
from bertlab.bert.loading import Bert
from bertlab.circuits.patching import share
from bertlab.circuits.sides import Choice, Pair, Side, Words, after_heads, layers_of, sides, with_each_head

Kept = Iterable[tuple[int, int, Iterable[int]]]  # layer, head, positions


@guarded
def share_lost(bert: Bert, pairs: Some[Pair], words: Words) -> Tensor:
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
    both, choice = sides(bert, pairs), Choice(bert, words)
    return 1 - share(both, choice, left_without_heads(bert, both, choice))


@guarded
def share_kept(bert: Bert, pairs: Some[Pair], words: Words, sets: Some[Kept]) -> Tensor:
    """Return how much of a difference at [MASK] is left when all heads but a few say nothing about the sentence.

    The other heads give their mean, as in `share_lost`; the feed-forward blocks stay as they are (Wang et al. 2023).

    Parameters
    ----------
    bert, pairs, words
        As for `patch_positions`.
    sets : list of lists of (int, int, list of int)
        Sets of heads, of which one at a time is kept: of each head the layer, its number, and the positions of the
        tokens at which it keeps its own output.

    Returns
    -------
    Tensor
        The share that is left with each set, (sets,).

    Examples
    --------
    >>> pairs = [("I saw [MASK] apple.", "I saw [MASK] pear."), ("I saw [MASK] egg.", "I saw [MASK] fish.")]
    >>> share_kept(bertlab.load("bertlab-mini"), pairs, [["an"], ["a"]], [[], [(0, 1, [3])]]) > 0.1
    tensor([False,  True])
    """
    both, choice = sides(bert, pairs), Choice(bert, words)
    return share(both, choice, left_with_heads(bert, both, choice, sets))


def left_without_heads(bert: Bert, both: tuple[Side, Side], choice: Choice) -> Tensor:
    """Return the differences that are left with each head at its mean, (layers, heads, pairs)."""
    text, other = (with_each_head(bert, choice, side, means_of_heads(both)) for side in both)
    return (other - text).cpu()


def left_with_heads(bert: Bert, both: tuple[Side, Side], choice: Choice, sets: Sequence[Kept]) -> Tensor:
    """Return the differences that are left with all heads at their means but those of a set, (sets, pairs)."""
    means, left = means_of_heads(both), []
    for side in both:
        silent = [side.hidden[0]]  # what each layer gets if no head says anything
        with torch.no_grad():
            for layer, mean in zip(layers_of(bert), means, strict=True):
                silent.append(after_heads(layer, silent[-1], mean.repeat(len(silent[-1]), 1, 1)))
        vectors = [_at_mask(bert, side.place, means, silent, kept) for kept in sets]
        left.append(torch.stack([choice.preference(at_mask) for at_mask in vectors]))
    return (left[1] - left[0]).cpu()


@torch.no_grad()
def _at_mask(bert: Bert, place: Tensor, means: Sequence[Tensor], silent: Sequence[Tensor], kept: Kept) -> Tensor:
    """Return the last layer's output at [MASK], (texts, hidden); where no kept head has spoken, it is the silent one.

    So only the other positions are computed, and of their heads only those that are kept.
    """
    hidden, spoken, heads = silent[0], set(), []
    for number, head, positions in kept:
        layer_of(bert, number)
        heads.append((number, features_of(bert, head), list(positions)))
        for position in heads[-1][-1]:
            require_place(hidden.shape[1], position=position)
    for number, (layer, mean) in enumerate(zip(layers_of(bert), means, strict=True)):
        joined = mean.repeat(len(hidden), 1, 1)
        parts = [getattr(layer.attention.self, name) for name in ("query", "key", "value")]
        for _, features, positions in (head for head in heads if head[0] == number):
            query, key, value = (linear(hidden, part.weight[features], part.bias[features]) for part in parts)
            joined[:, positions, features] = scaled_dot_product_attention(query[:, positions], key, value)
            spoken.update(positions)
        before, rows = hidden, sorted(spoken)
        hidden = silent[number + 1].clone()
        hidden[:, rows] = after_heads(layer, before[:, rows], joined[:, rows])
    return hidden[torch.arange(len(place)), place]


def means_of_heads(both: tuple[Side, Side]) -> list[Tensor]:
    """Return the mean of what each layer's heads make, over all sentences, (tokens, hidden) each."""
    return [torch.cat(joined).mean(dim=0) for joined in zip(*(side.joined for side in both), strict=True)]

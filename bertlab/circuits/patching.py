"""Take one vector from another sentence, and see how much of the difference at [MASK] comes with it (lesson 9)."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from bertlab.attention.layer import features_of, layer_of
from bertlab.bert.arguments import require_list
from bertlab.circuits.sides import Choice, Pair, Side, Words, onward, onward_from_heads, sides

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
        the same number of tokens, and one [MASK] each, which in a pair is at the same place.
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
    return _share(bert, pairs, words, moved_by_positions(bert, pairs, words))


def patch_heads(bert: "Bert", pairs: Sequence[Pair], words: Words) -> Tensor:
    """Return how much of a difference at [MASK] comes with the output of one head there.

    What a head makes is its weighted sum of values, before the output projection.

    Parameters
    ----------
    bert : Bert
        The model that reads the sentences.
    pairs : list of (str, str)
        As for `patch_positions`.
    words : two lists of str
        As for `patch_positions`.

    Returns
    -------
    Tensor
        (layers, heads): the share of the mean whole difference that appears in `text` when what this head makes at
        [MASK] is taken from `other`.

    Raises
    ------
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
    return _share(bert, pairs, words, moved_by_heads(bert, pairs, words))


def share_lost(bert: "Bert", pairs: Sequence[Pair], words: Words) -> Tensor:
    """Return how much of a difference at [MASK] is lost when one head says nothing about the sentence.

    In the place of what the head makes comes its mean over all sentences, for each token's place by itself. Zeros would
    be something that the layers after it have never met.

    Parameters
    ----------
    bert : Bert
        The model that reads the sentences.
    pairs : list of (str, str)
        As for `patch_positions`.
    words : two lists of str
        As for `patch_positions`.

    Returns
    -------
    Tensor
        (layers, heads): 0 where nothing is lost, 1 where all of it is.

    Raises
    ------
    MissingPartError, ValueError
        As for `patch_positions`.

    References
    ----------
    Zhang and Nanda (2024), "Towards best practices of activation patching in language models".

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> pairs = [("I saw [MASK] apple.", "I saw [MASK] pear."), ("I saw [MASK] egg.", "I saw [MASK] fish.")]
    >>> lost = share_lost(bert, pairs, [["an"], ["a"]])
    >>> divmod(int(lost.argmax()), 8)  # layer 0, head 1: the next word
    (0, 1)
    """
    return 1 - _share(bert, pairs, words, left_without_heads(bert, pairs, words))


def share_kept(
    bert: "Bert", pairs: Sequence[Pair], words: Words, kept: Iterable[tuple[int, int, Iterable[int]]]
) -> float:
    """Return how much of a difference at [MASK] is left when all heads but a few say nothing about the sentence.

    The feed-forward blocks stay as they are. All other heads give their mean over all sentences, as in `share_lost`.

    Parameters
    ----------
    bert : Bert
        The model that reads the sentences.
    pairs : list of (str, str)
        As for `patch_positions`.
    words : two lists of str
        As for `patch_positions`.
    kept : list of (int, int, list of int)
        The layer, the head, and the tokens' places at which it keeps its own output.

    Returns
    -------
    float
        The share that is left.

    Raises
    ------
    IndexError
        If the model has no such layer or head.
    MissingPartError, ValueError
        As for `patch_positions`.

    References
    ----------
    Wang et al. (2023), "Interpretability in the wild".

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> pairs = [("I saw [MASK] apple.", "I saw [MASK] pear."), ("I saw [MASK] egg.", "I saw [MASK] fish.")]
    >>> share_kept(bert, pairs, [["an"], ["a"]], []) < 0.1
    True
    """
    return _share(bert, pairs, words, left_with_heads(bert, pairs, words, kept)).item()


def differences(bert: "Bert", pairs: Sequence[Pair], words: Words) -> Tensor:
    """Return by how much `other` and `text` differ in their preference, (pairs,)."""
    text, other = sides(bert, pairs)
    choice = Choice(bert, words)
    return (choice.preference(other.hidden[-1], other.place) - choice.preference(text.hidden[-1], text.place)).cpu()


def _share(bert: "Bert", pairs: Sequence[Pair], words: Words, moved: Tensor) -> Tensor:
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


def moved_by_heads(bert: "Bert", pairs: Sequence[Pair], words: Words) -> Tensor:
    """Return what `patch_heads` takes the mean of, (layers, heads, pairs)."""
    text, other = sides(bert, pairs)
    choice, heads = Choice(bert, words), bert.model.config.num_attention_heads
    low, rows = choice.preference(text.hidden[-1], text.place), torch.arange(len(text.place))
    moved = []
    for number, (own, others) in enumerate(zip(text.joined, other.joined, strict=True)):
        copies = own.repeat(heads, 1, 1, 1)  # (heads, pairs, tokens, hidden)
        for head in range(heads):
            features = features_of(bert, head)
            copies[head, rows, text.place, features] = others[rows, text.place, features]
        last = onward_from_heads(bert, text.hidden[number].repeat(heads, 1, 1), copies.flatten(0, 1), number)
        moved.append(choice.preference(last, text.place.repeat(heads)).view(heads, -1) - low)
    return torch.stack(moved).cpu()


def left_without_heads(bert: "Bert", pairs: Sequence[Pair], words: Words) -> Tensor:
    """Return the differences that are left with each head at its mean, (layers, heads, pairs)."""
    both = sides(bert, pairs)
    choice, heads = Choice(bert, words), bert.model.config.num_attention_heads
    means = means_of_heads(both)
    left = []
    for number, mean in enumerate(means):
        preferences = []
        for side in both:
            copies = side.joined[number].repeat(heads, 1, 1, 1)
            for head in range(heads):
                features = features_of(bert, head)
                copies[head, ..., features] = mean[:, features]
            last = onward_from_heads(bert, side.hidden[number].repeat(heads, 1, 1), copies.flatten(0, 1), number)
            preferences.append(choice.preference(last, side.place.repeat(heads)).view(heads, -1))
        left.append(preferences[1] - preferences[0])
    return torch.stack(left).cpu()


def left_with_heads(
    bert: "Bert", pairs: Sequence[Pair], words: Words, kept: Iterable[tuple[int, int, Iterable[int]]]
) -> Tensor:
    """Return the differences that are left with all heads at their means but those that are kept, (pairs,)."""
    both = sides(bert, pairs)
    choice, means = Choice(bert, words), means_of_heads(both)
    own = [torch.zeros_like(mean, dtype=torch.bool) for mean in means]  # (tokens, hidden): which numbers are kept
    for layer, head, places in kept:
        layer_of(bert, layer)
        own[layer][list(places), features_of(bert, head)] = True

    def change(number: int, joined: Tensor) -> Tensor:
        return torch.where(own[number], joined, means[number])

    text, other = (choice.preference(onward(bert, side.hidden[0], 0, change), side.place) for side in both)
    return (other - text).cpu()


def means_of_heads(both: tuple[Side, Side]) -> list[Tensor]:
    """Return the mean of what each layer's heads make, over all sentences, (tokens, hidden) each."""
    return [torch.cat(joined).mean(dim=0) for joined in zip(*(side.joined for side in both), strict=True)]

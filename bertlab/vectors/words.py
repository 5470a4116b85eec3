"""The vector of a word in its sentence, written out in lesson 3.

A word is a stretch of the text. It may be several pieces, in which case their vectors are averaged, and it may be
several words (*New York*). It begins where a piece begins and ends before a piece that starts a new word, so a part
of a longer word is never taken for it, and a stretch that became [UNK] never stands for it.

What the vectors say is for the lesson; `leave_one_out` counts how often they know the sense of a word.
"""

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise
from unicodedata import combining, normalize

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from bertlab.bert.arguments import whole_number
from bertlab.bert.reading import Reading, refuse_layer


def word_tokens(reading: Reading, word: str, occurrence: int = 0) -> list[int]:
    """Return the positions of a word's tokens in a reading.

    Parameters
    ----------
    reading
    word
        One word or several, as they stand in the text. Capitals count only if the tokenizer keeps them. An accent
        counts, whether it is written in one character with its letter or as one of its own.
    occurrence
        Which one, where the word occurs more than once: 0 for the first, and so on; in a pair, those of the
        second sentence come after those of the first.

    Returns
    -------
    list of int
        Neighbouring positions, in their order.

    Raises
    ------
    TypeError
        If the word is not a string, or the reading no reading.
    ValueError
        If the text does not hold the word, or only inside longer words or as [UNK], or not as often as asked.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> word_tokens(bert.read("The cat sat on the mat."), "the", occurrence=1)
    [5]
    """
    if not isinstance(reading, Reading):
        raise TypeError(
            f"A word is looked up in a reading, and this is {type(reading).__name__}. Read the text first: "
            "reading = bert.read(text)."
        )
    if not isinstance(word, str):
        raise TypeError(f"A word is a string, but this one is {type(word).__name__}: {word!r:.60}.")
    if not word.strip():
        raise ValueError("The word is empty. Give a word that stands in the text, for example 'bank'.")
    found, unknown, inside = [], False, []
    for segment, sentence in enumerate((reading.text, reading.pair or "")):
        for start, end in _stretches(sentence, word, reading.lower_cased):
            tokens = _covering(reading, segment, start, end)
            if any(reading.ids[token] == reading.unknown_id for token in tokens):
                unknown = True
            elif tokens and _is_whole(reading, tokens, start, end):
                found.append(tokens)
            else:
                inside.append(_surroundings(sentence, start, end))
    if not found:
        raise ValueError(_why_not(reading, word, unknown, inside))
    place = whole_number(occurrence)
    if place is None or not 0 <= place < len(found):
        raise ValueError(
            f"{word!r} occurs {len(found)} time{'s' * (len(found) > 1)} in the text, and occurrence is {occurrence!r}; "
            f"0 is the first, {len(found) - 1} the last."
        )
    return found[place]


def word_vector(reading: Reading, word: str, occurrence: int = 0, layer: int = -1) -> Tensor:
    """Return the vector of a word in its sentence: the mean over its pieces.

    Parameters
    ----------
    reading
    word, occurrence
        As `word_tokens`.
    layer
        0 is the embedding layer's output, 1 the first encoder layer's, -1 the last one's.

    Returns
    -------
    torch.Tensor, (hidden,)

    Raises
    ------
    TypeError, ValueError
        As `word_tokens`, and if there is no such layer.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> word_vector(bert.read("They sat on the bank of the river."), "bank").shape
    torch.Size([256])
    """
    tokens = word_tokens(reading, word, occurrence)
    refuse_layer(layer, last=len(reading.hidden) - 1)
    return reading.hidden[layer, tokens].mean(dim=0)


def leave_one_out(vectors: Tensor, labels: Sequence[str]) -> Tensor:
    """Return for each vector whether the nearest centroid, computed without it, is that of its own label.

    Parameters
    ----------
    vectors : (items, features)
    labels
        What each vector is, such as the sense of a word, in the order of the vectors (a column of a table counts from
        its top, whatever its index says); each label at least twice.

    Returns
    -------
    torch.Tensor of bool, (items,)
        By Euclidean distance; of two centroids equally near, the first in the alphabet counts.

    Raises
    ------
    TypeError
        If the vectors are no tensor.
    ValueError
        If the vectors have other axes; if there are not as many labels as vectors, fewer than two different ones, or
        one that occurs once; if a label is missing; or if a vector holds nan or infinity, to which nothing is near.

    Examples
    --------
    >>> points = torch.tensor([[0.0], [1.0], [9.0], [10.0]])
    >>> leave_one_out(points, ["low", "low", "high", "high"])
    tensor([True, True, True, True])
    """
    if not isinstance(vectors, Tensor):
        raise TypeError(
            f"The vectors are one tensor, a row each: torch.stack([...]). This is {type(vectors).__name__}."
        )
    if vectors.ndim != 2:
        raise ValueError(f"The vectors have the axes (items, features), and these have shape {tuple(vectors.shape)}.")
    labels = _labels(labels)
    if len(labels) != len(vectors):
        raise ValueError(f"There are {len(vectors)} vectors and {len(labels)} labels; each vector needs one.")
    if not vectors.isfinite().all():
        raise ValueError("A vector holds nan or infinity, so no centroid is near it. Leave it out, labels likewise.")
    names = sorted(set(labels))
    if len(names) < 2:
        raise ValueError(
            f"There is nothing to tell apart: the only label is {', '.join(map(repr, names)) or 'missing'}."
        )
    if alone := [name for name in names if labels.count(name) == 1]:
        raise ValueError(f"With its only vector left out, {alone[0]!r} has no centroid; each label needs two or more.")
    distances = []
    for name in names:
        own = torch.tensor([label == name for label in labels], device=vectors.device)
        far = (vectors - vectors[own].mean(dim=0)).norm(dim=-1)  # (items,)
        # Without one of its n vectors, a centroid lies n / (n - 1) times as far from that vector.
        distances.append(far * (1 + own / (labels.count(name) - 1)))
    nearest = torch.stack(distances).argmin(dim=0)
    return torch.tensor([names[near] == label for near, label in zip(nearest, labels, strict=True)])


def _labels(given: Sequence[str]) -> list[str]:
    """Return labels in their order, by which an index counts for nothing, or refuse one that is missing."""
    labels = given.tolist() if isinstance(given, Tensor | np.ndarray | pd.Series) else list(given)
    for place, label in enumerate(labels):
        if label is None or label != label:  # nan is not equal to itself
            raise ValueError(f"Label {place} is missing. Fill it in, or leave it and its vector out.")
    return labels


def _stretches(sentence: str, word: str, lower_cased: bool) -> list[tuple[int, int]]:
    """Return where the letters of a word stand in a sentence, inside of other words too."""
    pattern = r"\s+".join(map(re.escape, normalize("NFC", word).split()))  # any space between the words of "New York"
    # é may be one character or two, so letters are compared composed, each with the accents that follow it.
    starts = [place for place, character in enumerate(sentence) if not (place and combining(character))]
    starts.append(len(sentence))
    letters = [normalize("NFC", sentence[start:end]) for start, end in pairwise(starts)]
    places = dict(zip(accumulate(map(len, letters), initial=0), starts, strict=True))
    found = re.finditer(pattern, "".join(letters), re.IGNORECASE if lower_cased else 0)
    whole = [match.span() for match in found if places.keys() >= set(match.span())]
    return [(places[start], places[end]) for start, end in whole]


def _covering(reading: Reading, segment: int, start: int, end: int) -> list[int]:
    """Return the tokens that cover a stretch of one of the two sentences, or a part of it."""
    segments = reading.segments.tolist()
    return [
        token
        for token, (left, right) in enumerate(reading.offsets)
        if segments[token] == segment and left < end and right > start
    ]


def _is_whole(reading: Reading, tokens: list[int], start: int, end: int) -> bool:
    """Return whether tokens stay inside a stretch, and no word goes on before or after it."""
    # Not "equal its ends": an accent that the tokenizer strips belongs to no piece.
    within = start <= reading.offsets[tokens[0]][0] and reading.offsets[tokens[-1]][1] <= end
    # In WordPiece, "##" marks a piece that continues a word.
    return within and not any(reading.tokens[token].startswith("##") for token in (tokens[0], tokens[-1] + 1))


def _surroundings(sentence: str, start: int, end: int) -> str:
    """Return the letters around a stretch, up to the next spaces."""
    before = re.search(r"\S*$", sentence[:start])
    after = re.match(r"\S*", sentence[end:])
    return (before[0] if before else "") + sentence[start:end] + (after[0] if after else "")


def _why_not(reading: Reading, word: str, unknown: bool, inside: list[str]) -> str:
    """Say why a word was not found, and what to do."""
    if unknown:
        return (
            f"{word!r} stands in the text, but BERT did not see it: it became [UNK], because the vocabulary lacks one "
            f"of its characters or of those that touch it. Write it without them."
        )
    if inside:
        return (
            f"{word!r} is not a word of this text; it stands only inside of {', '.join(map(repr, inside))}. "
            "Ask for the whole word."
        )
    pair = f" and {reading.pair!r}" if reading.pair is not None else ""
    case = "" if reading.lower_cased else " (this tokenizer tells capitals from small letters)"
    return f"{word!r} is not in the text{case}: {reading.text!r}{pair}."

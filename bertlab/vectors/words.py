"""The vector of a word in its sentence, and how often such vectors identify the word's sense (lesson 3)."""

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from itertools import accumulate, pairwise
from unicodedata import combining, normalize

import torch
from torch import Tensor

from bertlab.arguments import guarded, require_as_many, require_axes, require_finite, require_place
from bertlab.bert.reading import Reading

APOSTROPHES = dict.fromkeys(map(ord, "’‘ʼ´`"), "'")  # as people type them
OVERLOOKED = {"capitals": str.isupper, "accents": combining, "apostrophe": "'".__eq__, "hyphen": "-".__eq__}
OVERLOOKED |= {"spaces": str.isspace}  # characters that are easily overlooked


@guarded
def word_tokens(reading: Reading, word: str, occurrence: int = 0) -> list[int]:
    """Return the positions of a word's tokens in a reading.

    Parameters
    ----------
    reading : Reading
        The reading of a text, or of a pair.
    word : str
        One word, or several with spaces between them; a part of a longer word does not match. Accents and capitals
        count if the tokenizer keeps them.
    occurrence : int
        Which occurrence of the word, counted from 0; in a pair, the second sentence follows the first.

    Returns
    -------
    list of int
        The positions, in order.

    Raises
    ------
    ValueError
        If the text does not contain the word that many times, or the word became [UNK].

    Examples
    --------
    >>> word_tokens(bertlab.load("bertlab-mini").read("The cat sat on the mat."), "the", occurrence=1)
    [5]
    """
    occurrences, problem = [], ""
    for segment, sentence in enumerate((reading.text, reading.pair or "")):
        for start, end in _stretches(sentence, word, reading.normalised):
            overlaps = [first < end and last > start for first, last in reading.offsets]
            tokens = [i for i, overlap in enumerate(overlaps) if overlap and reading.segments[i] == segment]
            unknown = [reading.offsets[token] for token in tokens if reading.ids[token] == reading.unknown_id]
            if unknown:
                problem = f"stands in the text with {sentence[slice(*unknown[0])]!r}, which became [UNK], because the "
                problem += "vocabulary lacks a character of it. Use another in your text"
            elif tokens and _is_whole(reading, tokens, start, end):
                occurrences.append(tokens)
            else:
                problem = "stands only inside of a longer word in the text"
    if not occurrences:
        text = " ".join(filter(None, (reading.text, reading.pair)))
        problem = problem or f"is not in the text{_nearest(text, word, reading.normalised)}"
        raise ValueError(f"{word!r} {problem}: {text!r}.")
    if not 0 <= occurrence < len(occurrences):
        often = {1: "once", 2: "twice"}.get(len(occurrences), f"{len(occurrences)} times")
        raise ValueError(f"{word!r} stands {often} in the text, and the first is occurrence 0: {reading.text!r:.120}")
    return occurrences[occurrence]


@guarded
def word_vector(reading: Reading, word: str, occurrence: int = 0, layer: int = -1) -> Tensor:
    """Return the vector of a word in its sentence: the mean over its pieces.

    Parameters
    ----------
    reading, word, occurrence
        As for `word_tokens`.
    layer : int
        The encoder layer, by default the last; 0 is the output of the embedding layer.

    Returns
    -------
    Tensor
        The vector, (hidden,).

    Examples
    --------
    >>> word_vector(bertlab.load("bertlab-mini").read("They sat on the bank."), "bank").shape
    torch.Size([256])
    """
    require_place(len(reading.hidden), -len(reading.hidden), layer=layer)
    return reading.hidden[int(layer), word_tokens(reading, word, occurrence)].mean(dim=0)


@guarded
def leave_one_out(vectors: Tensor, labels: Sequence[str]) -> Tensor:
    """Return whether each vector is nearest to the centroid of its own label, computed without that vector.

    Distances are Euclidean. If two centroids are equally near, the first label in the alphabet counts.

    Parameters
    ----------
    vectors, labels : (items, features), list of str
        A vector and a label for each item; two labels or more, each twice or more.

    Returns
    -------
    Tensor
        Whether each item is right, (items,) of bool.

    Examples
    --------
    >>> leave_one_out(torch.tensor([[0.0], [1.0], [9.0], [10.0]]), ["low", "low", "high", "high"])
    tensor([True, True, True, True])
    """
    require_axes("items, features", vectors=vectors)
    require_as_many(vectors=vectors, labels=labels)
    require_finite(vectors=vectors)
    names = sorted(set(labels))
    if len(names) < 2 or min(labels.count(name) for name in names) < 2:
        raise ValueError(f"To leave one out, two labels or more must occur twice or more; these are {labels!r:.80}.")
    distances = []
    for name in names:
        members = torch.tensor([label == name for label in labels], device=vectors.device)
        distance = (vectors - vectors[members].mean(dim=0)).norm(dim=-1)  # (items,)
        # Without one of its n vectors, a centroid lies n / (n - 1) times as far from that vector.
        distances.append(distance * (1 + members / (labels.count(name) - 1)))
    nearest = torch.stack(distances).argmin(dim=0)
    return torch.tensor([names[number] == label for number, label in zip(nearest, labels, strict=True)])


def nearest_of_own_kind(cosines: Tensor, kinds: Sequence[str]) -> int:
    """Return how many of some items, (items, items), are most similar to another one of their own kind."""
    nearest = cosines.clone().fill_diagonal_(-2).argmax(dim=1).tolist()
    return sum(kinds[other] == kind for other, kind in zip(nearest, kinds, strict=True))


def _stretches(sentence: str, word: str, normalised: Callable[[str], str]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each match of a word's letters in a sentence, inside longer words too."""
    plain, places = _plain(sentence, normalised)
    pattern = r"\s+".join(map(re.escape, _plain(word, normalised)[0].split()))  # any space within "New York"
    for match in re.finditer(pattern, plain):
        if match.start() in places and match.end() in places:  # else a letter, such as ﬁ, goes on
            yield places[match.start()], places[match.end()]


def _plain(text: str, normalised: Callable[[str], str]) -> tuple[str, dict[int, int]]:
    """Return a text as the tokenizer reads it, all apostrophes alike, and the place in the text of each place in it."""
    # é may be one character or two, so letters are taken apart, each with the accents that follow it.
    starts = [i for i, character in enumerate(text) if i == 0 or not combining(character)] + [len(text)]
    letters = [text[start:end] for start, end in pairwise(starts)]
    plain = [x if x.isspace() else normalize("NFKD", normalised(x.translate(APOSTROPHES))).strip() for x in letters]
    return "".join(plain), dict(zip(accumulate(map(len, plain), initial=0), starts, strict=True))


def _nearest(text: str, word: str, normalised: Callable[[str], str]) -> str:
    """Return what in a text is most like a word, and what differs if its letters are the same."""
    words, lengths = re.findall(r"[^\s.,;:!?()\"“”]+", text), range(1, len(word.split()) + 2)
    runs = [word, *(" ".join(words[start : start + length]) for length in lengths for start in range(len(words)))]
    letters, *others = ("".join(filter(str.isalnum, normalize("NFKD", run.casefold()))) for run in runs)
    close = get_close_matches(letters, others, n=1)
    nearest = dict(zip(others, runs[1:], strict=True))[close[0]] if close else ""
    counts = [[sum(map(kind, _plain(each, normalised)[0])) for kind in OVERLOOKED.values()] for each in (word, nearest)]
    differ = [f"the {name}" for name, *both in zip(OVERLOOKED, *counts, strict=True) if len({*both}) > 1]
    known = f", which differs in {' and '.join(differ)}" if differ and close == [letters] else ""
    return f"; nearest is {nearest!r}{known}" if close else ""


def _is_whole(reading: Reading, tokens: list[int], start: int, end: int) -> bool:
    """Return whether tokens stay inside a stretch, and no word continues before or after it."""
    # Not "equal its ends": an accent that the tokenizer strips belongs to no piece.
    within = start <= reading.offsets[tokens[0]][0] and reading.offsets[tokens[-1]][1] <= end
    # In WordPiece, "##" marks a piece that continues a word.
    return within and not any(reading.tokens[token].startswith("##") for token in (tokens[0], tokens[-1] + 1))

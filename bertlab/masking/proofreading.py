"""A proof-reader: hide each word that people confuse, and ask BERT which of its set belongs there; from lesson 6."""

import re
import textwrap
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd
from torch import Tensor

from bertlab.arguments import Share, Some, guarded, require_finite, require_fit
from bertlab.bert.loading import Bert
from bertlab.masking.confused import THRESHOLD, asked_for, watched
from bertlab.masking.predictions import piece_id, probabilities

AT_A_TIME = 256  # gaps asked at a time: what BERT expects at each is a number for every piece
NEAR = 3  # watched words on either side that a wrong word may spoil, in its sentence
# The end of a sentence or a paragraph.
END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[A-Z0-9])|(?<!\s)\s*\n\s*\n\s*")
MASK = "[MASK]"


class Place(NamedTuple):
    """A word in a text that may be confused, and where its sentence begins and ends."""

    start: int
    word: str
    begin: int
    stop: int


class Doubt(NamedTuple):
    """What is expected in the place of a word, written like it, and how probable it is among the words of a set."""

    suggestion: str
    probability: float


@guarded
def proofread(
    bert: Bert, text: str, threshold: Share = THRESHOLD, sets: Iterable[Sequence[str]] | None = None
) -> pd.DataFrame:
    """Return the doubtful words of a text: those in whose place BERT rather expects another one of their set.

    Each watched word is hidden in turn, with its sentence around it, and the surest suggestion counts. A wrong word
    spoils what is expected beside it: so the surest of several is mended first, and the others are asked for again.

    Parameters
    ----------
    bert, text
        The model that is asked, and the text, without [MASK].
    threshold : float
        How probable a suggestion must be among the words of its set.
    sets : list of list of str, optional
        Words to watch in place of those that `bertlab.masking.confused` names. What is no word, or no single piece of
        the vocabulary, is left out.

    Returns
    -------
    pandas.DataFrame
        One row per doubtful word, in the order of the text: ``start`` and ``end``, the ``word``, the ``suggestion``,
        written like it, and its ``probability`` among the words of the set.

    Examples
    --------
    >>> found = proofread(bertlab.load("bertlab-mini"), "Their is more snow then last year. He did not went home.")
    >>> found[["start", "word", "suggestion"]].values.tolist()
    [[0, 'Their', 'There'], [19, 'then', 'than'], [46, 'went', 'go']]
    """
    if MASK in text:
        raise ValueError(f"The text holds a {MASK}, which is not a word to check. Write the word out.")
    weighed = watched(bert, sets)
    places = places_of(text, weighed)
    number = {place: i for i, place in enumerate(places)}
    marks: dict[int, dict[Place, Doubt]] = {place.begin: {} for place in places}  # by sentence
    doubts = _doubts(bert, text, places, marks, weighed, threshold)
    while doubts:
        by_sureness = sorted(doubts, key=lambda place: doubts[place].probability)
        again = set()
        for place in {place.begin: place for place in by_sureness}.values():  # the surest of each sentence
            marks[place.begin][place] = doubts.pop(place)
            near = places[max(0, number[place] - NEAR) : number[place] + NEAR + 1]
            again |= {other for other in near if other.begin == place.begin and other not in marks[place.begin]}
        doubts = {place: doubt for place, doubt in doubts.items() if place not in again}
        doubts |= _doubts(bert, text, sorted(again), marks, weighed, threshold)
    found = sorted(mark for of_sentence in marks.values() for mark in of_sentence.items())
    rows = [(place.start, place.start + len(place.word), place.word, *doubt) for place, doubt in found]
    return pd.DataFrame(rows, columns=["start", "end", "word", "suggestion", "probability"])


def marked(text: str, found: pd.DataFrame) -> str:
    """Return a text in which each doubtful word is marked, as ``[then → than 0.98]``.

    Examples
    --------
    >>> found = pd.DataFrame({"start": [11], "end": [15], "suggestion": ["than"], "probability": [0.98]})
    >>> print(marked("It is more then enough.", found))
    It is more [then → than 0.98] enough.
    """
    parts, end = [], 0
    columns = ["start", "end", "suggestion", "probability"]
    for start, stop, suggestion, probability in found[columns].to_numpy(dtype=object).tolist():
        sure = f"{probability:.2f}".replace("1.00", ">0.99")
        parts += [text[end:start], f"[{text[start:stop]} → {suggestion} {sure}]"]
        end = stop
    lines = "".join([*parts, text[end:]]).split("\n")
    return "\n".join(textwrap.fill(line, 100, break_long_words=False, break_on_hyphens=False) for line in lines)


@guarded
def most_probable(bert: Bert, shares: Tensor, words: Some[str]) -> tuple[str, float]:
    """Return the most probable of some words, and its probability among them alone.

    Parameters
    ----------
    bert, shares
        The model that was asked, and the probability of every piece, (vocabulary,), from `probabilities`.
    words : list of str
        The words, single pieces of the vocabulary.

    Returns
    -------
    tuple of str and float
        The word and its probability.

    Examples
    --------
    >>> bert = bertlab.load("bertlab-mini")
    >>> most_probable(bert, probabilities(bert, ["They [MASK] old."])[0][0], ["is", "are"])[0]
    'are'
    """
    require_finite(shares=shares)
    require_fit(shares.shape == (len(bert.tokenizer),), shares=shares, vocabulary=range(len(bert.tokenizer)))
    among = shares[[piece_id(bert, asked_for(word)) for word in words]]
    best = int(among.argmax())
    return words[best], (among[best] / among.sum()).item()


def places_of(text: str, words: Iterable[str]) -> list[Place]:
    """Return where certain words stand in a text, and in which sentence."""
    # Right after *to*, BERT expects a base, also in *I look forward to seeing you*: no word in -ing is looked at there.
    pattern = re.compile(rf"(?!(?<=\bto\s)\w+ing\b){standing_alone(words).pattern}", re.IGNORECASE)
    found, begin = [], 0
    for end, next_one in [*((match.start(), match.end()) for match in END.finditer(text)), (len(text), len(text))]:
        for match in pattern.finditer(text[begin:end]):
            found.append(Place(begin + match.start(), match[0], begin, end))
        begin = next_one
    return found


def standing_alone(words: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern of certain words, in any letters, that are no part of another, as *in* is of *built-in*."""
    any_word = "|".join(words).replace("'", "['’]")
    return re.compile(rf"(?<![\w'’-])(?ai:{any_word})(?![\w'’-])")  # a: in small letters, *ı* would be another word


def _doubts(
    bert: Bert,
    text: str,
    places: Sequence[Place],
    marks: Mapping[int, Mapping[Place, Doubt]],
    weighed: Mapping[str, Sequence[Sequence[str]]],
    threshold: float,
) -> dict[Place, Doubt]:
    """Return, for each place where some set doubts the word, the surest suggestion; the text has its marks mended."""
    doubts, gaps = {}, gaps_at(bert, text, places, marks)
    for first in range(0, len(places), AT_A_TIME):
        batch = slice(first, first + AT_A_TIME)
        for place, gap, (shares,) in zip(places[batch], gaps[batch], probabilities(bert, gaps[batch]), strict=True):
            word = place.word.lower().replace("’", "'")
            for words in weighed[word]:
                best, sure = most_probable(bert, shares, words)
                if best.lower() != word and sure > doubts.get(place, (None, threshold))[1]:
                    doubts[place] = Doubt(_like(place.word, best, gap), sure)
    return doubts


def gaps_at(
    bert: Bert, text: str, places: Sequence[Place], marks: Mapping[int, Mapping[Place, Doubt]] = MappingProxyType({})
) -> list[str]:
    """Return the sentence of each place, with its marks mended and [MASK] in the place."""
    gaps = []
    room = bert.model.config.max_position_embeddings - 3  # [CLS], [SEP] and [MASK]
    for begin, here in groupby(places, key=lambda place: place.begin):
        mended = marks.get(begin, {})
        sentence, spans = None, []
        for place in here:
            if sentence is None:
                sentence = _mended(text[begin : place.stop], begin, mended)
                spans = bert.tokenizer.backend_tokenizer.encode(sentence, add_special_tokens=False).offsets
            longer = (len(doubt.suggestion) - len(mark.word) for mark, doubt in mended.items() if mark < place)
            start = place.start - begin + sum(longer)
            before, after = _around(sentence, spans, room, start, start + len(asked_for(place.word)))
            gaps.append(f"{before}{MASK}{after}")
    return gaps


def _mended(sentence: str, begin: int, marks: Mapping[Place, Doubt]) -> str:
    """Return a sentence with the suggestions in their places; it begins somewhere in a text."""
    for mark, doubt in sorted(marks.items(), reverse=True):  # from the end, so that the others stay where they are
        start = mark.start - begin
        sentence = sentence[:start] + doubt.suggestion + sentence[start + len(mark.word) :]
    return sentence


def _around(sentence: str, spans: list[tuple[int, int]], room: int, start: int, end: int) -> tuple[str, str]:
    """Return what stands before and after a word of a sentence, as much of it as BERT reads, in whole words."""
    if len(spans) <= room:
        return sentence[:start], sentence[end:]
    pieces_before = bisect_right(spans, start, key=lambda span: span[1])
    first = max(0, min(pieces_before - room // 2, len(spans) - room))
    low, high = spans[first][0], spans[first + room - 1][1]
    before, after = sentence[low:start], sentence[end:high]
    if low and not sentence[low - 1].isspace():  # what is left of a word would be another word
        before = before.partition(" ")[2]
    if high < len(sentence) and not sentence[high].isspace():
        after = after.rpartition(" ")[0]
    return before, after


def _like(word: str, suggestion: str, gap: str) -> str:
    """Return a suggestion with the capitals and the apostrophe of the word that it replaces; *I* is always large."""
    suggestion = suggestion.replace("'", "’") if "’" in word else suggestion
    if word.isupper() and len(word) > 1:
        return suggestion.upper()
    first = word != "I" or not re.search(r"\w.*\[MASK\]", gap, re.DOTALL)
    return suggestion[0].upper() + suggestion[1:] if word[0].isupper() and first else suggestion

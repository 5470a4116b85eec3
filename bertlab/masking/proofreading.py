"""A proof-reader: hide each word that people confuse, and ask BERT which of its set belongs there; from lesson 6."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
from torch import Tensor

from bertlab.bert.arguments import require_list, require_share
from bertlab.masking.predictions import piece_id, probabilities

if TYPE_CHECKING:
    from bertlab.bert.loading import Bert

# Words that are confused. Those with an apostrophe (its / it's) are no single piece, so they cannot be asked for.
MEASURED = (
    "a/an/the by/buy do/does for/four has/have he/him him/his in/on/at is/are know/no much/many of/off she/her "
    "than/then that/those their/there they/them this/these to/too/two us/our was/were weather/whether were/where "
    "who/which"
)
# Too rare in the texts of `making/record_proofreading.py` to be measured one by one.
RARE = (
    "accept/except advice/advise affect/effect hear/here lose/loose new/knew passed/past peace/piece "
    "principal/principle quiet/quite right/write see/sea sight/site through/threw week/weak whole/hole"
)
# In more than 15 of 100 gaps of web text BERT itself chose another word: mostly because several fit.
LEFT_OUT = "a/an/the in/on/at us/our who/which"
SETS = tuple(tuple(words.split("/")) for words in f"{MEASURED} {RARE}".split() if words not in LEFT_OUT.split())

# On web text with one word in fifty exchanged: the lowest (by steps of 0.05) at which no more words are marked wrongly
# than mistakes are found.
THRESHOLD = 0.8

TOGETHER = 256  # gaps asked at a time: what BERT expects at each is a number for every piece
# The end of a sentence or a paragraph.
END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[A-Z0-9])|(?<!\s)\s*\n\s*\n\s*")
MASK = "[MASK]"


class Found(NamedTuple):
    """A word in a text that may be confused, and its sentence with [MASK] in its place."""

    start: int
    word: str
    gap: str


def proofread(
    bert: "Bert", text: str, threshold: float = THRESHOLD, sets: Iterable[Sequence[str]] = SETS
) -> pd.DataFrame:
    """Return the doubtful words of a text: those in whose place BERT rather expects another one of their set.

    Each word of `sets` is hidden in turn, with its sentence around it. A word of two sets has the words of both beside
    it. A sentence longer than BERT reads is read around the word.

    Returns
    -------
    pandas.DataFrame
        A row a doubtful word, in the order of the text: ``start`` and ``end`` (``text[start:end]`` is the word), the
        ``word``, the ``suggestion``, written like it, and its ``probability`` among the words of the set, which is
        above `threshold`.

    Examples
    --------
    >>> import bertlab
    >>> bert = bertlab.load("bertlab-mini")
    >>> found = proofread(bert, "Their is more snow then last year.")
    >>> found[["start", "word", "suggestion"]].values.tolist()
    [[0, 'Their', 'There'], [19, 'then', 'than']]
    """
    if not isinstance(text, str):
        raise TypeError(f"A text is a string, and this is {type(text).__name__}: {text!r:.60}. A file is read first.")
    if MASK in text:
        raise ValueError(f"The text holds a {MASK}, which is not a word to check. Write the word out.")
    require_share(threshold=threshold)
    others = _others(bert, sets)
    found = words_in(bert, text, list(others))
    rows = []
    for first in range(0, len(found), TOGETHER):
        some = found[first : first + TOGETHER]
        for each, (shares,) in zip(some, probabilities(bert, [each.gap for each in some]), strict=True):
            best, sure = most_probable(bert, shares, others[each.word.lower()])
            if best != each.word.lower() and sure > threshold:
                rows.append((each.start, each.start + len(each.word), each.word, _like(each.word, best), sure))
    return pd.DataFrame(rows, columns=["start", "end", "word", "suggestion", "probability"])


def most_probable(bert: "Bert", shares: Tensor, words: Sequence[str]) -> tuple[str, float]:
    """Return the most probable of some words, and its probability among them alone; `shares` is for all pieces."""
    words = require_list(words=words)
    among = shares[[piece_id(bert, word) for word in words]]
    best = int(among.argmax())
    return words[best], (among[best] / among.sum()).item()


def words_in(bert: "Bert", text: str, words: Iterable[str]) -> list[Found]:
    """Return where certain words stand in a text, each hidden in its sentence; the text around it stays as it is."""
    pattern, found, begin = standing_alone(require_list(words=words)), [], 0
    room = bert.model.config.max_position_embeddings - 3  # [CLS], [SEP] and [MASK]
    ends = [(match.start(), match.end()) for match in END.finditer(text)] + [(len(text), len(text))]
    for end, next_one in ends:
        sentence, spans = text[begin:end], None
        for match in pattern.finditer(sentence):
            spans = spans or bert.tokenizer.backend_tokenizer.encode(sentence, add_special_tokens=False).offsets
            before, after = _around(sentence, spans, room, match.start(), match.end())
            found.append(Found(begin + match.start(), match[0], f"{before}{MASK}{after}"))
        begin = next_one
    return found


def standing_alone(words: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern of certain words, in any letters, that are no part of another, as *in* is of *built-in*."""
    return re.compile(rf"(?<![\w'’-])(?:{'|'.join(words)})(?![\w'’-])", re.IGNORECASE)


def _others(bert: "Bert", sets: Iterable[Sequence[str]]) -> dict[str, list[str]]:
    """Return for each word those that it is weighed against, itself included; all are pieces of this vocabulary."""
    vocabulary, others = bert.tokenizer.get_vocab(), {}
    for words in require_list(sets=sets):
        known = [word for word in require_list(sets=words) if word in vocabulary]
        for word in known:
            others[word] = list(dict.fromkeys([*others.get(word, ()), *known]))
    weighed = {word: them for word, them in others.items() if len(them) > 1}
    if not weighed:
        raise ValueError(f"sets must hold two words or more that are pieces of this vocabulary: {sets!r:.60}.")
    return weighed


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


def _like(word: str, suggestion: str) -> str:
    """Return a suggestion with the capitals of the word that it replaces."""
    if word.isupper() and len(word) > 1:
        return suggestion.upper()
    return suggestion.capitalize() if word[0].isupper() else suggestion

"""Sentences of treebanks, word by word, each with its word class: text that nobody wrote for these lessons."""

from dataclasses import dataclass

from bertlab.data import read


@dataclass(frozen=True)
class Sentence:
    """A sentence, its words and their classes. Words are counted from 0, punctuation marks included.

    Attributes
    ----------
    text
    words
        *don't* is two of them, *do* and *n't*.
    spans
        Where each word stands in the text: ``text[start:end]`` is the word.
    classes
        The word class of each, such as ``"NOUN"``, by the list of Universal Dependencies.
    source
        The sentence's name in its treebank.
    """

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    classes: tuple[str, ...]
    source: str


def read_words(name: str) -> list[Sentence]:
    """Return the sentences of ``"web_words"`` (blogs, e-mails, reviews) or ``"news_words"`` (news, Wikipedia).

    Examples
    --------
    >>> sentence = read_words("news_words")[0]
    >>> sentence.text
    'For those who follow social media transitions on Capitol Hill, this will be a little different.'
    >>> sentence.words[:3], sentence.classes[:3]
    (('For', 'those', 'who'), ('ADP', 'PRON', 'PRON'))
    """
    sentences = []
    for row in read(name).itertuples():
        words, classes = tuple(row.words.split(" ")), tuple(row.classes.split(" "))
        sentences.append(Sentence(row.text, words, spans_of(words, row.text), classes, row.source))
    return sentences


def spans_of(words: tuple[str, ...], text: str) -> tuple[tuple[int, int], ...]:
    """Return where each word stands in a text; one that does not, after the word before it, is a `ValueError`."""
    spans, end = [], 0
    for word in words:
        start = text.index(word, end)
        end = start + len(word)
        spans.append((start, end))
    return tuple(spans)

"""A label for every word: a BERT with a matrix on each word's first piece (written out in lesson 8)."""

import re
from collections.abc import Sequence

import torch
from torch import Tensor

from bertlab.arguments import guarded
from bertlab.bert.texts import Encoded, Text, encode, forward
from bertlab.finetuning.classifier import Classifier


class WordClassifier(Classifier):
    """A copy of a BERT, and a matrix on top that turns the vector of each word's first piece into one score per class.

    Its texts have a space between any two words, as `spaced` writes them; its scores have one row per word. A sentence
    of which the tokenizer drops a word is a `ValueError`.

    Examples
    --------
    >>> WordClassifier(bertlab.load("bertlab-mini"), labels=17)(["It rained .", "Why not ?"]).shape
    torch.Size([6, 17])
    """

    def encode(self, texts: Sequence[Text]) -> list[Encoded]:
        """Return the tokenizer's output for each sentence; refuse a sentence of which it drops a word."""
        sentences, encoded = encode(self.bert.model, self.bert.tokenizer, texts)
        for (sentence, _), encoding in zip(sentences, encoded, strict=True):
            if (words := len(sentence.split())) != (read := self.rows(encoding)):
                raise ValueError(
                    f"{sentence!r:.60} has {words} words, and BERT sees {read}. Leave out words of invisible "
                    "characters or accents alone, and write an accent in one character with its letter: "
                    "unicodedata.normalize('NFC', text)."
                )
        return encoded

    def rows(self, encoding: Encoded) -> int:
        """Return how many words a sentence has."""
        return len(first_pieces(encoding["offset_mapping"]))

    def scores(self, encoded: Sequence[Encoded]) -> Tensor:
        """Return the scores of the words of encoded sentences, (words, classes)."""
        hidden = forward(self.bert.model, self.bert.tokenizer, encoded)[0].last_hidden_state
        begun = [first_pieces(encoding["offset_mapping"]) for encoding in encoded]
        return self.head(torch.cat([vectors[places] for vectors, places in zip(hidden, begun, strict=True)]))


def first_pieces(offsets: Sequence[tuple[int, int]]) -> list[int]:
    """Return the positions of the pieces that begin a word, from the start and end of each piece in the text."""
    places, end = [], -1
    for place, (start, stop) in enumerate(offsets):
        if stop > start:  # [CLS] and [SEP] are nowhere in the text
            if start > end:
                places.append(place)
            end = stop
    return places


@guarded
def spaced(text: str) -> str:
    """Return a sentence with a space between any two words, split as in treebanks.

    Examples
    --------
    >>> spaced("Anna's dog didn't bark.")
    "Anna 's dog did n't bark ."
    """
    return " ".join(re.findall(r"\w+(?=n['’]t\b)|n['’]t\b|['’](?:s|re|ve|ll|d|m)\b|\w+|[^\w\s]", text))

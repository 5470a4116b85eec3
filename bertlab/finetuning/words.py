"""A label for every word: a BERT with a matrix on each word's first piece, written out in lesson 8."""

import re
from collections.abc import Sequence

import torch
from torch import Tensor

from bertlab.bert.batches import Encoded, forward
from bertlab.bert.texts import Text, encode
from bertlab.finetuning.classifier import Classifier

BATCH, ROUNDS, STEP = 8, 4, 1e-3  # what lesson 8 trains with: chosen on other sentences of the web


class WordClassifier(Classifier):
    """A copy of a BERT, and on top of the vector of each word's first piece a matrix, a row a class.

    A sentence is a text with a space between any two words, punctuation marks included. The scores of all words of all
    sentences stand one below the other.

    Examples
    --------
    >>> import bertlab
    >>> WordClassifier(bertlab.load("bertlab-mini"), labels=17)(["It rained .", "Why not ?"]).shape
    torch.Size([6, 17])
    """

    def encode(self, texts: Sequence[Text]) -> list[Encoded]:
        """Return what the tokenizer makes of each sentence, or refuse one with a word of which it keeps nothing."""
        sentences, encoded = encode(self.bert.model, self.bert.tokenizer, texts)
        for (sentence, _), encoding in zip(sentences, encoded, strict=True):
            if (words := len(sentence.split())) != (seen := self.rows(encoding)):
                raise ValueError(
                    f"{sentence!r:.60} has {words} words, and BERT sees {seen}. Leave out words of invisible "
                    "characters or accents alone, and write an accent in one character with its letter: "
                    "unicodedata.normalize('NFC', text)."
                )
        return encoded

    def rows(self, encoding: Encoded) -> int:
        """Return how many words a sentence has."""
        return len(first_pieces(encoding["offset_mapping"]))

    def scores(self, encoded: Sequence[Encoded]) -> Tensor:
        """Return the scores of each word, (words, classes)."""
        hidden = forward(self.bert.model, self.bert.tokenizer, encoded)[0].last_hidden_state
        first_vectors = [
            vectors[first_pieces(encoding["offset_mapping"])] for vectors, encoding in zip(hidden, encoded, strict=True)
        ]
        return self.head(torch.cat(first_vectors))


def first_pieces(offsets: Sequence[tuple[int, int]]) -> list[int]:
    """Return the places of the pieces that begin a word: those with a space before them."""
    places, end = [], -1
    for place, (start, stop) in enumerate(offsets):
        if stop > start:  # [CLS] and [SEP] stand nowhere in the text
            if start > end:
                places.append(place)
            end = stop
    return places


def spaced(text: str) -> str:
    """Return a text with a space between any two words, as treebanks have them: *do n't*, *Anna 's*, *home .*."""
    return " ".join(re.findall(r"\w+(?=n['’]t\b)|n['’]t\b|['’](?:s|re|ve|ll|d|m)\b|\w+|[^\w\s]", text))


def window(sentence: str, capitals: bool = True) -> list[dict[str, str | bool]]:
    """Return of each word of a sentence what a rule may look at: the word, its endings, its neighbours, its capital."""
    words = sentence.split()
    around = ["", *sentence.lower().split(), ""]
    found = []
    for i, word in enumerate(words):
        seen: dict[str, str | bool] = {"word": around[i + 1], "before": around[i], "after": around[i + 2]}
        for length in (1, 2, 3, 4):
            seen[f"ending {length}"] = around[i + 1][-length:]
        seen |= {"letters": word.isalpha(), "digits": word.isdigit()}
        if capitals:  # which a BERT that reads everything in small letters does not see
            seen |= {"capital": word[0].isupper(), "first": i == 0}
        found.append(seen)
    return found

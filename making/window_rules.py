"""The simplest rules beside the proof-reader: a classifier that sees two words on either side of a gap.

`record_proofreading.py` and `record_learners.py` train them on texts that bertlab-mini was trained on.
"""

import random
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from bertlab.bert.loading import Bert
from bertlab.masking.confused import asked_for
from bertlab.masking.predictions import probabilities
from bertlab.masking.proofreading import MASK, standing_alone
from prepare import read_documents

LEARNED = 40_000  # the most gaps of a set, or of a kind of sets, that a rule learns from


def gaps_in(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, str, str]]:
    """Yield where a word of a pattern begins in a text, the word in small letters, and the text with [MASK] there."""
    for match in pattern.finditer(text):
        end = match.start() + len(asked_for(match[0]))
        yield match.start(), match[0].lower().replace("’", "'"), f"{text[: match.start()]}{MASK}{text[end:]}"


def window(text: str) -> dict[str, str]:
    """Return the rule's features: two words or symbols on either side of [MASK], alone and the nearest as pairs."""
    before, after = (re.findall(r"[\w'’]+|[^\w\s]", part.lower()) for part in text.split(MASK))
    near = dict(zip(("-2", "-1", "+1", "+2"), [*["^", "^", *before][-2:], *[*after, "$", "$"][:2]], strict=True))
    near |= {"both": f"{near['-1']} {near['+1']}", "left": f"{near['-2']} {near['-1']}"}
    return near | {"right": f"{near['+1']} {near['+2']}"}


def learn(features: Sequence[dict[str, str]], words: Sequence[str]) -> object:
    """Return a logistic regression from such features to the word."""
    return make_pipeline(DictVectorizer(), LogisticRegression(C=3, max_iter=500)).fit(features, list(words))


class Rows:
    """The word table's rows of the window: of each of its four words the first piece's, less the mean of all rows."""

    def __init__(self, bert: Bert) -> None:
        self.tokenizer = bert.tokenizer
        rows = bert.model.get_input_embeddings().weight.detach().numpy()
        self.rows = rows - rows.mean(axis=0)
        self.seen: dict[str, np.ndarray] = {"^": np.zeros(rows.shape[1]), "$": np.zeros(rows.shape[1])}  # no word

    def of_word(self, word: str) -> np.ndarray:
        """Return the row of a word's first piece, (hidden,)."""
        if word not in self.seen:
            pieces = self.tokenizer(word, add_special_tokens=False)["input_ids"]  # none of a lone accent
            self.seen[word] = self.rows[pieces[0]] if pieces else self.seen["^"]
        return self.seen[word]

    def of_windows(self, texts: Sequence[str]) -> sparse.csr_matrix:
        """Return the rows of the four words around each [MASK], (texts, 4 * hidden)."""
        four = [[window(text)[place] for place in ("-2", "-1", "+1", "+2")] for text in texts]
        rows = np.array([np.concatenate([self.of_word(word) for word in words]) for words in four])
        return sparse.csr_matrix(rows, dtype=np.float32)


def from_training(folder: Path, words: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield each gap, (text, word), in the training documents of bertlab-mini, in an order by lot."""
    pattern = standing_alone(words)
    documents = [document for document in read_documents(folder) if not document.held_out]
    random.Random(0).shuffle(documents)
    for document in documents:
        for paragraph in document.paragraphs:
            for start, word, text in gaps_in(paragraph, pattern):  # forty characters on either side hold the window
                yield text[max(0, start - 40) : start + len(MASK) + 40], word


def expected(bert: Bert, texts: Sequence[str], pieces: Sequence[int]) -> np.ndarray:
    """Return the probability of some pieces at the [MASK] of each text, (texts, pieces)."""
    rows = []
    for first in range(0, len(texts), 256):
        rows += [shares[0, list(pieces)].numpy() for shares in probabilities(bert, texts[first : first + 256])]
    return np.array(rows)

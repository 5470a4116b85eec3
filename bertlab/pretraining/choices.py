"""What a model chooses: the grammatical one of two sentences, the true one of several words.

Sentences are scored and words asked for as in lesson 6 (`bertlab.masking`). Each choice is 1 where it is right, 0 where
it is wrong, and a half where two are exactly equal. The rule beside it knows the frequencies of the pieces of held-out
text and nothing else. Items that share their words are not independent of each other, so they count in groups.
"""

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from bertlab.bert.loading import Bert
from bertlab.masking import piece_id, probabilities, sentence_scores
from bertlab.pretraining.corpus import Corpus


def sentence_choices(bert: Bert, pairs: pd.DataFrame) -> np.ndarray:
    """Return for each pair whether the sentence in ``good`` has the higher score of the two, (pairs,)."""
    scores = sentence_scores(bert, [*pairs["good"], *pairs["bad"]])["score"].to_numpy()
    return _higher(scores[: len(pairs)], scores[len(pairs) :])


def frequency_choices(bert: Bert, pairs: pd.DataFrame, corpus: Corpus) -> np.ndarray:
    """Return what `sentence_choices` returns, the score being the sum of the pieces' log frequencies in a corpus."""
    logs = np.log(_counts(bert, corpus))
    good, bad = (
        np.array([logs[bert.tokenizer(text, add_special_tokens=False)["input_ids"]].sum() for text in pairs[side]])
        for side in ("good", "bad")
    )
    return _higher(good, bad)


def word_choices(bert: Bert, facts: pd.DataFrame) -> np.ndarray:
    """Return for each fact whether its true word is more probable than the true words of its topic's other facts.

    Parameters
    ----------
    bert
    facts
        Columns ``template``, with a [MASK], ``true`` and ``topic``; each word is one piece.

    Returns
    -------
    numpy.ndarray, (facts,)
    """
    shares = probabilities(bert, facts["template"].tolist())
    return _first_of_topic(bert, facts, np.stack([rows[0].numpy() for rows in shares]))


def frequency_words(bert: Bert, facts: pd.DataFrame, corpus: Corpus) -> np.ndarray:
    """Return what `word_choices` returns for the rule that gives the most frequent word of the topic every time."""
    counts = _counts(bert, corpus)
    return _first_of_topic(bert, facts, np.tile(counts, (len(facts), 1)))


def askable(bert: Bert, facts: pd.DataFrame) -> bool:
    """Return whether every true word is one piece of the model's vocabulary."""
    return all(len(pieces := bert.tokenizer.tokenize(word)) == 1 and pieces != ["[UNK]"] for word in facts["true"])


def exchanges(pairs: pd.DataFrame) -> list[str]:
    """Return the two words in which the sentences of each pair differ, in the order of the alphabet.

    Examples
    --------
    >>> exchanges(pd.DataFrame({"good": ["It was late."], "bad": ["It were late."]}))
    ['was / were']
    """
    sides = (pairs[side].str.strip(".").str.split().map(set) for side in ("good", "bad"))
    return [" / ".join(sorted(good ^ bad)) for good, bad in zip(*sides, strict=True)]


def by_group(values: np.ndarray, groups: Sequence[Hashable]) -> tuple[np.ndarray, np.ndarray]:
    """Return the sum of the values and their number in each group, (groups,) each."""
    grouped = pd.Series(values).groupby(list(groups))
    return grouped.sum().to_numpy(), grouped.size().to_numpy(dtype=float)


def _higher(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return 1 where one is higher, 0 where the other is, and a half where they are equal."""
    return np.where(one == other, 0.5, (one > other).astype(float))


def _first_of_topic(bert: Bert, facts: pd.DataFrame, scores: np.ndarray) -> np.ndarray:
    """Return whether the true word has the highest score of its topic's words; scores are (facts, vocabulary)."""
    ids = np.array([piece_id(bert, word) for word in facts["true"]])
    found = np.zeros(len(facts))
    topics = facts["topic"].to_numpy()
    for topic in np.unique(topics):
        rows = np.flatnonzero(topics == topic)
        among = scores[np.ix_(rows, ids[rows])]  # (facts of the topic, its words): a fact's own word on the diagonal
        best = among == among.max(axis=1, keepdims=True)
        found[rows] = best.diagonal() / best.sum(axis=1)
    return found


def _counts(bert: Bert, corpus: Corpus) -> np.ndarray:
    """Return how often each piece occurs in a corpus, and once more."""
    return np.bincount(corpus.pieces, minlength=len(bert.tokenizer)) + 1.0

"""Sense separation: whether the vectors of a word tell which of its two senses is meant.

Each vector is assigned to the nearer centroid of the two senses, computed without that vector (leave one out).
The layer is chosen on the other words, so that a word never picks the layer that flatters it. The baseline sees
the words around, as a bag (TF-IDF), and no order.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from sklearn.feature_extraction.text import TfidfVectorizer

from bertlab.bert.loading import Bert
from bertlab.vectors.words import leave_one_out, word_tokens

SENTENCES = Path(__file__).parent.parent / "data" / "word_senses.csv"


def read_senses(path: str | Path = SENTENCES) -> pd.DataFrame:
    """Read a table of ambiguous words: the columns ``word``, ``sense``, ``sentence``.

    Raises
    ------
    ValueError
        If a column is missing, a word has other than two senses, or a sentence does not hold its word once.
    """
    table = pd.read_csv(path)
    if missing := {"word", "sense", "sentence"} - set(table.columns):
        raise ValueError(f"{path} lacks the columns {', '.join(sorted(missing))}")
    for word, group in table.groupby("word"):
        if group["sense"].nunique() != 2:
            raise ValueError(f"{path}: {word} needs two senses, not {group['sense'].nunique()}")
    for line, (word, sentence) in enumerate(zip(table["word"], table["sentence"], strict=True), start=2):
        if len(_places(sentence, word)) != 1:
            raise ValueError(f"{path}, line {line}: {word!r} does not stand once in {sentence!r}")
    return table


def word_vectors(bert: Bert, table: pd.DataFrame) -> torch.Tensor:
    """Return the vector of each sentence's word at every layer, (sentences, layers + 1, hidden)."""
    readings = zip(bert.read_all(table["sentence"].tolist()), table["word"], strict=True)
    return torch.stack([reading.hidden[:, word_tokens(reading, word)].mean(dim=1) for reading, word in readings])


def sense_answers(bert: Bert, table: pd.DataFrame) -> pd.DataFrame:
    """Return, for every layer from 0 (the embedding layer's output) on, whether each sentence's sense is found.

    Returns
    -------
    pandas.DataFrame
        Columns ``word``, one of 0 or 1 for each layer (named by its number), and ``chosen``: the answer at the layer
        that is best on average over the other words.
    """
    vectors = word_vectors(bert, table)
    words, labels = table["word"].to_numpy(), table["sense"].to_numpy()
    layers = range(vectors.shape[1])
    answers = pd.DataFrame({"word": words} | dict.fromkeys(layers, 0.0))
    for word in np.unique(words):
        rows = words == word
        for layer in layers:
            answers.loc[rows, layer] = leave_one_out(vectors[rows, layer], labels[rows]).numpy().astype(float)
    means = answers.groupby("word")[list(layers)].mean()
    chosen = {word: int(means.drop(word).mean().idxmax()) for word in means.index}
    found = answers[list(layers)].to_numpy()
    answers = answers.assign(chosen=[found[i, chosen[word]] for i, word in enumerate(words)])
    answers.attrs["layers"] = chosen
    return answers


def bag_of_words_answers(table: pd.DataFrame) -> np.ndarray:
    """Return whether each sentence's sense is found from its other words, as TF-IDF vectors."""
    answers = np.zeros(len(table))
    for _, group in table.groupby("word"):
        bags: Any = TfidfVectorizer().fit_transform(group["sentence"])
        answers[group.index] = leave_one_out(torch.tensor(bags.toarray()), group["sense"].tolist()).numpy()
    return answers


def _places(sentence: str, word: str) -> list[tuple[int, int]]:
    """Return where a word stands in a sentence, as a whole word, whatever its case."""
    return [match.span() for match in re.finditer(rf"\b{re.escape(word)}\b", sentence, re.IGNORECASE)]

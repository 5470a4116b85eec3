"""Graded pairs: whether the similarity of two sentences' vectors follows what people said of them.

A file of pairs has the columns sentence 1, sentence 2 and a score, without a header (the STS Benchmark, Cer et al.
2017, is such a file; none is shipped). Every similarity stands beside ones that know no meaning: the share of words
in common, TF-IDF, and the mean of the static rows of the word table.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer

from bertlab.model import Bert


def read_pairs(path: str | Path) -> pd.DataFrame:
    """Read graded pairs as ``first``, ``second``, ``score``.

    Raises
    ------
    ValueError
        If the file has other than three columns, or a score that is no number.
    """
    table = pd.read_csv(path, header=None)
    if table.shape[1] != 3:
        raise ValueError(f"{path} has {table.shape[1]} columns; needed are sentence 1, sentence 2, score")
    table.columns = ["first", "second", "score"]
    table["score"] = pd.to_numeric(table["score"], errors="coerce")
    if table.isna().any(axis=None):
        raise ValueError(f"{path}: line {int(table.isna().any(axis=1).to_numpy().argmax()) + 1} is incomplete")
    return table


def model_similarities(bert: Bert, pairs: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return cosines of the last layer's [CLS], mean and max pooling, and of the mean static rows."""
    readings = bert.read_all([*pairs["first"], *pairs["second"]])
    rows = bert.model.bert.embeddings.word_embeddings.weight.detach().cpu()
    pooled = {
        "[CLS]": [reading.hidden[-1, 0] for reading in readings],
        "mean": [reading.hidden[-1].mean(0) for reading in readings],
        "max": [reading.hidden[-1].amax(0) for reading in readings],
        "static rows": [rows[reading.ids[1:-1]].mean(0) for reading in readings],
    }
    half = len(pairs)
    return {
        name: _cosines(np.stack([v.numpy() for v in vectors[:half]]), np.stack([v.numpy() for v in vectors[half:]]))
        for name, vectors in pooled.items()
    }


def baseline_similarities(pairs: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return the share of words in common (Jaccard) and the cosine of TF-IDF vectors."""
    vectorizer = TfidfVectorizer(token_pattern=r"\w+").fit([*pairs["first"], *pairs["second"]])
    words = vectorizer.build_analyzer()
    overlap = []
    for first, second in zip(pairs["first"], pairs["second"], strict=True):
        a, b = set(words(first)), set(words(second))
        overlap.append(len(a & b) / max(1, len(a | b)))
    first, second = (np.asarray(vectorizer.transform(pairs[side]).todense()) for side in ("first", "second"))
    return {"word overlap": np.array(overlap), "TF-IDF": (first * second).sum(1)}  # the rows have length one


def _cosines(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the cosine of each row of `a` with the same row of `b`."""
    return (a * b).sum(1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))

"""Scores of how similar two sentences are, by BERT and by rules that know words only as strings (lesson 5)."""

from collections.abc import Callable, Iterable
from pathlib import Path
from unicodedata import normalize

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from bertlab.arguments import Some, guarded
from bertlab.bert.loading import Bert
from bertlab.bert.texts import encode
from bertlab.paraphrase.pooling import POOLINGS, pooled_vectors, sentence_vectors

WORD = r"\w+"
DECIMALS = 6  # equally similar pairs must have equal scores, in whatever order a processor adds up


def pair_cosines(vectors: Tensor) -> np.ndarray:
    """Return the cosine of each vector in the first half with its partner in the second; 0 for a vector of zeros."""
    first, second = vectors.chunk(2)
    lengths = first.norm(dim=-1) * second.norm(dim=-1)
    products = (first * second).sum(dim=-1)
    cosines = products / lengths.clamp_min(1e-30)  # a product with a vector of zeros is 0, and stays it
    return cosines.numpy().round(DECIMALS)


@guarded
def similarities(bert: Bert, pairs: pd.DataFrame, pooling: str = "mean", layer: int = -1) -> np.ndarray:
    """Return the cosine of the two sentence vectors of each pair.

    Parameters
    ----------
    bert : Bert
        The model that reads the sentences.
    pairs : pandas.DataFrame
        One pair per row, in the columns ``first`` and ``second``.
    pooling, layer
        As for `sentence_vectors`.

    Returns
    -------
    numpy.ndarray
        The cosines, (pairs,).

    Examples
    --------
    >>> import pandas
    >>> pairs = pandas.DataFrame({"first": ["It rained."], "second": ["It rained."]})
    >>> similarities(bertlab.load("bertlab-mini"), pairs).tolist()
    [1.0]
    """
    return pair_cosines(sentence_vectors(bert, both_sides(pairs), pooling, layer))


@guarded
def model_similarities(
    bert: Bert, pairs: pd.DataFrame, *, layers: bool = False, progress: Callable[[list], Iterable] = iter
) -> dict[str, np.ndarray]:
    """Return the similarities of each pair by every pooling and by static rows, in one pass through the model.

    Parameters
    ----------
    bert, pairs
        As for `similarities`.
    layers : bool
        Add the mean after each layer but the last.
    progress : callable
        Takes the batches and yields them again, as ``tqdm.tqdm`` does.

    Returns
    -------
    dict of str to (pairs,)
        ``"[CLS]"``, the other poolings by their names, and ``"static rows"`` for the mean of the pieces' rows in the
        word table; with `layers` also ``"mean, layer 0"`` and so on.

    Examples
    --------
    >>> import pandas
    >>> pairs = pandas.DataFrame({"first": ["It rained."], "second": ["It rained."]})
    >>> model_similarities(bertlab.load("bertlab-mini"), pairs)["static rows"].tolist()
    [1.0]
    """
    texts = both_sides(pairs)
    wanted = {"[CLS]" if pooling == "cls" else pooling: (pooling, -1) for pooling in POOLINGS}
    if layers:
        wanted |= {f"mean, layer {layer}": ("mean", layer) for layer in range(bert.model.config.num_hidden_layers)}
    pooled = pooled_vectors(bert, texts, list(wanted.values()), progress=progress)
    vectors = dict(zip(wanted, pooled, strict=True)) | {"static rows": static_vectors(bert, texts)}
    return {name: pair_cosines(halves) for name, halves in vectors.items()}


@guarded
def static_vectors(bert: Bert, texts: Some[str]) -> Tensor:
    """Return the mean of each text's rows in the word table, without special tokens.

    Parameters
    ----------
    bert, texts
        As for `sentence_vectors`.

    Returns
    -------
    Tensor
        The means, (texts, hidden).

    Examples
    --------
    >>> static_vectors(bertlab.load("bertlab-mini"), ["It rained."]).shape
    torch.Size([1, 256])
    """
    rows = bert.model.bert.embeddings.word_embeddings.weight.detach().float().cpu()
    _, encoded = encode(bert.model, bert.tokenizer, texts)
    return torch.stack([rows[encoding["input_ids"][1:-1]].mean(dim=0) for encoding in encoded])


@guarded
def baseline_similarities(pairs: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return the similarities of each pair by two rules that know words only as strings.

    Parameters
    ----------
    pairs
        As for `similarities`.

    Returns
    -------
    dict of str to (pairs,)
        ``"word overlap"`` is `word_overlap`. ``"TF-IDF"`` is the cosine of word counts, where a word weighs more the
        fewer of these sentences contain it.

    Examples
    --------
    >>> import pandas
    >>> baseline_similarities(pandas.DataFrame({"first": ["A man plays."], "second": ["A man sings a song."]}))
    {'word overlap': array([0.4]), 'TF-IDF': array([0.502929])}
    """
    return {"word overlap": word_overlap(pairs), "TF-IDF": tfidf_cosines(pairs)}


@guarded
def word_overlap(pairs: pd.DataFrame) -> np.ndarray:
    """Return the share of a pair's words that both of its sentences contain (Jaccard index).

    Parameters
    ----------
    pairs
        As for `similarities`.

    Returns
    -------
    numpy.ndarray
        The shares, (pairs,).

    Examples
    --------
    >>> import pandas
    >>> word_overlap(pandas.DataFrame({"first": ["A man plays."], "second": ["A man sings a song."]}))
    array([0.4])
    """
    words = [set(words) for words in _words(both_sides(pairs))]
    sides = zip(words[: len(words) // 2], words[len(words) // 2 :], strict=True)
    return np.array([len(first & second) / max(1, len(first | second)) for first, second in sides])


def tfidf_cosines(pairs: pd.DataFrame) -> np.ndarray:
    """Return the cosines of word counts, each weighted by how few of these sentences contain the word, (pairs,)."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    counts = TfidfVectorizer(token_pattern=WORD, preprocessor=_plain).fit_transform(both_sides(pairs))
    first, second = np.split(np.asarray(counts.todense()), 2)
    return (first * second).sum(axis=1).round(DECIMALS)  # the rows have length one


@guarded
def glove_similarities(path: str | Path, pairs: pd.DataFrame) -> np.ndarray:
    r"""Return the cosine of the two mean word vectors of each pair, such as GloVe's (Pennington et al. 2014).

    Parameters
    ----------
    path : str or path
        A text file of word vectors, with a word and its numbers on each line.
    pairs
        As for `similarities`.

    Returns
    -------
    numpy.ndarray
        The cosines, (pairs,).

    Examples
    --------
    >>> import pandas, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = Path(folder, "vectors.txt").write_text("cat 1 0 0 0\ndog 1 1 1 1\n")
    ...     pairs = pandas.DataFrame({"first": ["the cat"], "second": ["the dog"]})
    ...     glove_similarities(Path(folder, "vectors.txt"), pairs).tolist()
    [0.5]
    """
    sentences = _words(both_sides(pairs))
    wanted, vectors = set().union(*sentences), {}
    with Path(path).open(encoding="utf-8") as lines:
        for line in lines:
            word, *numbers = line.rstrip().split(" ")
            if word in wanted and word not in vectors:  # some "words" contain spaces; they come after their first word
                vectors[word] = np.array(numbers, dtype=np.float64)
    if not vectors:
        raise ValueError(f"{Path(path).name} holds none of the pairs' words. Give word vectors for English.")
    unknown = np.zeros_like(next(iter(vectors.values())))  # the mean of a sentence without any known word
    means = [np.mean([vectors[word] for word in words if word in vectors] or [unknown], axis=0) for words in sentences]
    return pair_cosines(torch.tensor(np.stack(means)).float())


def both_sides(pairs: pd.DataFrame) -> list[str]:
    """Return all first sentences, then all second sentences."""
    if pairs.empty or not {"first", "second"} <= {*pairs}:
        raise ValueError("pairs must be a table with the columns first and second, and one row or more.")
    return [*pairs["first"], *pairs["second"]]


def _words(texts: Iterable[str]) -> list[list[str]]:
    from sklearn.feature_extraction.text import CountVectorizer

    return list(map(CountVectorizer(token_pattern=WORD, preprocessor=_plain).build_analyzer(), texts))


def _plain(text: str) -> str:
    """Return a text in lower case, with each letter and its accent in one character."""
    return normalize("NFC", text).lower()

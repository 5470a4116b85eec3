"""How alike two sentences are: by BERT's vectors, and by rules that read no meaning (lesson 5).

Each function takes a table of pairs with the columns ``first`` and ``second`` and returns one number a pair, the
higher the more alike. None of them is a probability, and none says that two sentences mean the same: what they are
worth is measured by `bertlab.paraphrase.benchmark`, against pairs that people graded (`bertlab.paraphrase.pairs`).
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from bertlab.bert.texts import encode
from bertlab.paraphrase.pooling import POOLINGS, pooled_vectors, sentence_vectors

if TYPE_CHECKING:
    from pandas import DataFrame

    from bertlab.bert.loading import Bert

WORD = r"\w+"
# Pairs that are equally alike must have equal numbers, in whatever order a processor adds up: ranks and thresholds see
# the smallest difference. Processors differ by less than 5e-7 here.
DECIMALS = 6


def pair_cosines(vectors: Tensor) -> np.ndarray:
    """Return the cosine of each first sentence with its second one.

    Parameters
    ----------
    vectors : (2 * pairs, features)
        The first sentences' vectors, and then the second ones' in the same order. A vector of zeros, which has no
        direction, counts as unlike everything: 0.

    Returns
    -------
    numpy.ndarray, (pairs,)

    Examples
    --------
    >>> pair_cosines(torch.tensor([[1.0, 0.0], [0.0, 2.0]]))
    array([0.], dtype=float32)
    """
    first, second = vectors.chunk(2)
    lengths = first.norm(dim=-1) * second.norm(dim=-1)
    products = (first * second).sum(dim=-1)
    cosines = products / lengths.clamp_min(1e-30)  # a product with a vector of zeros is 0, and stays it
    return cosines.numpy().round(DECIMALS)


def similarities(bert: "Bert", pairs: "DataFrame", pooling: str = "mean", layer: int = -1) -> np.ndarray:
    """Return the cosine of the two sentence vectors of each pair.

    Parameters
    ----------
    bert
    pairs
        With the columns ``first`` and ``second``.
    pooling, layer
        As for `sentence_vectors`.

    Returns
    -------
    numpy.ndarray, (pairs,)

    Examples
    --------
    >>> import bertlab, pandas
    >>> pairs = pandas.DataFrame({"first": ["It rained."], "second": ["It rained."]})
    >>> similarities(bertlab.load("bertlab-mini"), pairs).round(2)
    array([1.], dtype=float32)
    """
    return pair_cosines(sentence_vectors(bert, both_sides(pairs), pooling, layer))


def model_similarities(
    bert: "Bert", pairs: "DataFrame", *, layers: bool = False, progress: Callable[[list], Iterable] = iter
) -> dict[str, np.ndarray]:
    """Return the similarities of all poolings, and of the static rows, in one pass through the model.

    Parameters
    ----------
    bert, pairs
        As for `similarities`.
    layers
        Besides the poolings of the last layer, the mean after every other one.
    progress
        Takes the list of batches and yields them again, as ``tqdm.tqdm`` does.

    Returns
    -------
    dict of str to numpy.ndarray
        ``"[CLS]"``, ``"mean"``, ``"max"``, ``"static rows"``, then ``"mean, layer 0"`` and so on.
    """
    wanted = {"[CLS]" if pooling == "cls" else pooling: (pooling, -1) for pooling in POOLINGS}
    if layers:
        wanted |= {f"mean, layer {layer}": ("mean", layer) for layer in range(bert.model.config.num_hidden_layers)}
    texts = both_sides(pairs)
    pooled = pooled_vectors(bert, texts, [wanted[name] for name in wanted], progress=progress)
    vectors = dict(zip(wanted, pooled, strict=True))
    names = list(wanted)
    in_order = [*names[: len(POOLINGS)], "static rows", *names[len(POOLINGS) :]]
    vectors["static rows"] = static_vectors(bert, texts)
    return {name: pair_cosines(vectors[name]) for name in in_order}


def static_vectors(bert: "Bert", texts: Sequence[str]) -> Tensor:
    """Return the mean of the pieces' rows in the word table, special tokens left out: no layer, no context.

    Returns
    -------
    torch.Tensor, (texts, hidden)
    """
    rows = bert.model.bert.embeddings.word_embeddings.weight.detach().float().cpu()
    _, encoded = encode(bert.model, bert.tokenizer, texts)
    return torch.stack([rows[encoding["input_ids"][1:-1]].mean(dim=0) for encoding in encoded])


def baseline_similarities(pairs: "DataFrame") -> dict[str, np.ndarray]:
    """Return what two rules say that know words only as strings: the share of common words, and TF-IDF.

    Returns
    -------
    dict of str to numpy.ndarray
        ``"word overlap"``: words in both sentences, of the words in either (Jaccard), capitals aside. ``"TF-IDF"``:
        the cosine of the counts of words, each weighed by how few of these sentences hold it.

    Examples
    --------
    >>> import pandas
    >>> pairs = pandas.DataFrame({"first": ["A man plays."], "second": ["A man sings a song."]})
    >>> baseline_similarities(pairs)["word overlap"]
    array([0.4])
    """
    return {"word overlap": word_overlap(pairs), "TF-IDF": tfidf_cosines(pairs)}


def word_overlap(pairs: "DataFrame") -> np.ndarray:
    """Return the share of words in both sentences, of the words in either."""
    from sklearn.feature_extraction.text import CountVectorizer

    words = CountVectorizer(token_pattern=WORD).build_analyzer()
    sets = [set(words(text)) for text in both_sides(pairs)]
    sides = zip(sets[: len(pairs)], sets[len(pairs) :], strict=True)
    return np.array([len(a & b) / max(1, len(a | b)) for a, b in sides])


def tfidf_cosines(pairs: "DataFrame") -> np.ndarray:
    """Return the cosines of the sentences' TF-IDF vectors, the weights made from these sentences."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(token_pattern=WORD).fit(both_sides(pairs))
    first, second = (np.asarray(vectorizer.transform(pairs[side]).todense()) for side in ("first", "second"))
    return (first * second).sum(axis=1).round(DECIMALS)  # the rows have length one


def glove_similarities(path: str | Path, pairs: "DataFrame") -> np.ndarray:
    """Return the cosine of mean word vectors from a text file, such as GloVe's (Pennington et al. 2014).

    Parameters
    ----------
    path
        One word a line and its numbers after it, between single spaces; a first line with two counts, which word2vec
        and fastText write, is passed over. Only the words of the pairs are kept.
    pairs

    Returns
    -------
    numpy.ndarray, (pairs,)
        0 where none of a sentence's words is in the file.

    Raises
    ------
    ValueError
        If a line holds something else than numbers, lines differ in length, no word of the pairs is found, or the
        file is not UTF-8.
    """
    return pair_cosines(_mean_word_vectors(Path(path), both_sides(pairs)))


def both_sides(pairs: "DataFrame") -> list[str]:
    """Return the first sentences of all pairs, and then the second ones."""
    given = getattr(pairs, "columns", ())
    if lacking := [column for column in ("first", "second") if column not in given]:
        raise ValueError(
            f"The pairs lack the column {' and '.join(lacking)}. Give a table with the columns first and second, as "
            "read_pairs(path) returns it."
        )
    if pairs.empty:
        raise ValueError("There is no pair in the table.")
    for side in ("first", "second"):
        for row, text in enumerate(pairs[side]):
            if not isinstance(text, str):
                raise TypeError(
                    f"The {side} sentence of row {row} is no text but {type(text).__name__}: {text!r:.60}. Fill it in, "
                    "or leave the row out."
                )
    return [*pairs["first"], *pairs["second"]]


def _mean_word_vectors(file: Path, texts: Sequence[str]) -> Tensor:
    """Return the mean of each text's word vectors, (texts, features); zeros where no word is in the file."""
    from sklearn.feature_extraction.text import CountVectorizer

    words = CountVectorizer(token_pattern=WORD).build_analyzer()
    sentences = [words(text) for text in texts]
    vectors = _read_word_vectors(file, {word for sentence in sentences for word in sentence})
    nothing = [np.zeros(len(next(iter(vectors.values()))))]
    means = [np.mean([vectors[word] for word in s if word in vectors] or nothing, axis=0) for s in sentences]
    return torch.tensor(np.stack(means)).float()


def _read_word_vectors(file: Path, wanted: set[str]) -> dict[str, np.ndarray]:
    """Return the vectors of the wanted words that a file holds."""
    found: dict[str, np.ndarray] = {}
    size, number = -1, 0  # -1: as many as there are
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                word, *numbers = line.rstrip("\n ").rsplit(" ", size)  # from the right: a few "words" hold spaces
                if number == 1 and len(numbers) == 1:
                    continue
                size = len(numbers) if size < 0 else size
                if len(numbers) < (needed := max(2, size)):
                    raise ValueError(
                        f"{file.name}: line {number} has {len(numbers)} numbers, needed are {needed}. Give a text file "
                        "with a word and its numbers in each line, and single spaces between them."
                    )
                if word in wanted:
                    found[word] = _finite(numbers, f"{file.name}: line {number}")
    except UnicodeDecodeError:
        raise ValueError(f"{file.name} is not UTF-8 after line {number}. Give the unpacked text file.") from None
    if not found:
        raise ValueError(
            f"{file.name} holds none of the pairs' words. Give word vectors for English, in small letters."
        )
    return found


def _finite(given: Sequence[str], place: str) -> np.ndarray:
    """Return what stands in a line as numbers, or refuse it."""
    try:
        numbers = np.array(given, dtype=np.float64)
    except ValueError:
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():
        raise ValueError(
            f"{place} holds something that is not a number after its word. Correct it, or remove the line."
        )
    return numbers

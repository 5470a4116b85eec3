"""How alike the sentences ``first`` and ``second`` of each row of a table are: by BERT, and by rules (lesson 5)."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from bertlab.bert.arguments import require_list
from bertlab.bert.texts import encode
from bertlab.paraphrase.pooling import POOLINGS, pooled_vectors, sentence_vectors

if TYPE_CHECKING:
    from pandas import DataFrame

    from bertlab.bert.loading import Bert

WORD = r"\w+"
DECIMALS = 6  # pairs that are equally alike must have equal numbers, in whatever order a processor adds up


def pair_cosines(vectors: Tensor) -> np.ndarray:
    """Return the cosine of each vector of the first half with its own of the second half, 0 with one of zeros."""
    first, second = vectors.chunk(2)
    lengths = first.norm(dim=-1) * second.norm(dim=-1)
    products = (first * second).sum(dim=-1)
    cosines = products / lengths.clamp_min(1e-30)  # a product with a vector of zeros is 0, and stays it
    return cosines.numpy().round(DECIMALS)


def similarities(bert: "Bert", pairs: "DataFrame", pooling: str = "mean", layer: int = -1) -> np.ndarray:
    """Return the cosine of the two sentence vectors of each pair, (pairs,); pooling and layer as `sentence_vectors`."""
    return pair_cosines(sentence_vectors(bert, both_sides(pairs), pooling, layer))


def model_similarities(
    bert: "Bert", pairs: "DataFrame", *, layers: bool = False, progress: Callable[[list], Iterable] = iter
) -> dict[str, np.ndarray]:
    """Return the similarities of all poolings and of the static rows, (pairs,) each, in one pass through the model.

    Their names are ``"[CLS]"``, ``"mean"``, ``"max"``, ``"static rows"`` and, if `layers`, ``"mean, layer 0"`` ...
    """
    texts = both_sides(pairs)
    wanted = {"[CLS]" if pooling == "cls" else pooling: (pooling, -1) for pooling in POOLINGS}
    if layers:
        wanted |= {f"mean, layer {layer}": ("mean", layer) for layer in range(bert.model.config.num_hidden_layers)}
    pooled = pooled_vectors(bert, texts, list(wanted.values()), progress=progress)
    vectors = dict(zip(wanted, pooled, strict=True)) | {"static rows": static_vectors(bert, texts)}
    return {name: pair_cosines(of_both) for name, of_both in vectors.items()}


def static_vectors(bert: "Bert", texts: Sequence[str]) -> Tensor:
    """Return the mean of each text's rows in the word table without special tokens, (texts, hidden): no context."""
    rows = bert.model.bert.embeddings.word_embeddings.weight.detach().float().cpu()
    _, encoded = encode(bert.model, bert.tokenizer, texts)
    return torch.stack([rows[encoding["input_ids"][1:-1]].mean(dim=0) for encoding in encoded])


def baseline_similarities(pairs: "DataFrame") -> dict[str, np.ndarray]:
    """Return what two rules say that know words only as strings, (pairs,) each: ``"word overlap"``, ``"TF-IDF"``."""
    return {"word overlap": word_overlap(pairs), "TF-IDF": tfidf_cosines(pairs)}


def word_overlap(pairs: "DataFrame") -> np.ndarray:
    """Return the share of words in both sentences of each pair, of the words in either (Jaccard), (pairs,).

    Examples
    --------
    >>> import pandas
    >>> word_overlap(pandas.DataFrame({"first": ["A man plays."], "second": ["A man sings a song."]}))
    array([0.4])
    """
    sides = zip(_words(pairs["first"]), _words(pairs["second"]), strict=True)
    return np.array([len({*first} & {*second}) / max(1, len({*first} | {*second})) for first, second in sides])


def tfidf_cosines(pairs: "DataFrame") -> np.ndarray:
    """Return the cosines of the counts of words, each weighed by how few of these sentences hold it, (pairs,)."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(token_pattern=WORD).fit(both_sides(pairs))
    first, second = (np.asarray(vectorizer.transform(pairs[side]).todense()) for side in ("first", "second"))
    return (first * second).sum(axis=1).round(DECIMALS)  # the rows have length one


def glove_similarities(path: str | Path, pairs: "DataFrame") -> np.ndarray:
    """Return the cosine of mean word vectors from a text file, such as GloVe's: a line has a word and its numbers."""
    sentences = _words(both_sides(pairs))
    wanted, vectors = set().union(*sentences), {}
    with Path(path).open(encoding="utf-8") as lines:
        for line in lines:
            word, *numbers = line.rstrip().split(" ")
            if word in wanted and word not in vectors:  # some "words" hold spaces; they stand below their first word
                vectors[word] = np.array(numbers, dtype=np.float64)
    if not vectors:
        raise ValueError(f"{Path(path).name} holds none of the pairs' words. Give word vectors for English.")
    no_word = np.zeros(len(next(iter(vectors.values()))))
    means = []
    for words in sentences:
        known = [vectors[word] for word in words if word in vectors]
        means.append(np.mean(known, axis=0) if known else no_word)
    return pair_cosines(torch.tensor(np.stack(means)).float())


def both_sides(pairs: "DataFrame") -> list[str]:
    """Return the first sentences of all pairs, and then the second ones."""
    return [*require_list(first=pairs["first"]), *require_list(second=pairs["second"])]


def _words(texts: Iterable[str]) -> list[list[str]]:
    """Return the words of each text, in small letters."""
    from sklearn.feature_extraction.text import CountVectorizer

    return list(map(CountVectorizer(token_pattern=WORD).build_analyzer(), texts))

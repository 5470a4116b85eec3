"""What is measured of a checkpoint, each with the simplest rule beside it, and as one number an item.

Held-out text: batches as in training, from documents that were never trained on, always the same. The rule beside it
ignores the context and knows only the frequencies of the very pieces that are asked for.

Senses: whether the vectors of a word tell which of its two senses is meant. The layer is chosen on the other words, so
that a word never picks the layer that flatters it. The rule beside it sees the words around, as a bag, and no order.

Fill-mask: whether a sensible word is among the first five for a [MASK]. The rule beside it always gives the five most
frequent pieces of held-out text.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import torch
from sklearn.feature_extraction.text import TfidfVectorizer

from bertlab.bert.loading import Bert
from bertlab.masking import fill_mask
from bertlab.pretraining.corpus import Corpus
from bertlab.pretraining.instances import IGNORE, IS_NEXT, Batch, InstanceMaker
from bertlab.pretraining.network import predict
from bertlab.pretraining.recipe import FIRST_RUN, BatchKind, Recipe
from bertlab.pretraining.vocabulary import FIRST_WORD
from bertlab.vectors import leave_one_out, word_vector

HELD_OUT_SEED, HELD_OUT_ROWS, HELD_OUT_LENGTH = 2019, 1500, 64
BANDS = (0, 10, 100, 1000, 4000, 16000)  # ranks of a piece by frequency: the ten most frequent, the next ninety...
TOP = 5

# How held-out text is asked for is fixed for every model, whatever recipe it was trained with and whatever the default
# recipe has become: masked as in Devlin et al. 2019, and the families of text in the proportions of the first run.
MEASURED = Recipe(
    masking_rate=0.15,
    mask_share=0.8,
    random_share=0.1,
    not_next_share=0.5,
    unit_of_weight=1e8,
    family_weights=FIRST_RUN,
)


def held_out_batch(corpus: Corpus, vocabulary_size: int, rows: int | None = None) -> Batch:
    """Return the fixed held-out pairs of 64 pieces, 15 % of them masked as in Devlin et al. 2019."""
    maker = InstanceMaker(corpus, MEASURED, vocabulary_size)
    kind = BatchKind(True, HELD_OUT_LENGTH, 1.0)
    return maker.draw(kind, np.random.default_rng(HELD_OUT_SEED), rows or HELD_OUT_ROWS)


def held_out_predictions(bert: Bert, batch: Batch, rows_at_once: int = 50) -> pd.DataFrame:
    """Predict every masked piece and every pair of a batch.

    Returns
    -------
    pandas.DataFrame
        A row a text: the sum of the ``loss`` of its masked pieces (nats), how many are ``correct``, their ``count``,
        and whether the next-sentence answer is right (``next``; not a number for single sentences).
        ``attrs["pieces"]`` is a DataFrame with a row a masked piece: ``piece``, ``loss``, ``correct``.
    """
    rows, pieces = [], []
    for start in range(0, len(batch.ids), rows_at_once):
        part = batch.part(start, start + rows_at_once)
        found = predict(bert.model, part)
        sums = {name: (getattr(found, name) * found.used).sum(1) for name in ("loss", "correct")}
        rows.append(pd.DataFrame(sums | {"count": found.used.sum(1), "next": found.next_correct}))
        chosen = {"piece": part.labels, "loss": found.loss, "correct": found.correct}
        pieces.append(pd.DataFrame({name: values[found.used] for name, values in chosen.items()}))
    table = pd.concat(rows, ignore_index=True)
    table.attrs["pieces"] = pd.concat(pieces, ignore_index=True)
    return table


def unigram_predictions(batch: Batch, corpus: Corpus, vocabulary_size: int) -> pd.DataFrame:
    """Return what `held_out_predictions` returns, for a model that knows the frequencies of the held-out pieces alone.

    For the next sentence it says *is next* where the two parts share more words than half of the pairs do.
    """
    counts = np.bincount(corpus.pieces, minlength=vocabulary_size) + 1.0
    losses = -np.log(counts / counts.sum())
    used = batch.labels != IGNORE
    labels = np.where(used, batch.labels, 0)
    table = pd.DataFrame(
        {
            "loss": (losses[labels] * used).sum(1),
            "correct": ((labels == counts.argmax()) & used).sum(1),
            "count": used.sum(1),
        }
    )
    shared = np.array([_overlap(ids, segments) for ids, segments in zip(batch.ids, batch.segments, strict=True)])
    guess = shared > np.median(shared)
    return table.assign(next=(guess == (batch.next_labels == IS_NEXT)).astype(float))


def by_frequency(pieces: pd.DataFrame, corpus: Corpus, vocabulary_size: int) -> pd.DataFrame:
    """Return count, loss and accuracy of masked pieces by the piece's rank of frequency in held-out text."""
    counts = np.bincount(corpus.pieces, minlength=vocabulary_size)
    ends = [*BANDS, vocabulary_size] if vocabulary_size > BANDS[-1] else BANDS
    rank = np.empty(vocabulary_size, dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(vocabulary_size)
    labels = [f"{low + 1:,} to {high:,}" for low, high in pairwise(ends)]
    band = pd.cut(rank[pieces["piece"]], ends, right=False, labels=labels)
    grouped = pieces.assign(band=band).groupby("band", observed=True)
    table = grouped.agg(pieces=("piece", "size"), loss=("loss", "mean"), accuracy=("correct", "mean"))
    return table.rename_axis("rank of the piece").reset_index()


def sense_answers(bert: Bert, table: pd.DataFrame) -> pd.DataFrame:
    """Return, for every layer from 0 (the embedding layer's output) on, whether each sentence's sense is found.

    Returns
    -------
    pandas.DataFrame
        Columns ``word``, one of 0 or 1 for each layer (named by its number), and ``chosen``: the answer at the layer
        that is best on average over the other words.
    """
    vectors = _word_vectors(bert, table)
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


def first_words(bert: Bert, probes: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the five most probable pieces for each probe, as `bertlab.masking.fill_mask` does."""
    return [fill_mask(bert, sentence, TOP) for sentence in probes["sentence"]]


def frequent_pieces(bert: Bert, corpus: Corpus) -> list[str]:
    """Return the five most frequent pieces of a corpus."""
    most = np.argsort(-np.bincount(corpus.pieces, minlength=len(bert.tokenizer)))[:TOP]
    return list(bert.tokenizer.convert_ids_to_tokens(most.tolist()))


def sensible(probes: pd.DataFrame, words: Iterable[Iterable[str]]) -> np.ndarray:
    """Return for each probe whether one of its answers is among the words given for it, as 0 or 1."""
    pairs = zip(probes["answers"], words, strict=True)
    return np.array([float(not set(answers.split("|")).isdisjoint(given)) for answers, given in pairs])


def _word_vectors(bert: Bert, table: pd.DataFrame) -> torch.Tensor:
    """Return the vector of each sentence's word at every layer, (sentences, layers + 1, hidden)."""
    readings = zip(bert.read_all(table["sentence"].tolist()), table["word"], strict=True)
    return torch.stack(
        [
            torch.stack([word_vector(reading, word, layer=layer) for layer in range(len(reading.hidden))])
            for reading, word in readings
        ]
    )


def _overlap(ids: np.ndarray, segments: np.ndarray) -> float:
    """Return the share of distinct pieces that two segments have in common (Jaccard)."""
    words = ids >= FIRST_WORD
    first, second = set(ids[words & (segments == 0)].tolist()), set(ids[words & (segments == 1)].tolist())
    return len(first & second) / max(1, len(first | second))

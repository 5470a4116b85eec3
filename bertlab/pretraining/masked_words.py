"""Held-out text: how well masked words and next sentences are predicted.

The batches are drawn as in training, from documents that were never trained on, always the same. The simplest
baseline for a masked word is to ignore the context: the frequencies of the very pieces that are asked for.
"""

from itertools import pairwise

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F

from bertlab.bert.loading import Bert
from bertlab.pretraining.corpus import Corpus
from bertlab.pretraining.instances import IGNORE, IS_NEXT, Batch, InstanceMaker
from bertlab.pretraining.network import Objective, tensors
from bertlab.pretraining.recipe import BatchKind, Recipe
from bertlab.pretraining.vocabulary import FIRST_WORD

ROWS, LENGTH = 1500, 64
BANDS = (0, 10, 100, 1000, 4000, 16000)  # ranks of a piece by frequency: the ten most frequent, the next ninety...


def held_out_batch(corpus: Corpus, vocabulary_size: int, rows: int | None = None) -> Batch:
    """Return the fixed held-out pairs of 64 pieces, 15 % of them masked as in Devlin et al. 2019."""
    maker = InstanceMaker(corpus, Recipe(masking_rate=0.15), vocabulary_size)
    return maker.draw(BatchKind(True, LENGTH, 1.0), np.random.default_rng(2019), rows or ROWS)


def predict(bert: Bert, batch: Batch, rows_at_once: int = 50) -> pd.DataFrame:
    """Predict every masked piece and every pair of a batch.

    Returns
    -------
    pandas.DataFrame
        A row a text: the sum of the ``loss`` of its masked pieces (nats), how many are ``correct``, their ``count``,
        and whether the next-sentence answer is right (``next``; not a number for single sentences).
        ``attrs["pieces"]`` is a DataFrame with a row a masked piece: ``piece``, ``loss``, ``correct``.
    """
    objective, rows, pieces = Objective(bert.model), [], []
    for start in range(0, len(batch.ids), rows_at_once):
        part = Batch(**{name: array[start : start + rows_at_once] for name, array in vars(batch).items()})
        inputs = tensors(part, next(bert.model.parameters()).device)
        with torch.no_grad():
            hidden, next_scores = objective.encode(inputs["ids"], inputs["segments"], inputs["attention"])
            scores = objective.word_scores(hidden, inputs["positions"])
        labels = inputs["labels"]
        loss = F.cross_entropy(scores, labels.flatten(), ignore_index=IGNORE, reduction="none").view_as(labels)
        correct = (scores.argmax(-1).view_as(labels) == labels).float()
        used = labels != IGNORE
        nexts = (next_scores.argmax(-1) == inputs["next_labels"]).float().cpu().numpy()
        nexts[part.next_labels == IGNORE] = np.nan
        rows.append(
            pd.DataFrame(
                {
                    "loss": (loss * used).sum(1).cpu().numpy(),
                    "correct": (correct * used).sum(1).cpu().numpy(),
                    "count": used.sum(1).cpu().numpy(),
                    "next": nexts,
                }
            )
        )
        chosen = {"piece": labels[used], "loss": loss[used], "correct": correct[used]}
        pieces.append(pd.DataFrame({name: values.cpu().numpy() for name, values in chosen.items()}))
    table = pd.concat(rows, ignore_index=True)
    table.attrs["pieces"] = pd.concat(pieces, ignore_index=True)
    return table


def unigram_predictions(batch: Batch, corpus: Corpus, vocabulary_size: int) -> pd.DataFrame:
    """Return what `predict` returns, for a model that knows the frequencies of the held-out pieces alone.

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
    rank = np.empty(vocabulary_size, dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(vocabulary_size)
    labels = [f"{low + 1:,} to {high:,}" for low, high in pairwise(BANDS)]
    band = pd.cut(rank[pieces["piece"]], BANDS, right=False, labels=labels)
    grouped = pieces.assign(band=band).groupby("band", observed=True)
    table = grouped.agg(pieces=("piece", "size"), loss=("loss", "mean"), accuracy=("correct", "mean"))
    return table.rename_axis("rank of the piece").reset_index()


def _overlap(ids: np.ndarray, segments: np.ndarray) -> float:
    """Return the share of distinct pieces that two segments have in common (Jaccard)."""
    words = ids >= FIRST_WORD
    first, second = set(ids[words & (segments == 0)].tolist()), set(ids[words & (segments == 1)].tolist())
    return len(first & second) / max(1, len(first | second))

"""Batches of training, after Devlin et al. (2019), section 3.1 and appendix A.

Batch t is a function of (seed, t), so a resumed run needs no memory of what it has read. All batches of a kind have the
same shape, so that the model is compiled once per kind. Unlike in the paper, a pair is two neighbouring stretches of a
document that fill the length, cut at the end of a sentence.
"""

from typing import NamedTuple

import numpy as np
import torch

from prepare import CLS, FIRST_WORD, MASK, PAD, SEP, Corpus
from settings import BatchKind, Settings

IGNORE = -100  # the label of a position that does not count, as in torch and transformers
IS_NEXT, NOT_NEXT = 0, 1  # labels of next-sentence prediction, as in transformers


class Batch(NamedTuple):
    """One batch of int64 arrays; `labels` are the pieces to predict at `positions`, with IGNORE in unused slots."""

    ids: np.ndarray  # (rows, length)
    segments: np.ndarray  # (rows, length)
    attention: np.ndarray  # (rows, length)
    positions: np.ndarray  # (rows, masked)
    labels: np.ndarray  # (rows, masked)
    next_labels: np.ndarray  # (rows,), IGNORE for single sentences

    @property
    def asked(self) -> tuple[int, int]:
        """The number of pieces to predict, and the number of rows that are pairs."""
        return int((self.labels != IGNORE).sum()), int((self.next_labels != IGNORE).sum())

    def rows(self, which: slice) -> "Batch":
        """Return some of the rows."""
        return Batch(*(array[which] for array in self))

    def tensors(self, device: torch.device | str = "cpu") -> list[torch.Tensor]:
        """Return the arrays as the arguments of `model.PretrainingLoss`."""
        return [torch.from_numpy(array).to(device) for array in self]


class BatchMaker:
    """Draw batches from a corpus, with the kinds, shares and weights of the settings."""

    def __init__(self, corpus: Corpus, settings: Settings, vocabulary: int) -> None:
        self.corpus, self.settings, self.vocabulary = corpus, settings, vocabulary
        sentences = np.arange(len(corpus.documents))
        last = np.append(corpus.documents[1:] != corpus.documents[:-1], True)  # of its document
        ends = np.flatnonzero(last) + 1  # after the last sentence of each document
        self.document_end = ends[np.cumsum(last) - last]  # of each sentence's document
        self.may_begin_pair = self.pools(sentences[~last])
        self.singles = self.pools(sentences[np.diff(corpus.starts) >= settings.shortest_single])
        self.any = self.pools(sentences)

    def batch(self, step: int) -> Batch:
        """Return batch `step` of the run."""
        rng = np.random.default_rng((self.settings.seed, step))
        shares = np.array([kind.share for kind in self.settings.kinds])
        kind = self.settings.kinds[rng.choice(len(shares), p=shares / shares.sum())]
        return self.draw(kind, rng, max(1, self.settings.pieces_at(step) // kind.length))

    def draw(self, kind: BatchKind, rng: np.random.Generator, rows: int) -> Batch:
        """Draw one batch of a kind."""
        ids, segments, next_labels = (self.draw_pairs if kind.pair else self.draw_singles)(rows, kind.length, rng)
        return self.mask(ids, segments, next_labels, rng)

    def pools(self, eligible: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """Return the eligible sentences of each family that has any, and the probabilities of these families."""
        pools, weights = [], []
        for family, (start, end) in self.corpus.families.items():
            pool = eligible[slice(*np.searchsorted(eligible, (start, end)))]
            pieces = self.corpus.starts[end] - self.corpus.starts[start]
            weight = self.settings.family_weights.get(family, pieces / 1e8)  # a family without a weight: by its size
            if len(pool) and weight > 0:
                pools.append(pool)
                weights.append(weight)
        return pools, np.array(weights) / np.sum(weights)

    @staticmethod
    def draw_sentences(pools: tuple[list[np.ndarray], np.ndarray], count: int, rng: np.random.Generator) -> np.ndarray:
        """Draw sentences: first a family by its weight, then one of its sentences uniformly."""
        families, probabilities = pools
        chosen = rng.choice(len(families), size=count, p=probabilities)
        places = rng.random(count)  # from 0 to 1 in the family
        return np.array([families[f][int(place * len(families[f]))] for f, place in zip(chosen, places, strict=True)])

    def draw_singles(self, rows: int, length: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Return one sentence per row, cut or padded to the length."""
        sentence = self.draw_sentences(self.singles, rows, rng)
        starts = self.corpus.starts
        count = np.minimum(starts[sentence + 1] - starts[sentence], length - 2)
        ids = np.full((rows, length), PAD, dtype=np.int64)
        ids[:, 0] = CLS
        self.fill(ids, 1, starts[sentence], count)
        ids[np.arange(rows), count + 1] = SEP
        return ids, np.zeros_like(ids), np.full(rows, IGNORE)

    def draw_pairs(self, rows: int, length: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Return two stretches per row, neighbours in a document or from two documents."""
        starts, documents, room = self.corpus.starts, self.corpus.documents, length - 3
        first = self.draw_sentences(self.may_begin_pair, rows, rng)
        # B may begin with any sentence that starts inside the room and leaves it a piece; where the first sentence
        # alone fills the room, A is its last half-room of pieces.
        reach = np.searchsorted(starts, starts[first] + room - 1, side="right") - 1
        reach = np.minimum(reach, self.document_end[first] - 1)
        second = first + 1 + (rng.random(rows) * np.maximum(reach - first, 1)).astype(np.int64)
        a_start, a_end = starts[first], starts[second]
        a_start = np.where(a_end - a_start > room - 1, a_end - room // 2, a_start)
        next_labels = (rng.random(rows) < self.settings.not_next_share).astype(np.int64)
        unrelated = self.draw_sentences(self.any, rows, rng)
        while (clash := documents[unrelated] == documents[first]).any() and documents[-1] > documents[0]:
            unrelated[clash] = self.draw_sentences(self.any, int(clash.sum()), rng)
        begin = np.where(next_labels == NOT_NEXT, unrelated, second)
        a_count = a_end - a_start
        b_count = np.minimum(starts[self.document_end[begin]] - starts[begin], room - a_count)
        ids = np.full((rows, length), PAD, dtype=np.int64)
        ids[:, 0] = CLS
        self.fill(ids, 1, a_start, a_count)
        self.fill(ids, a_count + 2, starts[begin], b_count)
        a, end, column = a_count[:, None] + 1, (a_count + b_count)[:, None] + 2, np.arange(length)
        ids[(column == a) | (column == end)] = SEP
        return ids, ((column > a) & (column <= end)).astype(np.int64), next_labels

    def fill(self, ids: np.ndarray, column: np.ndarray | int, start: np.ndarray, count: np.ndarray) -> None:
        """Copy a stretch of the corpus to each row, beginning at a column."""
        offset = np.arange(ids.shape[1]) - np.reshape(column, (-1, 1))
        inside = (offset >= 0) & (offset < count[:, None])
        ids[inside] = self.corpus.pieces[(start[:, None] + offset)[inside]]

    def mask(self, ids: np.ndarray, segments: np.ndarray, next_labels: np.ndarray, rng: np.random.Generator) -> Batch:
        """Choose the pieces to predict; most become [MASK], some become a random piece, and some stay."""
        rows, length = ids.shape
        settings = self.settings
        slots = max(1, round(settings.masking_rate * length))
        maskable = ids >= FIRST_WORD  # neither special nor [UNK], which nobody could predict
        order = np.argsort(np.where(maskable, rng.random((rows, length)), 2.0), axis=1)[:, :slots]
        wanted = np.clip(np.round(settings.masking_rate * maskable.sum(axis=1)), 1, slots)
        used = (np.arange(slots) < wanted[:, None]) & np.take_along_axis(maskable, order, axis=1)
        originals = np.take_along_axis(ids, order, axis=1)
        draw = rng.random((rows, slots))
        randomly = used & (draw >= settings.mask_share) & (draw < settings.mask_share + settings.random_share)
        replaced = np.where(used & (draw < settings.mask_share), MASK, originals)
        replaced = np.where(randomly, rng.integers(FIRST_WORD, self.vocabulary, size=draw.shape), replaced)
        masked = ids.copy()
        np.put_along_axis(masked, order, replaced, axis=1)
        labels = np.where(used, originals, IGNORE)
        return Batch(masked, segments, (ids != PAD).astype(np.int64), order, labels, next_labels)

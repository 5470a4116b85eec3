"""Batches of training instances, after Devlin et al. 2019, section 3.1 and appendix A.

Three kinds of batch: pairs of two lengths, for next-sentence prediction, and short single sentences, because
that is what a student types. Batch ``t`` is a pure function of ``(seed, t)``: a run that is resumed at step
``t`` needs to remember nothing about what it read. Every batch of a kind has the same shape, masked positions
included, so that a compiled model is compiled once a kind.

Where this departs from the paper: a pair is two neighbouring stretches of one document that fill the length,
cut at a sentence's end, rather than whole sentences with padding after them.
"""

from dataclasses import dataclass

import numpy as np

from bertlab.pretraining.corpus import Corpus
from bertlab.pretraining.recipe import BatchKind, Recipe
from bertlab.pretraining.vocabulary import CLS, FIRST_WORD, MASK, PAD, SEP

IGNORE = -100  # the label of a place that does not count in the loss, as in torch and transformers
IS_NEXT, NOT_NEXT = 0, 1  # labels of next-sentence prediction, as in transformers


@dataclass(frozen=True)
class Batch:
    """One batch; every array is int64.

    Parameters
    ----------
    ids, segments, attention
        Shape (rows, length): piece ids after masking, segment numbers, and 1 for a piece or 0 for padding.
    positions
        Shape (rows, masked): the places to predict.
    labels
        Shape (rows, masked): the pieces that stood there, or `IGNORE` in the unused slots of a short row.
    next_labels
        Shape (rows,): `IS_NEXT`, `NOT_NEXT`, or `IGNORE` for single sentences.
    """

    ids: np.ndarray
    segments: np.ndarray
    attention: np.ndarray
    positions: np.ndarray
    labels: np.ndarray
    next_labels: np.ndarray

    @property
    def pieces(self) -> int:
        """How many pieces it holds, padding left out."""
        return int(self.attention.sum())

    @property
    def masked(self) -> int:
        """How many pieces are to be predicted."""
        return int((self.labels != IGNORE).sum())

    @property
    def paired(self) -> int:
        """How many rows are pairs."""
        return int((self.next_labels != IGNORE).sum())

    def rows(self, part: int, parts: int) -> "Batch":
        """Return every `parts`-th row from row `part` on: what one of several processes works on."""
        return Batch(**{name: array[part::parts] for name, array in vars(self).items()})

    def part(self, start: int, end: int) -> "Batch":
        """Return the rows from `start` to before `end`."""
        return Batch(**{name: array[start:end] for name, array in vars(self).items()})


class InstanceMaker:
    """Draw batches from a corpus.

    Parameters
    ----------
    corpus
        Where sentences come from.
    recipe
        Batch kinds, family weights, the shares of masked and of unrelated, and the seed.
    vocabulary_size
        One more than the largest piece id, for the random replacements.
    """

    def __init__(self, corpus: Corpus, recipe: Recipe, vocabulary_size: int) -> None:
        self.corpus, self.recipe, self.vocabulary_size = corpus, recipe, vocabulary_size
        sentences = np.arange(len(corpus.documents))
        lengths = np.diff(corpus.starts)
        last = np.append(corpus.documents[1:] != corpus.documents[:-1], True)
        first_of_document = np.flatnonzero(np.append(True, last[:-1]))
        ends = np.append(first_of_document[1:], len(sentences))
        self._document_end = ends[corpus.documents - corpus.documents[0]] if len(sentences) else sentences
        self._pair_pools = self._pools(sentences[~last])
        self._single_pools = self._pools(sentences[lengths >= recipe.shortest_single])
        self._any_pools = self._pools(sentences)

    def batch(self, step: int) -> Batch:
        """Return batch `step` of the run."""
        rng = np.random.default_rng((self.recipe.seed, step))
        kinds = self.recipe.kinds
        shares = np.array([kind.share for kind in kinds])
        kind = kinds[rng.choice(len(kinds), p=shares / shares.sum())]
        return self.draw(kind, rng, max(1, self.recipe.pieces_at(step) // kind.length))

    def draw(self, kind: BatchKind, rng: np.random.Generator, rows: int) -> Batch:
        """Draw one batch of a kind."""
        ids, segments, next_labels = (self._pairs if kind.pair else self._singles)(rows, kind.length, rng)
        return self._mask(ids, segments, next_labels, rng)

    def _pools(self, eligible: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """Return the eligible sentences of each family that has some, and the families' probabilities."""
        pools, weights = [], []
        for family, (start, end) in self.corpus.families.items():
            low, high = np.searchsorted(eligible, (start, end))
            weight = self.recipe.weight_of(family, self.corpus.starts[end] - self.corpus.starts[start])
            if high > low and weight > 0:
                pools.append(eligible[low:high])
                weights.append(weight)
        return pools, np.array(weights) / np.sum(weights)

    @staticmethod
    def _sentences(pools: tuple[list[np.ndarray], np.ndarray], count: int, rng: np.random.Generator) -> np.ndarray:
        """Draw sentences: a family by its weight, then a sentence of it evenly."""
        families, probabilities = pools
        if not families:
            raise ValueError(
                "no document of the corpus has the sentences this kind of batch needs: pairs take documents of two "
                "sentences or more, single sentences the recipe's shortest_single pieces; add text or change the recipe"
            )
        chosen = rng.choice(len(families), size=count, p=probabilities)
        sizes = np.array([len(family) for family in families])
        places = (rng.random(count) * sizes[chosen]).astype(np.int64)
        return np.array([families[family][place] for family, place in zip(chosen, places, strict=True)])

    def _singles(self, rows: int, length: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Return one sentence a row, cut to the length, padded after it."""
        sentence = self._sentences(self._single_pools, rows, rng)
        starts = self.corpus.starts
        count = np.minimum(starts[sentence + 1] - starts[sentence], length - 2)
        column = np.arange(length)[None, :]
        inside = (column > 0) & (column <= count[:, None])
        ids = np.full((rows, length), PAD, dtype=np.int64)
        ids[:, 0] = CLS
        ids[inside] = self.corpus.pieces[(starts[sentence][:, None] + column - 1)[inside]]
        ids[np.arange(rows), count + 1] = SEP
        return ids, np.zeros_like(ids), np.full(rows, IGNORE)

    def _pairs(self, rows: int, length: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Return two stretches a row, neighbours in a document or from two documents."""
        starts, documents = self.corpus.starts, self.corpus.documents
        room = length - 3
        first = self._sentences(self._pair_pools, rows, rng)
        # The sentence where segment B may begin: any that starts inside the room and leaves B at least one
        # piece; when the first sentence alone fills the room, segment A is its last half-room of pieces.
        reach = np.searchsorted(starts, starts[first] + room - 1, side="right") - 1
        reach = np.minimum(reach, self._document_end[first] - 1)
        second = first + 1 + (rng.random(rows) * np.maximum(reach - first, 1)).astype(np.int64)
        a_start, a_end = starts[first], starts[second]
        a_start = np.where(a_end - a_start > room - 1, a_end - room // 2, a_start)
        next_labels = (rng.random(rows) < self.recipe.not_next_share).astype(np.int64)
        other = self._sentences(self._any_pools, rows, rng)
        while (clash := documents[other] == documents[first]).any() and documents[-1] > documents[0]:
            other[clash] = self._sentences(self._any_pools, int(clash.sum()), rng)
        begin = np.where(next_labels == NOT_NEXT, other, second)
        b_start, b_end = starts[begin], starts[self._document_end[begin]]
        a_count = a_end - a_start
        b_count = np.minimum(b_end - b_start, room - a_count)
        column = np.arange(length)[None, :]
        a, b = a_count[:, None], b_count[:, None]
        in_a = (column > 0) & (column <= a)
        in_b = (column > a + 1) & (column <= a + 1 + b)
        ids = np.full((rows, length), PAD, dtype=np.int64)
        ids[:, 0] = CLS
        ids[in_a] = self.corpus.pieces[(a_start[:, None] + column - 1)[in_a]]
        ids[in_b] = self.corpus.pieces[(b_start[:, None] + column - a - 2)[in_b]]
        ids[(column == a + 1) | (column == a + b + 2)] = SEP
        segments = ((column > a + 1) & (column <= a + b + 2)).astype(np.int64)
        return ids, segments, next_labels

    def _mask(self, ids: np.ndarray, segments: np.ndarray, next_labels: np.ndarray, rng: np.random.Generator) -> Batch:
        """Choose the pieces to predict; most become [MASK], some a random piece, and some stay."""
        rows, length = ids.shape
        rate = self.recipe.masking_rate
        slots = max(1, round(rate * length))
        maskable = ids >= FIRST_WORD  # neither special nor [UNK], which nobody could predict
        order = np.argsort(np.where(maskable, rng.random((rows, length)), 2.0), axis=1)[:, :slots]
        wanted = np.clip(np.round(rate * maskable.sum(axis=1)), 1, slots)
        used = (np.arange(slots)[None, :] < wanted[:, None]) & np.take_along_axis(maskable, order, axis=1)
        originals = np.take_along_axis(ids, order, axis=1)
        lot = rng.random((rows, slots))
        random_pieces = rng.integers(FIRST_WORD, self.vocabulary_size, size=(rows, slots))
        mask_below = self.recipe.mask_share
        random_below = mask_below + self.recipe.random_share
        replaced = np.where(lot < mask_below, MASK, np.where(lot < random_below, random_pieces, originals))
        masked = ids.copy()
        np.put_along_axis(masked, order, np.where(used, replaced, originals), axis=1)
        attention = (ids != PAD).astype(np.int64)
        return Batch(masked, segments, attention, order, np.where(used, originals, IGNORE), next_labels)

"""Batches of a corpus in which no piece stands twice, so that each piece tells where it was taken from."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from batches import IGNORE, IS_NEXT, NOT_NEXT, BatchKind, BatchMaker
from prepare import CLS, FIRST_WORD, MASK, PAD, SEP, Corpus

PAIRS, SINGLES = BatchKind(True, 32, 1.0), BatchKind(False, 16, 1.0)
CHANCE = np.random.default_rng(4)
LENGTHS, DOCUMENTS = CHANCE.integers(1, 40, size=1500), np.sort(CHANCE.integers(0, 150, size=1500))
STARTS = np.concatenate([[0], np.cumsum(LENGTHS)])
CORPUS = Corpus(np.arange(STARTS[-1]) + FIRST_WORD, STARTS, DOCUMENTS, {"one": [0, 700], "two": [700, 1500]})
VOCABULARY = int(STARTS[-1]) + FIRST_WORD


@pytest.fixture(scope="module")
def maker(tiny):
    return BatchMaker(CORPUS, tiny, VOCABULARY)


@pytest.fixture(scope="module")
def pairs(maker):
    return maker.draw(PAIRS, np.random.default_rng(1), 3000)


@pytest.fixture(scope="module")
def singles(maker):
    return maker.draw(SINGLES, np.random.default_rng(2), 3000)


def unmasked(batch):
    """Put the pieces to predict back where they stood."""
    ids = batch.ids.copy()
    for row, places, labels in zip(ids, batch.positions, batch.labels, strict=True):
        row[places[labels != IGNORE]] = labels[labels != IGNORE]
    return ids


def test_a_batch_depends_on_seed_and_step_alone(tiny, maker):
    again = BatchMaker(CORPUS, tiny, VOCABULARY)
    for step in (7, 3):  # in any order
        for one, other in zip(maker.batch(step), again.batch(step), strict=True):
            np.testing.assert_array_equal(one, other)
    other_seed = BatchMaker(CORPUS, replace(tiny, seed=1), VOCABULARY)
    assert not all(np.array_equal(maker.batch(s).ids, other_seed.batch(s).ids) for s in range(3))
    assert {maker.batch(step).ids.shape for step in range(30)} == {(16, 32), (32, 16)}
    doubled = BatchMaker(CORPUS, replace(tiny, doubled_from=5), VOCABULARY)
    assert doubled.batch(5).ids.size == 2 * maker.batch(5).ids.size == 2 * doubled.batch(4).ids.size


def test_b_follows_a_where_the_label_says_so_and_comes_from_another_document_where_not(pairs):
    document_of = np.repeat(DOCUMENTS, LENGTHS)
    np.testing.assert_array_equal(pairs.attention, unmasked(pairs) != PAD)
    full = 0
    for row, segments, label in zip(unmasked(pairs), pairs.segments, pairs.next_labels, strict=True):
        middle, end = np.flatnonzero(row == SEP)
        a, b = row[1:middle] - FIRST_WORD, row[middle + 1 : end] - FIRST_WORD
        assert row[0] == CLS
        assert segments.tolist() == [0] * (middle + 1) + [1] * (end - middle) + [0] * (31 - end)
        for stretch in (a, b):
            assert (np.diff(stretch) == 1).all()
            assert len(set(document_of[stretch])) == 1
        assert {a[-1] + 1, b[0]} <= set(STARTS)  # A ends with a sentence, and B begins with one
        assert (b[0] == a[-1] + 1) == (label == IS_NEXT)
        assert (document_of[a[0]] == document_of[b[0]]) == (label == IS_NEXT)
        at_the_end = b[-1] + 1 == len(document_of) or document_of[b[-1] + 1] != document_of[b[-1]]
        assert len(a) + len(b) == 29 or at_the_end  # the length is filled unless the document ends
        full += len(a) + len(b) == 29
    assert full > 1500
    assert stats.binomtest(int((pairs.next_labels == NOT_NEXT).sum()), 3000, 0.5).pvalue > 1e-3


def test_singles_are_one_whole_sentence_without_a_next_sentence_label(singles):
    assert (singles.next_labels == IGNORE).all()
    assert (singles.segments == 0).all()
    for row in unmasked(singles):
        first, end = row[1] - FIRST_WORD, row.tolist().index(SEP)
        assert first in STARTS
        length = min(LENGTHS[STARTS.searchsorted(first)], 14)  # what fits between [CLS] and [SEP]
        assert row[1:end].tolist() == [*range(row[1], row[1] + length)]


def test_the_asked_share_of_word_pieces_is_masked_and_no_special_one(pairs, singles, tiny):
    for batch in (pairs, singles):
        original, used = unmasked(batch), batch.labels != IGNORE
        assert (batch.labels[used] >= FIRST_WORD).all()
        expected = np.clip(np.round(tiny.masking_rate * (original >= FIRST_WORD).sum(1)), 1, batch.labels.shape[1])
        np.testing.assert_array_equal(used.sum(1), expected)
        for before, after, places, asked in zip(original, batch.ids, batch.positions, used, strict=True):
            assert set(np.flatnonzero(before != after)) <= set(places[asked])
            assert len(set(places[asked])) == asked.sum()


def test_masked_pieces_are_replaced_80_10_10(pairs):
    used = pairs.labels != IGNORE
    now, labels = np.take_along_axis(pairs.ids, pairs.positions, axis=1)[used], pairs.labels[used]
    counts = [(now == MASK).sum(), ((now != MASK) & (now != labels)).sum(), (now == labels).sum()]
    assert stats.chisquare(counts, np.array([0.8, 0.1, 0.1]) * used.sum()).pvalue > 1e-3
    assert now[now != MASK].min() >= FIRST_WORD


@pytest.mark.parametrize("by_size", [False, True])
def test_families_are_read_by_their_weights_and_without_one_by_their_size(tiny, by_size):
    border = STARTS[700]
    weights = {"two": 4 * border / 1e8} if by_size else {"one": 0.2, "two": 0.8}  # four times the first one's size
    maker = BatchMaker(CORPUS, replace(tiny, family_weights=weights), VOCABULARY)
    batch = maker.draw(SINGLES, np.random.default_rng(0), 4000)
    second = int((unmasked(batch)[:, 1] >= border + FIRST_WORD).sum())
    assert stats.binomtest(second, 4000, 0.8).pvalue > 1e-3

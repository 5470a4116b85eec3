"""Batches of a corpus in which no piece stands twice, so that each piece tells where it was taken from."""

from dataclasses import replace

import numpy as np
from scipy import stats

from batches import IGNORE, IS_NEXT, BatchMaker
from prepare import CLS, FIRST_WORD, MASK, PAD, SEP, Corpus
from settings import BatchKind

PAIRS, SINGLES = BatchKind(True, 32, 1.0), BatchKind(False, 16, 1.0)
CHANCE = np.random.default_rng(4)
LENGTHS, DOCUMENTS = CHANCE.integers(1, 40, size=1500), np.sort(CHANCE.integers(0, 150, size=1500))
STARTS = np.concatenate([[0], np.cumsum(LENGTHS)])
CORPUS = Corpus(np.arange(STARTS[-1]) + FIRST_WORD, STARTS, DOCUMENTS, {"one": [0, 700], "two": [700, 1500]})


def draw(settings, kind, rows):
    """Return a batch, and its ids with the pieces to predict put back where they stood."""
    batch = BatchMaker(CORPUS, settings, STARTS[-1] + FIRST_WORD).draw(kind, np.random.default_rng(1), rows)
    ids = batch.ids.copy()
    for row, places, labels in zip(ids, batch.positions, batch.labels, strict=True):
        row[places[labels != IGNORE]] = labels[labels != IGNORE]
    return batch, ids


def test_a_batch_depends_on_seed_and_step_alone(tiny):
    maker, again, other_seed, doubled = (
        BatchMaker(CORPUS, settings, STARTS[-1] + FIRST_WORD)
        for settings in (tiny, tiny, replace(tiny, seed=1), replace(tiny, doubled_from=5))
    )
    for step in (7, 3):  # in any order
        np.testing.assert_equal(maker.batch(step), again.batch(step))
        assert not np.array_equal(maker.batch(step).ids, other_seed.batch(step).ids)
    assert {maker.batch(step).ids.shape for step in range(30)} == {(16, 32), (32, 16)}
    assert doubled.batch(5).ids.size == 2 * maker.batch(5).ids.size == 2 * doubled.batch(4).ids.size


def test_b_follows_a_where_the_label_says_so_and_comes_from_another_document_where_not(tiny):
    batch, ids = draw(tiny, PAIRS, 1000)
    document_of = np.append(np.repeat(DOCUMENTS, LENGTHS), -1)
    np.testing.assert_array_equal(batch.attention, ids != PAD)
    for row, segments, label in zip(ids, batch.segments, batch.next_labels, strict=True):
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
        assert len(a) + len(b) == 29 or document_of[b[-1] + 1] != document_of[b[-1]]  # full, or the document ends


def test_the_asked_share_of_word_pieces_is_masked_and_replaced_80_10_10_and_no_special_one(tiny):
    batch, original = draw(tiny, PAIRS, 3000)
    used, words = batch.labels != IGNORE, original >= FIRST_WORD
    np.testing.assert_array_equal(used.sum(1), np.clip(np.round(0.3 * words.sum(1)), 1, None))
    changed = batch.ids != original
    now = np.take_along_axis(batch.ids, batch.positions, axis=1)[used]
    assert changed.sum() == (now != batch.labels[used]).sum(), "nothing changes that is not asked for"
    assert not (changed & ~words).any()
    counts = [(now == MASK).sum(), ((now != MASK) & (now != batch.labels[used])).sum(), (~changed & words).sum()]
    counts[2] -= words.sum() - used.sum()
    assert stats.chisquare(counts, np.array([0.8, 0.1, 0.1]) * used.sum()).pvalue > 1e-3
    assert now[now != MASK].min() >= FIRST_WORD


def test_families_are_read_by_their_weights(tiny):
    border = STARTS[700]
    _, ids = draw(replace(tiny, family_weights={"one": 0.2, "two": 0.8}), SINGLES, 4000)
    second = int((ids[:, 1] >= border + FIRST_WORD).sum())
    assert stats.binomtest(second, 4000, 0.8).pvalue > 1e-3

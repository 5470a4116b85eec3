from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from batches import IGNORE, IS_NEXT, NOT_NEXT, Batch, BatchKind, BatchMaker
from prepare import CLS, FIRST_WORD, MASK, PAD, SEP, Corpus

PAIRS, SINGLES = BatchKind(True, 32, 1.0), BatchKind(False, 16, 1.0)


@pytest.fixture(scope="module")
def corpus(prepared):
    return Corpus.load(prepared / "train")


@pytest.fixture(scope="module")
def maker(corpus, tiny):
    return BatchMaker(corpus, tiny, 200)


@pytest.fixture(scope="module")
def pairs(maker):
    return maker.draw(PAIRS, np.random.default_rng(1), 3000)


@pytest.fixture(scope="module")
def singles(maker):
    return maker.draw(SINGLES, np.random.default_rng(2), 3000)


def unmasked(batch: Batch) -> np.ndarray:
    """Put the pieces to predict back where they stood."""
    ids = batch.ids.copy()
    for row, places, labels in zip(ids, batch.positions, batch.labels, strict=True):
        row[places[labels != IGNORE]] = labels[labels != IGNORE]
    return ids


def parts(row: np.ndarray) -> tuple[list[int], list[int]]:
    """Cut [CLS] a [SEP] b [SEP] into a and b."""
    first, second = np.flatnonzero(row == SEP)
    return row[1:first].tolist(), row[first + 1 : second].tolist()


def test_a_batch_depends_on_seed_and_step_alone(corpus, tiny, maker):
    again = BatchMaker(corpus, tiny, 200)
    for step in (7, 3):  # in any order
        for name, array in vars(maker.batch(step)).items():
            np.testing.assert_array_equal(array, getattr(again.batch(step), name))
    other_seed = BatchMaker(corpus, replace(tiny, seed=1), 200)
    assert not all(np.array_equal(maker.batch(s).ids, other_seed.batch(s).ids) for s in range(3))
    assert not np.array_equal(maker.batch(3).ids, maker.batch(4).ids)


def test_shapes_are_those_of_the_kind_and_rows_double_when_asked(maker, corpus, tiny):
    shapes = {maker.batch(step).ids.shape for step in range(30)}
    assert shapes == {(16, 32), (32, 16)}
    doubled = BatchMaker(corpus, replace(tiny, doubled_from=5), 200)
    np.testing.assert_array_equal(doubled.batch(4).ids, maker.batch(4).ids)
    assert doubled.batch(5).ids.size == 2 * maker.batch(5).ids.size


def test_a_pair_is_cls_a_sep_b_sep_with_segments_and_padding(pairs):
    ids = unmasked(pairs)
    assert (ids[:, 0] == CLS).all()
    assert ((ids == SEP).sum(1) == 2).all()
    np.testing.assert_array_equal(pairs.attention, ids != PAD)
    for row, segments in zip(ids[:200], pairs.segments, strict=False):
        a, b = parts(row)
        assert a
        assert b
        assert segments.tolist() == [0] * (len(a) + 2) + [1] * (len(b) + 1) + [0] * (32 - len(a) - len(b) - 3)


@pytest.fixture(scope="module")
def numbered():
    """A corpus in which no piece stands twice, so that each piece tells where it was taken from."""
    chance = np.random.default_rng(4)
    lengths = chance.integers(1, 40, size=1500)
    documents = np.sort(chance.integers(0, 150, size=1500))
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return Corpus(np.arange(starts[-1]) + FIRST_WORD, starts, documents, {"one": [0, 700], "two": [700, 1500]})


def test_b_follows_a_where_the_label_says_so_and_comes_from_another_document_where_not(numbered, tiny):
    maker = BatchMaker(numbered, tiny, int(numbered.pieces[-1]) + 1)
    batch = maker.draw(PAIRS, np.random.default_rng(0), 2000)
    document_of = np.repeat(numbered.documents, np.diff(numbered.starts))
    full = 0
    for row, label in zip(unmasked(batch), batch.next_labels, strict=True):
        a, b = (np.array(part) - FIRST_WORD for part in parts(row))
        for stretch in (a, b):
            assert (np.diff(stretch) == 1).all()
            assert len(set(document_of[stretch])) == 1
        assert a[-1] + 1 in numbered.starts  # A ends with a sentence, and B begins with one
        assert b[0] in numbered.starts
        assert (b[0] == a[-1] + 1) == (label == IS_NEXT)
        assert (document_of[a[0]] == document_of[b[0]]) == (label == IS_NEXT)
        at_the_end = b[-1] + 1 == len(document_of) or document_of[b[-1] + 1] != document_of[b[-1]]
        assert len(a) + len(b) == 29 or at_the_end  # the length is filled unless the document ends
        full += len(a) + len(b) == 29
    assert full > 1000


def test_half_of_the_pairs_are_neighbours(pairs):
    assert set(pairs.next_labels) == {IS_NEXT, NOT_NEXT}
    assert stats.binomtest(int((pairs.next_labels == NOT_NEXT).sum()), 3000, 0.5).pvalue > 1e-3


def test_singles_are_one_whole_sentence_without_a_next_sentence_label(singles, corpus):
    sentences = {
        tuple(corpus.pieces[start:end][:14].tolist())  # what fits between [CLS] and [SEP]
        for start, end in zip(corpus.starts[:-1], corpus.starts[1:], strict=True)
    }
    assert (singles.next_labels == IGNORE).all()
    assert (singles.segments == 0).all()
    for row in unmasked(singles)[:300]:
        assert tuple(row[1 : row.tolist().index(SEP)].tolist()) in sentences


def test_the_asked_share_of_word_pieces_is_masked_and_no_special_one(pairs, singles, tiny):
    for batch in (pairs, singles):
        original, used = unmasked(batch), batch.labels != IGNORE
        assert (batch.labels[used] >= FIRST_WORD).all()
        expected = np.clip(np.round(tiny.masking_rate * (original >= FIRST_WORD).sum(1)), 1, batch.labels.shape[1])
        np.testing.assert_array_equal(used.sum(1), expected)
        changed = (batch.ids != original).nonzero()
        asked = [set(p[u].tolist()) for p, u in zip(batch.positions, used, strict=True)]
        assert all(column in asked[row] for row, column in zip(*changed, strict=True))
        assert all(len(places) == count for places, count in zip(asked, used.sum(1), strict=True))  # none twice


def test_masked_pieces_are_replaced_80_10_10(pairs):
    used = pairs.labels != IGNORE
    now = np.take_along_axis(pairs.ids, pairs.positions, axis=1)[used]
    labels = pairs.labels[used]
    counts = [(now == MASK).sum(), ((now != MASK) & (now != labels)).sum(), (now == labels).sum()]
    lucky = 0.1 / (200 - FIRST_WORD)  # a random piece can be the right one
    expected = np.array([0.8, 0.1 - lucky, 0.1 + lucky]) * used.sum()
    assert stats.chisquare(counts, expected).pvalue > 1e-3
    assert now[(now != MASK) & (now != labels)].min() >= FIRST_WORD


@pytest.mark.parametrize("weights", [{"one": 0.2, "two": 0.8}, {"two": None}])
def test_families_are_read_by_their_weights_and_without_one_by_their_size(numbered, tiny, weights):
    border = numbered.starts[numbered.families["two"][0]]
    weights = {"two": 4 * border / 1e8} if None in weights.values() else weights  # four times the first one's size
    batch = BatchMaker(numbered, replace(tiny, family_weights=weights), 50_000).draw(
        SINGLES, np.random.default_rng(0), 4000
    )
    second = int((unmasked(batch)[:, 1] >= border + FIRST_WORD).sum())
    assert stats.binomtest(second, 4000, 0.8).pvalue > 1e-3

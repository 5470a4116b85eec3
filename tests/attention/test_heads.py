"""Patterns equal those counted place by place, and heads that were planted are found."""

import numpy as np
import pytest
import torch

import bertlab
from bertlab.attention.heads import measure_heads
from bertlab.attention.patterns import PATTERNS, pattern_places
from rounding import assert_rounded_equal

TEXTS = [
    "The cat sat on the mat, and the dog saw the cat.",
    ("Who sat on the mat?", "The cat did!"),
    "The [MASK] saw a mask: the [MASK]",
    "no",
    "...",
    "Qwertz and qwertz are split into pieces",
]


def places(where):
    """Return the places of a pattern as pairs of row and column."""
    return {tuple(pair) for pair in where.nonzero().tolist()}


def test_the_places_of_every_pattern_in_a_sentence(bert):
    reading = bert.read("The cat, the mat.")
    assert reading.tokens == ["[CLS]", "the", "cat", ",", "the", "mat", ".", "[SEP]"]
    found = {name: places(where) for name, where in pattern_places(bert, reading).items()}
    pieces = range(1, 7)
    assert found == {
        "itself": {(i, i) for i in pieces},
        "previous": {(2, 1), (3, 2), (4, 3), (5, 4), (6, 5)},
        "next": {(1, 2), (2, 3), (3, 4), (4, 5), (5, 6)},
        "same piece": {(1, 4), (4, 1)},
        "special": {(i, 0) for i in pieces} | {(i, 7) for i in pieces},
        "[CLS] receives": {(i, 0) for i in pieces},
        "[SEP] receives": {(i, 7) for i in pieces},
        "[CLS] to itself": {(0, 0)},
        "[CLS] to [SEP]": {(0, 7)},
        "[CLS] to signs": {(0, 3), (0, 6)},
        "[CLS] to words": {(0, 1), (0, 2), (0, 4), (0, 5)},
    }
    assert tuple(found) == PATTERNS


def test_in_a_pair_neighbours_are_of_one_sentence_and_a_mask_is_a_piece(bert):
    reading = bert.read("[MASK] sat.", "It did.")
    assert reading.tokens == ["[CLS]", "[MASK]", "sat", ".", "[SEP]", "it", "did", ".", "[SEP]"]
    found = {name: places(where) for name, where in pattern_places(bert, reading).items()}
    assert found["previous"] == {(2, 1), (3, 2), (6, 5), (7, 6)}
    assert found["same piece"] == {(3, 7), (7, 3)}
    assert found["[CLS] to [SEP]"] == {(0, 4), (0, 8)}
    assert found["[CLS] to words"] == {(0, 1), (0, 2), (0, 5), (0, 6)}


def test_every_measure_of_every_head_is_its_mean_over_all_rows_that_count(spread):
    found = measure_heads(spread, TEXTS).set_index(["layer", "head"])
    readings = spread.read_all(TEXTS, attention=True)
    wheres = [pattern_places(spread, reading) for reading in readings]
    for name in PATTERNS:
        rows, alike = [], []
        for reading, where in zip(readings, wheres, strict=True):
            for i in where[name].any(dim=1).nonzero().flatten().tolist():
                rows.append(reading.attention[:, :, i, where[name][i]].double().sum(-1))
                alike.append(float(where[name][i].sum()) / len(reading.tokens))
        assert_rounded_equal(found[name], torch.stack(rows).mean(0).flatten())
        assert_rounded_equal(found[f"uniform {name}"], [np.mean(alike)] * 8)
    assert found[list(PATTERNS)].std().min() > 0.005  # the heads differ: a mix-up of two would have been seen


@pytest.mark.parametrize("trained", [True, False])
def test_the_shipped_bert_has_heads_for_neighbours_and_its_twin_has_none(bert, twin, trained):
    texts = bertlab.data.read("short_texts")["sentence"].tolist()[:24]
    ours, theirs = (bert, twin) if trained else (twin, bertlab.untrained(bert, seed=1))
    found, beside = (measure_heads(each, texts, ["previous", "next"])[["previous", "next"]] for each in (ours, theirs))
    assert (found.max() - beside.max() > 0.25).all() == trained


def test_a_measure_that_is_not_there_is_refused(bert):
    with pytest.raises(ValueError, match="no 'prevous' here; there are itself, previous"):
        measure_heads(bert, ["The cat sat."], ["prevous"])

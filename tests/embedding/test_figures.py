"""The figures of lesson 1 draw the numbers they are given, and say about them what is so."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from bertlab.embedding import figures
from bertlab.evidence import beside_controls


def reading(*tokens, vectors=None, ids=None):
    vectors = torch.zeros(len(tokens), 3) if vectors is None else torch.tensor(vectors)
    return SimpleNamespace(tokens=list(tokens), ids=torch.tensor(ids or range(len(tokens))), hidden=vectors[None])


def drawn(figure):
    return figure.axes.collections[0].get_array().tolist()


def test_no_more_numbers_are_drawn_than_fit_and_the_row_that_is_looked_up_and_the_sum_are_framed():
    assert drawn(figures.token_vectors(reading("a", vectors=[list(np.arange(60.0))]))) == [list(range(48))]
    assert drawn(figures.table_row("sin", 7, torch.arange(12.0))) == [list(range(10))]
    rows = torch.tensor([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])
    lookup = figures.lookup(reading("the", "cat", "the", ids=[430, 2905, 430]), rows, place=1)
    assert drawn(lookup) == rows.tolist()
    assert "The frame is around row 2905. Wherever 'the' appears" in lookup.caption
    assert "Wherever" not in figures.lookup(reading("a", "b", "c"), rows, place=0).caption
    terms = {"word: cat": torch.tensor([3.0, 4.0]), "position 1": torch.tensor([0.0, -1.0])}
    addition = figures.addition(1, terms, torch.tensor([3.0, 3.0]))
    assert drawn(addition) == [[3, 4], [0, -1], [3, 3]]
    assert [figure.axes.patches[0].get_y() for figure in (lookup, addition)] == [1, 2]


def test_directions_compare_each_vector_with_the_first():
    vectors = {"a": torch.tensor([2.0, 1.0]), "b": torch.tensor([4.0, 2.0]), "c": torch.tensor([-0.5, 1.0])}
    figure = figures.directions(vectors)
    assert figure.caption.endswith("a and b: dot product 10, cosine 1.00. a and c: dot product 0, cosine 0.00.")
    tips = [tuple(text.xy) for text in figure.axes.texts if not text.get_text()]
    assert tips == [(4, 2), (2, 1), (-0.5, 1)], "the longest first: a shorter one that lies on it stays in sight"


def test_positions_are_drawn_for_each_model():
    cosines = {"trained": torch.tensor([[1.0, 0.5], [0.5, 1.0]]), "twin": torch.eye(2)}
    figure = figures.positions(cosines, {"trained": 2, "twin": 1})
    shown = [ax.collections[0].get_array().tolist() for ax in figure.axes.figure.axes if ax.get_title()]
    assert shown == [matrix.tolist() for matrix in cosines.values()]


def test_own_kind_is_beside_its_controls_and_blind_picking():
    ways = {"BERT": [1] * 18 + [0] * 2, "twin": [0] * 19 + [1], "id": [1] * 15 + [0] * 5, "length": [1] * 20}
    figure = figures.own_kind(beside_controls(ways), sizes=[4, 6, 10])
    # Two words picked blindly of twenty: 4 * 3 + 6 * 5 + 10 * 9 of 20 * 19 ordered pairs are of one kind.
    assert figure.axes.lines[-1].get_xdata()[0] == pytest.approx(132 / 380)
    assert figure.caption.endswith("The dashed line is blind picking, 35 %.")

"""The figures of lesson 1 draw the numbers they are given, and say about them what is so."""

from types import SimpleNamespace

import numpy as np
import torch

from bertlab.embedding import figures


def reading(*tokens, vectors=None, ids=None):
    vectors = torch.zeros(len(tokens), 3) if vectors is None else torch.tensor(vectors)
    ids, segments = torch.tensor(ids or range(len(tokens))), torch.zeros(len(tokens), dtype=int)
    return SimpleNamespace(tokens=list(tokens), ids=ids, segments=segments, hidden=vectors[None])


def drawn(figure):
    return figure.axes.collections[0].get_array().tolist()


def test_no_more_numbers_are_drawn_than_fit_and_the_row_that_is_looked_up_and_the_sum_are_framed():
    assert drawn(figures.token_vectors(reading("a", vectors=[list(np.arange(60.0))]))) == [list(range(48))]
    rows = torch.tensor([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])
    lookup = figures.lookup(reading("the", "cat", "the", ids=[430, 2905, 430]), rows, place=1)
    assert drawn(lookup) == rows.tolist()
    assert "The frame is around row 2905. Wherever 'the' appears" in lookup.caption
    assert "Wherever" not in figures.lookup(reading("a", "b", "c"), rows, place=0).caption
    added = [torch.tensor(row) for row in ([3.0] * 12, [0.0] * 12, [-1.0] * 12)]
    addition = figures.addition(reading("the", "cat"), 1, added, sum(added))
    assert drawn(addition) == [[3] * 10, [0] * 10, [-1] * 10, [2] * 10]
    names = [label.get_text() for label in addition.axes.get_yticklabels()]
    assert names == ["word: cat", "+ position 1", "+ segment 0", "= sum"]
    assert [figure.axes.patches[0].get_y() for figure in (lookup, addition)] == [1, 3]


def test_positions_are_drawn_for_each_model():
    cosines = {"trained": torch.tensor([[1.0, 0.5], [0.5, 1.0]]), "twin": torch.eye(2)}
    figure = figures.positions(cosines, {"trained": 2, "twin": 1})
    shown = [ax.collections[0].get_array().tolist() for ax in figure.axes.figure.axes if ax.get_title()]
    assert shown == [matrix.tolist() for matrix in cosines.values()]


def test_each_kind_has_a_bar_of_the_model_and_one_of_the_rule_best_known_first():
    right = {"BERT": [False, True, True, True, False], "spelling": [True, False, False, False, False]}
    figure = figures.kinds(right, ["job", "job", "day", "day", "food"], of_twins=[1, 0, 2])
    bars = [[bar.get_width() for bar in ax.patches] for ax in figure.axes.figure.axes]
    assert bars == [[1, 0.5, 0, 0.5], [0, 0]], "of days and jobs, then of food: the model's, then the rule's"
    assert [text.get_text() for text in figure.axes.texts] == ["2 of 2", "1 of 2"]
    assert [label.get_text() for label in figure.axes.get_yticklabels()] == ["day", "job"]
    assert "BERT (blue; 3 of 5 in all), spelling (orange; 1). Untrained twins reach 0 to 2." in figure.caption

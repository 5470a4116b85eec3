"""The figures of lesson 1 draw the numbers they are given, and say about them what is so."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

import bertlab
from bertlab.embedding import figures


def reading(*tokens, vectors=None, ids=None):
    vectors = torch.zeros(len(tokens), 3) if vectors is None else torch.tensor(vectors)
    return SimpleNamespace(tokens=list(tokens), ids=torch.tensor(ids or range(len(tokens))), hidden=vectors[None])


def cells(ax):
    """Return the matrix that a heatmap shows."""
    return np.asarray(ax.collections[0].get_array())


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


class TestTokenVectors:
    def test_the_first_numbers_are_drawn_a_row_a_token(self):
        vectors = torch.arange(2 * 60.0).reshape(2, 60)
        figure = figures.token_vectors(reading("a", "b", vectors=vectors.tolist()))
        assert np.array_equal(cells(figure.axes), vectors[:, :48])
        assert labels(figure.axes) == ["a", "b"]
        assert figure.caption.startswith("The first 48 of 60 numbers of each token's vector")

    def test_a_token_that_comes_twice_is_compared_with_itself(self):
        vectors = [[1.0, 2.0], [5.0, 5.0], [1.5, 2.0], [1.0, -1.0]]
        caption = figures.token_vectors(reading("the", "cat", "the", "the", vectors=vectors)).caption
        assert "'the' occurs 3 times" in caption
        assert "are not the same: their numbers differ by up to 3.00." in caption

    def test_rows_that_are_equal_are_called_so(self):
        caption = figures.token_vectors(reading("the", "the", vectors=[[1.0], [1.0]])).caption
        assert caption.endswith("Its first and its last row are the same.")

    def test_a_text_without_a_repeated_token_is_shown_too(self):
        assert "No token occurs twice" in figures.token_vectors(reading("[CLS]", "hi", "[SEP]")).caption


def test_a_row_of_the_table_has_its_own_name_and_number():
    figure = figures.table_row("sin", 7, torch.arange(12.0))
    assert cells(figure.axes).tolist() == [list(range(10))]
    assert labels(figure.axes) == ["sin"]
    assert "first 10 of the 12 numbers in row 7 of the word table, the row of 'sin'" in figure.caption


class TestLookup:
    rows = torch.tensor([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])

    def test_each_row_has_its_token_and_id_and_one_has_a_frame(self):
        figure = figures.lookup(reading("the", "cat", "the", ids=[430, 2905, 430]), self.rows, place=1)
        assert np.array_equal(cells(figure.axes), self.rows)
        assert labels(figure.axes) == ["the  430", "cat  2905", "the  430"]
        (frame,) = figure.axes.patches
        assert frame.get_y() == 1
        assert "The frame is around row 2905. Wherever 'the' occurs" in figure.caption

    def test_nothing_is_said_of_repeated_tokens_where_there_are_none(self):
        assert "Wherever" not in figures.lookup(reading("a", "b", "c"), self.rows, place=0).caption


def test_an_addition_has_its_terms_and_their_sum():
    terms = {"word: cat": torch.tensor([3.0, 4.0]), "position 1": torch.tensor([0.0, -1.0])}
    figure = figures.addition(1, terms, torch.tensor([3.0, 3.0]))
    assert cells(figure.axes).tolist() == [[3, 4], [0, -1], [3, 3]]
    assert labels(figure.axes) == ["word: cat", "+ position 1", "= sum"]
    assert figure.axes.patches[0].get_y() == 2
    assert "token at position 1" in figure.caption
    assert "is 5.00 (word: cat), 1.00 (position 1)." in figure.caption


def test_a_dot_product_adds_up_the_products():
    u, v = torch.tensor([2.0, -1, 3]), torch.tensor([1.0, -2, 1])
    figure = figures.dot_product(u, v, u * v)
    assert cells(figure.axes).tolist() == [[2, -1, 3], [1, -2, 1], [2, 2, 3]]
    assert "two vectors of 3 features" in figure.caption
    assert "they give 7, the dot product" in figure.caption


def test_directions_compare_each_vector_with_the_first():
    figure = figures.directions(
        {"a": torch.tensor([2.0, 1.0]), "b": torch.tensor([4.0, 2.0]), "c": torch.tensor([-0.5, 1.0])}
    )
    assert "3 vectors of two features. a has the length 2.24" in figure.caption
    assert "b, whose length is 4.47, has the dot product 10 with a and the cosine 1.00" in figure.caption
    assert "c, whose length is 1.12, has the dot product 0 with a and the cosine 0.00." in figure.caption
    tips = [tuple(text.xy) for text in figure.axes.texts if not text.get_text()]
    assert tips == [(4, 2), (2, 1), (-0.5, 1)], "the longest first: a shorter one that lies on it stays in sight"


def test_positions_are_drawn_for_each_model_and_counted():
    cosines = {"trained": torch.tensor([[1.0, 0.5], [0.5, 1.0]]), "twin": torch.eye(2)}
    figure = figures.positions(cosines, {"trained": 2, "five twins": bertlab.evidence.spread([0, 1, 0, 1, 1])})
    assert {ax.get_xlabel() for ax in drawn_by(figure)} == {"position"}
    shown = {ax.get_title(): cells(ax).tolist() for ax in drawn_by(figure)}
    assert shown == {"trained": [[1, 0.5], [0.5, 1]], "twin": [[1, 0], [0, 1]]}
    assert "rows of the first 2 positions" in figure.caption
    assert "that of a neighbour? trained: 2; five twins: 0.60 (0.00 to 1.00)." in figure.caption


@pytest.mark.parametrize("count", [2, 5, 32])
def test_blind_picking_finds_a_neighbour_for_two_positions(count):
    near = np.abs(np.subtract.outer(np.arange(count), np.arange(count))) == 1
    assert (near.sum(axis=1) / (count - 1)).sum() == pytest.approx(2)
    assert figures.positions({"one": torch.eye(count)}, {"one": 0}).caption.endswith("Blind picking would reach 2.")


def drawn_by(figure):
    """Return the axes that show a model: the others are the keys to the colours."""
    return [ax for ax in figure.axes.figure.axes if ax.get_title()]


class TestOwnGroup:
    def compared(self, first, other):
        return bertlab.evidence.beside_controls({"BERT": first, "nearest id": other})

    def test_bars_are_the_shares_and_the_dashed_line_is_chance(self):
        compared = self.compared([1] * 9 + [0], [0] * 9 + [1])
        figure = figures.own_group(compared, sizes=[4, 6])
        assert [bar.get_width() for bar in figure.axes.patches] == pytest.approx([0.9, 0.1])
        # Two words picked blindly of ten: 4 * 3 + 6 * 5 of 10 * 9 ordered pairs are of one group.
        assert figure.axes.lines[-1].get_xdata()[0] == pytest.approx(42 / 90)
        assert "Blind picking (chance, the dashed line) would reach 0.47; no control's interval lies" in figure.caption
        assert "more often than nearest id (0.10, p = 0.021)" in figure.caption

    def test_controls_that_are_above_blind_picking_are_named(self):
        ways = {"BERT": [1] * 18 + [0] * 2, "twin": [0] * 19 + [1], "nearest id": [1] * 15 + [0] * 5}
        ways["nearest length"] = ways["nearest id"]
        caption = figures.own_group(bertlab.evidence.beside_controls(ways), sizes=[4] * 5).caption
        assert "reach 0.16; the interval of nearest id and that of nearest length lies above it." in caption

    def test_a_control_that_does_as_well_is_not_called_beaten(self):
        caption = figures.own_group(self.compared([1, 1, 0], [1, 0, 1]), sizes=[3]).caption
        assert "Not shown: more often than nearest id (0.67)." in caption

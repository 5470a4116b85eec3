"""Each figure of lesson 5 draws the numbers it was given, and its caption says what they show."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from bertlab.paraphrase import figures
from drawn import assert_reference_line

FIRST = SimpleNamespace(tokens=["[CLS]", "it", "rain", "##ed", "[SEP]"])
SECOND = SimpleNamespace(tokens=["[CLS]", "rain", "fell", "[SEP]"])
# it - fell .3, rain - rain .9, ##ed - rain .4: one of three pieces is nearest to itself.
COSINES = torch.tensor([[1.0, 0.1, 0.2, 0.9], [0, 0.2, 0.3, 0], [0, 0.9, 0.5, 0.95], [0, 0.4, -0.2, 0], [0.9, 0, 0, 1]])


@pytest.mark.parametrize(("lowest", "drawn", "said"), [(-0.2, -0.2, "darker orange,"), (-0.001, 0, "darker,")])
def test_the_cosines_of_tokens_are_drawn_and_those_just_below_zero_as_zero(lowest, drawn, said):
    figure = figures.token_cosines(FIRST, SECOND, COSINES.clamp(min=lowest))
    assert np.array_equal(figure.axes.collections[0].get_array(), COSINES.clamp(min=drawn))
    assert "For 1 of 3 pieces of the first sentence" in figure.caption
    assert said in figure.caption


def test_rows_of_cosines_are_those_of_other_pairs_and_of_grades():
    kinds = figures.beside_other_pairs({"unrelated": [0.1, 0.2], "overlapping": [0.5, 0.25, 0.25]}, 0.25)
    rows = [drawn.get_offsets() for drawn in kinds.axes.collections]
    assert [row[:, 0].tolist() for row in rows] == [[0.1, 0.2], [0.5, 0.25, 0.25]]
    assert len({tuple(point) for point in rows[1]}) == 3, "equal cosines are drawn apart"
    assert_reference_line(kinds.axes, 0.25)
    assert kinds.caption.endswith("As high or higher: 0 of 2 unrelated pairs and 3 of 3 overlapping pairs.")
    grades = figures.cosines_by_grade([0.9, 0.5, 0.1, 0.3], [5, 1, 0, 0])
    assert [drawn.get_offsets()[:, 0].tolist() for drawn in grades.axes.collections] == [[0.1, 0.3], [0.5], [0.9]]
    assert "Medians (black), from grade 0 to grade 5: 0.20, 0.50, 0.90; the highest: grade 5." in grades.caption


def test_cosines_are_drawn_by_word_overlap_with_their_correlation():
    figure = figures.cosines_by_overlap([0, 0.5, 0, 1], [0.6, 0.8, 0.7, 0.9])
    (dots,) = figure.axes.collections
    assert dots.get_offsets().tolist() == [[0, 0.6], [0.5, 0.8], [0, 0.7], [1, 0.9]]
    # Ranks of the overlap: 1.5, 3, 1.5, 4; of the cosines: 1, 3, 2, 4. Spearman: 4.5 / root of 4.5 times 5.
    assert "one of 4 pairs" in figure.caption
    assert figure.caption.endswith("0.95. Without a shared word, the cosines lie between 0.60 and 0.70.")
    assert figures.cosines_by_overlap([0.5, 1], [0.8, 0.9]).caption.endswith("of the two numbers: 1.00.")


def test_tokens_and_pooled_vectors_are_drawn_and_no_name_covers_another_or_a_point():
    tokens = np.array([[i % 3 / 5, i // 3 / 5] for i in range(9)])  # close to each other, where names have little room
    pooled = {"mean": [[4, 4], [3, 3]], "max": [[7, 7], [6, 6]]}
    figure = figures.tokens_and_pooled(FIRST, SECOND, tokens, pooled, 0.28)
    points, circles = (drawn.get_offsets() for drawn in figure.axes.collections)
    assert np.array_equal(points[:9], tokens)
    assert points[9:].tolist() == circles.tolist() == [[4, 4], [3, 3], [7, 7], [6, 6]]
    ax = figure.axes
    ax.get_figure().draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert not any(box.contains(*point) for box in boxes for point in ax.transData.transform(points))


def test_layers_are_drawn_with_the_twins_range_and_word_overlap():
    figure = figures.correlations_by_layer([0.1, 0.5, 0.3], [[0.0, 0.1, 0.2], [0.2, 0.1, 0.0]], 0.25)
    drawn = [line.get_ydata().tolist() for line in figure.axes.lines if len(line.get_xdata()) == 3]
    assert drawn == [[0.1, 0.5, 0.3], pytest.approx([0.1, 0.1, 0.1]), [0.25, 0.25, 0.25]]
    band = figure.axes.collections[-1].get_paths()[0].vertices
    assert {(0, 0.0), (0, 0.2), (1, 0.1), (2, 0.0), (2, 0.2)} <= {(int(x), float(y)) for x, y in band}

"""Lesson 5's drawings hold the numbers they were given, and no name covers another."""

from types import SimpleNamespace

import numpy as np
from matplotlib.colors import to_rgba

from bertlab.figures.plots import KINDS
from bertlab.paraphrase import figures
from drawn import assert_reference_line


def test_rows_of_points_have_their_medians_and_the_colours_of_kinds_or_of_an_order():
    groups = {"unrelated": [0.1, 0.2], "overlapping": [0.5, 0.25, 0.25]}
    ax = figures.rows_of_points(groups, KINDS, mark=0.25)
    rows = [drawn.get_offsets() for drawn in ax.collections]
    assert [row[:, 0].tolist() for row in rows] == [[0.1, 0.2], [0.5, 0.25, 0.25]]
    assert len({tuple(point) for point in rows[1]}) == 3, "equal cosines are drawn apart"
    assert [line.get_xdata()[0] for line in ax.lines[:2]] == [np.mean([0.1, 0.2]), 0.25]
    assert_reference_line(ax, 0.25)
    colours = [tuple(drawn.get_facecolor()[0][:3]) for drawn in ax.collections]
    assert colours == [to_rgba(colour)[:3] for colour in KINDS[:2]], "kinds have their colours in all lessons"
    light, dark = figures.rows_of_points({"grade 0": [1], "grade 1": [1]}).collections
    assert light.get_facecolor().sum() > dark.get_facecolor().sum()


def test_tokens_and_pooled_vectors_are_drawn_and_no_name_covers_another_or_a_point():
    tokens = np.array([[i % 3 / 5, i // 3 / 5] for i in range(9)])  # close to each other, where names have little room
    pooled = {"mean": [[4, 4], [3, 3]], "max": [[7, 7], [6, 6]]}
    sentences = [SimpleNamespace(tokens=text.split()) for text in ("[CLS] it rain ##ed [SEP]", "[CLS] rain fell [SEP]")]
    figure = figures.tokens_and_pooled(*sentences, tokens, pooled, 0.28)
    points, circles = (drawn.get_offsets() for drawn in figure.axes.collections)
    assert np.array_equal(points[:9], tokens)
    assert points[9:].tolist() == circles.tolist() == [[4, 4], [3, 3], [7, 7], [6, 6]]
    assert "has 28 % of the variance" in figure.caption
    assert "the two of mean 1.4, the two of max 1.4." in figure.caption
    ax = figure.axes
    ax.get_figure().draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert not any(box.contains(*point) for box in boxes for point in ax.transData.transform(points))

"""Figures are tested on the data they draw; the picture itself is looked at by people."""

import re
import warnings

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

from bertlab import lessons
from bertlab.figures import plots
from rounding import assert_rounded_equal

MANY = len(plots.PALETTE) + 3  # more than there are colours


def test_heatmap_draws_the_values_with_rows_downwards():
    values = torch.tensor([[1.0, -2.0, -0.001], [0.5, 0.25, 3.0]])
    ax = plots.heatmap(values, highlight=1, numbers=True)
    assert [text.get_text() for text in ax.texts] == ["1.00", "-2.00", "0.00", "0.50", "0.25", "3.00"]
    assert_rounded_equal(ax.collections[0].get_array(), values)
    assert ax.yaxis_inverted()  # the first row on top, as the matrix is written
    assert ax.collections[0].colorbar is None, "numbers say it"
    (frame,) = ax.patches
    assert (frame.get_xy(), frame.get_width(), frame.get_height()) == ((0, 1), 3, 1)


@pytest.mark.parametrize(
    ("values", "options", "ends"),
    [
        ([[1.0, -4.0, np.nan]], {}, (-4, 4)),  # white is zero, and what is no number blank
        ([[0.0, 0.0]], {}, (-1, 1)),
        ([[0.2, 0.5]], {"sequential": True}, (0, 0.5)),
        ([[0.7, 0.9]], {"sequential": True, "limit": 1, "lowest": 0.7}, (0.7, 1)),
    ],
)
def test_heatmap_colours_are_around_zero_or_from_the_lowest(values, options, ends):
    drawn = plots.heatmap(values, **options, bar="cosine").collections[0]
    assert drawn.get_clim() == ends
    assert drawn.colorbar.ax.get_ylabel() == "cosine"


def test_what_would_be_drawn_wrong_is_refused():
    with pytest.raises(ValueError, match="two coordinates"):
        plots.scatter(torch.zeros(3, 3))
    with pytest.raises(ValueError, match="one by one: rows of values 2, rows 1"):
        plots.heatmap(np.ones((2, 3)), rows=["a"])
    with pytest.raises(ValueError, match="one by one: points 2, labels 0"):
        plots.scatter(np.ones((2, 2)), [])


def test_arrows_end_at_the_vectors_and_keep_in_sight_what_is_drawn_already():
    named = {f"arrow {i}": (float(i), 1.0) for i in range(MANY)}
    ax = plots.arrows(named, ax=plots.scatter([[-3.0, 0.0], [5.0, 7.0]]))
    assert {text.get_text(): text.xy for text in ax.texts if text.get_text()} == named
    assert ax.get_aspect() == 1.0  # angles are true
    assert ax.get_xlim()[0] < -3
    assert ax.get_ylim()[1] > 7


def test_lines_and_points_are_those_of_their_names():
    ax = plots.lines({"model": torch.tensor([0.2, 0.5, 0.4]), "twin": [0.1, 0.1, 0.3]}, x="layer", y="cosine")
    lines = {label.get_text(): line for label, line in zip(ax.get_legend().get_texts(), ax.lines, strict=False)}
    assert_rounded_equal(lines["model"].get_xydata(), [[0, 0.2], [1, 0.5], [2, 0.4]])
    assert_rounded_equal(lines["twin"].get_xydata(), [[0, 0.1], [1, 0.1], [2, 0.3]])
    labels = [f"kind {i % MANY}" for i in range(MANY + 1)]  # the last is of the first's kind
    points = np.arange(2.0 * len(labels)).reshape(-1, 2)
    ax = plots.scatter(points, labels)
    (dots,) = ax.collections
    assert_rounded_equal(dots.get_offsets(), points)
    colours, shapes = dots.get_facecolors().tolist(), [path.vertices.tolist() for path in dots.get_paths()]
    assert colours[0] == colours[-1] != colours[1]
    assert shapes[0] == shapes[-1] != shapes[1]


def test_slides_and_the_live_page_have_the_colours_of_the_figures():
    folder = lessons.folder().parent
    slides, page = (folder / file for file in ("bertlab_teaching/templates/deck.css", "live/style.css"))
    assert re.findall(r"--blue: (#\w+)", slides.read_text("utf-8")) == [plots.PALETTE[0]]
    assert re.findall(r"--here: (#\w+)", page.read_text("utf-8"))[1] == plots.PALETTE[1], "in the dark"


def test_figures_are_never_shown_twice_and_a_dollar_is_a_dollar():
    before, known = dict(mpl.rcParams), plt.get_fignums()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # unknown glyphs are no warning
        axes = [plots.heatmap([[1.0]], rows=["$x_1$ 🍕 漢"]) for _ in range(2)]
        assert plots.png(axes[0].get_figure()) == plots.png(axes[1].get_figure())
    assert axes[0].get_yticklabels()[0].get_parse_math() is False
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == known  # Jupyter shows again what pyplot knows

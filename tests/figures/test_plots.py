"""Figures are tested on the data they draw; the picture itself is looked at by people."""

import io
import warnings

import matplotlib as mpl
import numpy as np
import pytest
import torch
from PIL import Image

from bertlab.figures import plots
from rounding import assert_rounded_equal


def cells(ax):
    """Return the values that a heatmap draws."""
    return ax.collections[0].get_array().reshape(len(ax.get_yticks()) or -1, -1)


def test_heatmap_draws_the_values_rows_downwards_with_their_names():
    values = torch.tensor([[1.0, -2.0, 0.0], [0.5, 0.25, 3.0]])
    ax = plots.heatmap(values, rows=["first", "second"], columns=["a", "b", "c"])
    assert_rounded_equal(cells(ax), values)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["first", "second"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b", "c"]
    assert ax.yaxis_inverted()  # the first row on top, as the matrix is written


def test_heatmap_colours_are_symmetric_so_that_white_is_zero():
    assert plots.heatmap([[1.0, -4.0]]).collections[0].get_clim() == (-4.0, 4.0)
    assert plots.heatmap([[1.0, -4.0]], limit=10).collections[0].get_clim() == (-10, 10)
    assert plots.heatmap([[0.0, 0.0]]).collections[0].get_clim() == (-1.0, 1.0)


def test_sequential_colours_begin_at_zero_and_refuse_what_is_below():
    drawn = plots.heatmap([[0.2, 0.5]], sequential=True).collections[0]
    assert (drawn.get_clim(), drawn.get_cmap().name) == ((0, 0.5), "Blues")
    assert plots.heatmap([[0.2, 0.5]], sequential=True, limit=1).collections[0].get_clim() == (0, 1)
    assert plots.heatmap([[0.0]], sequential=True).collections[0].get_clim() == (0, 1)
    with pytest.raises(ValueError, match=r"holds -0\.1: sequential"):
        plots.heatmap([[0.2, -0.1]], sequential=True)


def test_sequential_colours_begin_at_the_lowest_where_one_is_given():
    drawn = plots.heatmap([[0.7, 0.9]], sequential=True, lowest=0.7, limit=1).collections[0]
    assert drawn.get_clim() == (0.7, 1)
    with pytest.raises(ValueError, match=r"holds 0\.6: sequential colours are for values that are never below 0\.7"):
        plots.heatmap([[0.6, 0.9]], sequential=True, lowest=0.7)


@pytest.mark.parametrize("sequential", [False, True])
def test_what_is_not_a_number_stays_blank(sequential):
    drawn = plots.heatmap([[np.nan, 2.0]], sequential=sequential).collections[0]
    assert drawn.get_array().mask.tolist() == [[True, False]]
    assert drawn.get_clim()[1] == 2.0


def test_heatmap_writes_two_decimals_and_no_negative_zero():
    ax = plots.heatmap([[0.126, -0.001]], numbers=True)
    assert [text.get_text() for text in ax.texts] == ["0.13", "0.00"]


def test_heatmap_frames_the_highlighted_row():
    ax = plots.heatmap(np.eye(4), highlight=2)
    (frame,) = ax.patches
    assert (frame.get_xy(), frame.get_width(), frame.get_height()) == ((0, 2), 4, 1)


def test_heatmap_refuses_what_is_no_matrix():
    with pytest.raises(ValueError, match=r"two axes.*\(3,\)"):
        plots.heatmap(torch.zeros(3))


@pytest.mark.parametrize("rows", [["a"], ["a", "b", "c"], []])
def test_heatmap_refuses_names_that_are_more_or_fewer_than_rows(rows):
    with pytest.raises(ValueError, match=f"There are 2 rows and {len(rows)} names for them"):
        plots.heatmap(np.ones((2, 3)), rows=rows)
    with pytest.raises(ValueError, match=f"There are 2 columns and {len(rows)} names for them"):
        plots.heatmap(np.ones((3, 2)), columns=rows)


@pytest.mark.parametrize("row", [-1, 2])
def test_heatmap_refuses_to_frame_a_row_that_it_does_not_have(row):
    with pytest.raises(ValueError, match=f"no row {row} to put a frame around; there are 0 to 1"):
        plots.heatmap(np.ones((2, 3)), highlight=row)


def test_arrows_are_all_drawn_also_where_there_are_more_than_colours():
    named = {f"arrow {i}": (float(i), 1.0) for i in range(len(plots.PALETTE) + 3)}
    assert [text.get_text() for text in plots.arrows(named).texts if text.get_text()] == list(named)


def test_arrows_end_at_the_vectors_and_angles_are_true():
    ax = plots.arrows({"a": (2.0, 1.0), "b": (-0.5, 1.0)})
    tips = [text.xy for text in ax.texts if not text.get_text()]
    names = {text.get_text(): text.xy for text in ax.texts if text.get_text()}
    assert tips == [(2.0, 1.0), (-0.5, 1.0)]
    assert names == {"a": (2.0, 1.0), "b": (-0.5, 1.0)}
    assert ax.get_aspect() == 1.0


def test_arrows_keep_in_sight_what_is_drawn_already():
    ax = plots.scatter([[-3.0, 0.0], [5.0, 7.0]])
    plots.arrows({"a": (1.0, 1.0)}, ax=ax)
    assert ax.get_xlim()[0] < -3
    assert ax.get_xlim()[1] > 5
    assert ax.get_ylim()[1] > 7


def test_lines_draw_each_series_over_its_places():
    ax = plots.lines({"model": torch.tensor([0.2, 0.5, 0.4]), "twin": [0.1, 0.1, 0.3]}, x="layer", y="cosine")
    drawn = {label.get_text(): line for label, line in zip(ax.get_legend().get_texts(), ax.lines, strict=False)}
    assert_rounded_equal(drawn["model"].get_xydata(), [[0, 0.2], [1, 0.5], [2, 0.4]])
    assert_rounded_equal(drawn["twin"].get_xydata(), [[0, 0.1], [1, 0.1], [2, 0.3]])
    assert drawn["model"].get_color() != drawn["twin"].get_color()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("layer", "cosine")


@pytest.mark.parametrize(("numbers", "bottom", "top"), [([0.2, 0.3], 0, 1), ([-0.5, 3.0], -0.5, 3.0)])
def test_lines_begin_at_zero_unless_numbers_are_negative(numbers, bottom, top):
    low, high = plots.lines({"a": numbers}, x="", y="").get_ylim()
    assert low <= bottom
    assert high >= top
    assert low == 0 or bottom < 0


def test_scatter_gives_each_label_its_colour_and_shape():
    points = torch.tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    ax = plots.scatter(points, ["a", "b", "a"], names=["first", "second", "$x$"])
    (dots,) = ax.collections
    assert_rounded_equal(dots.get_offsets(), points)
    colours, shapes = dots.get_facecolors().tolist(), [path.vertices.tolist() for path in dots.get_paths()]
    assert colours[0] == colours[2] != colours[1]
    assert shapes[0] == shapes[2] != shapes[1]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
    assert {text.get_text(): tuple(text.xy) for text in ax.texts} == {"first": (0, 1), "second": (2, 3), "$x$": (4, 5)}
    assert ax.get_aspect() == 1.0


def test_scatter_has_room_for_more_labels_than_colours():
    labels = [f"kind {i}" for i in range(len(plots.PALETTE) + 3)]
    ax = plots.scatter(np.arange(26.0).reshape(13, 2), labels)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == labels


@pytest.mark.parametrize("names", [["a"], ["a", "b", "c"], []])
def test_scatter_refuses_labels_and_names_that_are_more_or_fewer_than_points(names):
    for option in ("labels", "names"):
        with pytest.raises(ValueError, match=f"There are 2 points and {len(names)} names for them"):
            plots.scatter(np.ones((2, 2)), **{option: names})


@pytest.mark.parametrize("shape", [(3,), (3, 3), (2, 2, 2)])
def test_scatter_refuses_what_is_no_plane(shape):
    with pytest.raises(ValueError, match="two coordinates"):
        plots.scatter(torch.zeros(shape))


def test_shares_draw_value_interval_and_chance():
    ax = plots.shares(["model", "twin"], [0.8, 0.2], [(0.7, 0.9), (0.1, 0.25)], chance=0.15)
    bars, errors = ax.containers[1], ax.containers[0]
    assert [bar.get_width() for bar in bars] == [0.8, 0.2]
    ends = [segment[:, 0].tolist() for segment in errors.lines[2][0].get_segments()]
    assert_rounded_equal(ends, [[0.7, 0.9], [0.1, 0.25]])
    chance = next(line for line in ax.lines if line.get_linestyle() == "--")
    assert list(chance.get_xdata()) == [0.15, 0.15]
    assert ax.yaxis_inverted()  # the first name on top


def test_shares_draw_an_interval_that_ends_at_the_value():
    # 50 of 50: the Wilson interval ends at 1, and rounding must not make the error bar's length negative.
    ax = plots.shares(["all"], [1.0], [(0.93, 1.0 - 1e-16)], chance=0.5)
    assert ax.containers[1][0].get_width() == 1.0


def test_points_of_a_row_are_moved_apart_and_stay_in_it():
    moved = plots.apart(100)
    assert np.diff(np.sort([-0.3, *moved, 0.3])).max() < 0.01, "the whole width is used"
    assert np.abs(np.diff(moved)).min() > 0.1, "neighbours, which may be equal, lie far apart"
    assert np.array_equal(moved[:40], plots.apart(40)), "a point stays where it is when others come"


def test_the_style_stays_inside():
    before = dict(mpl.rcParams)
    plots.png(plots.heatmap([[1.0]]).get_figure())
    assert dict(mpl.rcParams) == before


def test_figures_are_unknown_to_pyplot_and_so_never_shown_twice():
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    plots.heatmap([[1.0]])
    assert plt.get_fignums() == before


def test_png_is_a_picture_and_the_same_each_time():
    first, second = (plots.png(plots.heatmap([[1.0, 2.0]]).get_figure()) for _ in range(2))
    assert first == second
    assert Image.open(io.BytesIO(first)).size == (1500, 243)


def test_dollars_are_dollars_and_unknown_glyphs_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = plots.heatmap([[1.0]], rows=["$x_1$ 🍕 漢"])
        plots.png(ax.get_figure())
    assert ax.get_yticklabels()[0].get_parse_math() is False

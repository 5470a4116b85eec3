"""Shares are drawn as bars, and other figures with their intervals."""

import pandas as pd
from matplotlib.colors import to_hex

from bertlab.evidence import Comparison, Interval
from bertlab.figures import PALETTE, points, shares_beside_controls
from bertlab.figures.plots import TWIN
from drawn import assert_reference_line


def test_shares_are_drawn_beside_chance():
    table = pd.DataFrame({"share": [1.0, 0.205]}, index=["all", "twin"])
    ax = shares_beside_controls(Comparison(table, 50, 50), chance=0.15, x="share of words")
    (bars,) = ax.containers
    assert [bar.get_width() for bar in bars] == [1.0, 0.205]
    assert [to_hex(bar.get_facecolor()) for bar in bars] == list(PALETTE[:2])
    assert [text.get_text() for text in ax.texts] == ["chance", "1.00", "0.21"]  # a half is rounded up
    assert_reference_line(ax, 0.15)
    assert ax.yaxis_inverted()  # the first name on top


def test_twins_are_grey_and_controls_orange():
    measured = {name: Interval(0.5, 0.4, 0.6) for name in ("ours", "a twin", "control")}
    ax = points(measured, x="share", orange={"a twin", "control"}, grey={"a twin"})
    assert [to_hex(line.get_color()) for line in ax.lines[1::2]] == [PALETTE[0], to_hex(TWIN), PALETTE[1]]


def test_points_lie_on_their_intervals_and_controls_are_diamonds():
    measured = {"ours": Interval(0.985, 0.7, 0.99), "control": Interval(0.5, 0.4, 0.6)}
    ax = points(measured, x="share", orange={"control"}, mark=0)
    interval, point, _, other, mark = ax.lines
    assert interval.get_xydata().tolist() == [[0.7, 0], [0.99, 0]]
    assert point.get_xydata().tolist() == [[0.985, 0]]
    assert [text.get_text() for text in ax.texts] == ["0.99", "0.50"]  # a half is rounded up
    assert (point.get_marker(), other.get_marker()) == ("o", "D")
    assert list(mark.get_xdata()) == [0, 0]
    assert ax.yaxis_inverted()  # the first on top

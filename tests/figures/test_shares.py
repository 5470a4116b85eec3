"""Shares and other figures are drawn with their intervals."""

import pandas as pd

from bertlab.evidence import Comparison, Interval, beside_controls
from bertlab.figures import PALETTE, points, shares_beside_controls
from rounding import assert_rounded_equal


def test_shares_are_drawn_with_their_intervals_and_chance():
    compared = beside_controls({"model": [1, 1, 1, 1, 0], "twin": [0, 0, 0, 1, 0]})
    ax = shares_beside_controls(compared, chance=0.15)
    bars, errors = ax.containers[1], ax.containers[0]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["model", "twin"]
    assert [bar.get_width() for bar in bars] == [0.8, 0.2]
    ends = [segment[:, 0].tolist() for segment in errors.lines[2][0].get_segments()]
    assert_rounded_equal(ends, compared.table[["low", "high"]].to_numpy())
    chance = next(line for line in ax.lines if line.get_linestyle() == "--")
    assert list(chance.get_xdata()) == [0.15, 0.15]
    assert [text.get_text() for text in ax.texts] == ["chance", "0.80", "0.20"]
    assert ax.yaxis_inverted()  # the first name on top


def test_an_interval_may_end_at_its_share():
    # 50 of 50: Wilson's interval ends at 1, and rounding must not make the error bar's length negative.
    table = pd.DataFrame({"share": [1.0], "low": [0.93], "high": [1.0 - 1e-16]}, index=["all"])
    ax = shares_beside_controls(Comparison(table, 50, 50), chance=0.5)
    assert ax.containers[1][0].get_width() == 1.0


def test_points_lie_on_their_intervals_and_controls_are_diamonds():
    ax = points({"ours": Interval(0.8, 0.7, 0.9), "control": Interval(0.5, 0.4, 0.6)}, x="share", orange={"control"})
    interval, point, _, other = ax.lines
    assert interval.get_xydata().tolist() == [[0.7, 0], [0.9, 0]]
    assert point.get_xydata().tolist() == [[0.8, 0]]
    assert (point.get_marker(), other.get_marker()) == ("o", "D")
    assert (point.get_color(), other.get_color()) == PALETTE[:2]
    assert [text.get_text() for text in ax.texts] == ["0.80", "0.50"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first on top

    assert list(points({"ours": Interval(0.8, 0.7, 0.9)}, x="share", mark=0).lines[-1].get_xdata()) == [0, 0]

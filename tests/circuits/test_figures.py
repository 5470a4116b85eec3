"""Lesson 9's figures are tested on the data they draw, and their captions on values whose right words are known."""

import numpy as np
import pandas as pd
import pytest
import torch
from matplotlib.text import Annotation

from bertlab.circuits import figures
from drawn import assert_all_in_sight
from rounding import assert_rounded_equal


def cells(shown):
    return np.array([float(text.get_text()) for text in shown.axes.texts])


def names(labels):
    return [label.get_text() for label in labels]


def test_heads_are_cells_and_the_first_two_are_named():
    shares = torch.tensor([[0.0, 0.72, 0.1], [-0.05, 0.01, 0.2]])
    shown = figures.heads(shares, 12)
    assert_rounded_equal(cells(shown), shares.flatten(), decimals=2)
    assert names(shown.axes.get_yticklabels()) == ["0", "1"]
    assert names(shown.axes.get_xticklabels()) == ["0", "1", "2"]
    assert "head by head (mean of 12 pairs)" in shown.caption
    assert "most with head 0.1 (0.72), and next with head 1.2 (0.20)." in shown.caption


def test_the_map_has_all_positions_and_says_where_most_is_only_when_it_moves():
    shares = torch.tensor([[0.0, 1.0, 0.0], [0.1, 0.8, 0.1], [0.55, 0.15, 0.26], [0.0, 0.0, 1.0]])
    shown = figures.places(shares, ["the", "dog", "[MASK]"])
    assert_rounded_equal(cells(shown), shares.flatten(), decimals=2)
    rows = ["after 0 layers", "after 1 layer", "after 2 layers", "after 3 layers"]
    assert names(shown.axes.get_yticklabels()) == rows
    assert "Rows add up to 0.96 to 1.00." in shown.caption
    moves = (
        "with 'dog' (1.00) after 0 layers, with 'the' (0.55) after 2 layers and with '[MASK]' (1.00) after 3 layers."
    )
    assert shown.caption.endswith(f"Most of it comes {moves}")
    with pytest.raises(ValueError, match="columns"):
        figures.places(shares, ["the", "dog"])


def test_tasks_are_columns_and_each_has_its_head():
    lost = pd.DataFrame({"a / an": [0.9, 0.1], "he / she": [0.0, 0.76]}, ["0.1", "3.0"])
    shown = figures.tasks(lost)
    assert_rounded_equal(cells(shown), lost.to_numpy().ravel(), decimals=2)
    assert names(shown.axes.get_yticklabels()) == ["0.1", "3.0"]
    assert shown.caption.endswith("most with 0.1 for a/an (0.90) and 3.0 for he/she (0.76).")


def test_each_knob_has_a_panel_with_a_line_for_each_kind_of_pairs():
    doses = {
        "head 1.3": pd.DataFrame({"hard": [6, 4], "easy": [5, 10]}, [0.0, 1.0]),
        "head 2.7": pd.DataFrame({"hard": [2, 4, 7], "easy": [10, 10, 9]}, [0.0, 1.0, 3.0]),
    }
    shown = figures.knobs(doses, 10)
    panels = shown.axes.figure.axes
    assert len(panels) == 2
    for panel, (name, table) in zip(panels, doses.items(), strict=True):
        lines = [line for line in panel.lines if line.get_marker() not in ("None", None)]
        assert [line.get_ydata().tolist() for line in lines] == table.T.to_numpy().tolist()
        assert [line.get_xdata().tolist() for line in lines] == [table.index.tolist()] * 2
        assert panel.get_xlabel() == f"factor of {name}"
        assert_all_in_sight(panel)
    assert "Right answers of 10 against" in shown.caption
    assert "With head 1.3, 0 to 1: hard 6 to 4, easy 5 to 10" in shown.caption
    assert "with head 2.7, 0 to 3: hard 2 to 7, easy 10 to 9." in shown.caption


def test_heads_are_arrows_from_what_they_read_to_where_they_write_one_layer_on():
    shown = figures.circuit(["the", "dog", "near", "[MASK]"], [(1, 2, 1, 0), (2, 7, 0, 3), (2, 7, 2, 3)])
    arrows = [text for text in shown.axes.texts if isinstance(text, Annotation) and text.arrow_patch]
    assert [(text.xyann, text.xy) for text in arrows] == [((1, 1), (0, 2)), ((0, 2), (3, 3)), ((2, 2), (3, 3))]
    assert [text.get_text() for text in shown.axes.texts if text.get_text()] == ["1.2", "2.7", "2.7"]
    assert names(shown.axes.get_yticklabels()) == ["after 1 layer", "after 2 layers", "after 3 layers"]
    assert "1.2 from 'dog' to 'the' and 2.7 from 'the' and 'near' to '[MASK]'." in shown.caption
    assert "after 0 layers" in names(figures.circuit(["an", "egg"], [(0, 1, 1, 0)]).axes.get_yticklabels())


def test_random_sets_are_counted_and_the_circuit_is_a_line():
    shown = figures.random_sets([-0.02, 0.0, 0.01, 0.3, 0.55], 1.01)
    bars = [
        (bar.get_x(), bar.get_x() + bar.get_width()) for bar in shown.axes.patches for _ in range(int(bar.get_height()))
    ]
    assert all(
        low - 1e-9 <= kept <= high + 1e-9 for kept, (low, high) in zip((-0.02, 0.0, 0.01, 0.3, 0.55), bars, strict=True)
    )
    assert shown.axes.lines[0].get_xdata()[0] == 1.01
    assert "What 5 random sets keep" in shown.caption
    assert shown.caption.endswith("Half of the sets keep 0.01 or less, the best 0.55.")
    assert_all_in_sight(shown.axes)


def test_preferences_are_bars_on_either_side_of_zero():
    shown = figures.pulls(["The dog", "The dogs"], torch.tensor([-2.25, 1.5]), ("is, was", "are, were"))
    assert [bar.get_width() for bar in shown.axes.patches] == [-2.25, 1.5]
    assert names(shown.axes.get_yticklabels()) == ["The dog", "The dogs"]
    assert "left: is, was; right: are, were" in shown.axes.get_xlabel()
    assert shown.caption.endswith("preferred to 'is, was': -2.25 with 'The dog' and +1.50 with 'The dogs'.")
    assert_all_in_sight(shown.axes)

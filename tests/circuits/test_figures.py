"""Lesson 9's figures are tested on the data they draw, and their captions on values whose right words are known."""

import pandas as pd
import torch
from matplotlib.text import Annotation

from bertlab.circuits import figures
from drawn import assert_all_in_sight


def names(labels):
    return [label.get_text() for label in labels]


def test_each_knob_has_a_panel_with_a_line_for_each_kind_of_pairs():
    doses = {
        "L1H3": pd.DataFrame({"hard": [6, 4], "easy": [5, 10]}, [0.0, 1.0]),
        "L2H7": pd.DataFrame({"hard": [2, 4, 7], "easy": [10, 10, 9]}, [0.0, 1.0, 3.0]),
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
    assert "With L1H3, 0 to 1: hard 6 to 4, easy 5 to 10" in shown.caption
    assert "with L2H7, 0 to 3: hard 2 to 7, easy 10 to 9." in shown.caption


def test_heads_are_arrows_from_what_they_read_to_where_they_write_one_layer_on():
    shown = figures.circuit(["the", "dog", "near", "[MASK]"], [(1, 2, 1, 0), (2, 7, 0, 3), (2, 7, 2, 3)])
    arrows = [text for text in shown.axes.texts if isinstance(text, Annotation) and text.arrow_patch]
    assert [(text.xyann, text.xy) for text in arrows] == [((1, 1), (0, 2)), ((0, 2), (3, 3)), ((2, 2), (3, 3))]
    assert [text.get_text() for text in shown.axes.texts if text.get_text()] == ["L1H2", "L2H7", "L2H7"]
    assert names(shown.axes.get_yticklabels()) == ["after 1 layer", "after 2 layers", "after 3 layers"]
    assert "L1H2 from 'dog' to 'the' and L2H7 from 'the' and 'near' to '[MASK]'." in shown.caption
    assert "after 0 layers" in names(figures.circuit(["an", "egg"], [(0, 1, 1, 0)]).axes.get_yticklabels())


def test_preferences_are_bars_on_either_side_of_zero():
    shown = figures.pulls(["The dog", "The dogs"], torch.tensor([-2.25, 1.5]), ("is, was", "are, were"))
    assert [bar.get_width() for bar in shown.axes.patches] == [-2.25, 1.5]
    assert names(shown.axes.get_yticklabels()) == ["The dog", "The dogs"]
    assert "left: is, was; right: are, were" in shown.axes.get_xlabel()
    assert shown.caption.endswith("preferred to 'is, was': -2.25 with 'The dog' and +1.50 with 'The dogs'.")
    assert_all_in_sight(shown.axes)

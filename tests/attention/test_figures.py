"""The pictures of attention are tested on the data they draw."""

import numpy as np
import pandas as pd
import pytest
import torch

from bertlab.attention import figures as attention_plots
from rounding import assert_rounded_equal


def drawn(ax, rows):
    return np.asarray(ax.collections[0].get_array()).reshape(rows, -1)


def test_weights_are_drawn_with_the_looking_tokens_as_rows():
    tokens = ["[CLS]", "cat", "[SEP]"]
    values = torch.tensor([[0.1, 0.2, 0.7], [0.2, 0.6, 0.2], [0.5, 0.25, 0.25]])
    ax = attention_plots.weights(tokens, values, limit=1, title="layer 0, head 1")
    assert_rounded_equal(drawn(ax, 3), values)
    assert [label.get_text() for label in ax.get_yticklabels()] == tokens
    assert [label.get_text() for label in ax.get_xticklabels()] == tokens
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("is looked at", "looks", "layer 0, head 1")
    assert ax.collections[0].get_clim() == (0, 1)


def test_heads_stand_in_the_row_of_their_layer_whatever_the_order_of_the_table():
    table = pd.DataFrame({"layer": [1, 0, 0, 1], "head": [0, 1, 0, 1], "previous": [0.3, 0.2, 0.1, 0.4]})
    ax = attention_plots.heads(table, "previous")
    assert_rounded_equal(drawn(ax, 2), [[0.1, 0.2], [0.3, 0.4]])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["layer 0", "layer 1"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "1"]
    assert [text.get_text() for text in ax.texts] == ["0.10", "0.20", "0.30", "0.40"]
    assert (ax.get_title(), ax.get_xlabel()) == ("previous", "head")


def test_many_heads_are_drawn_without_numbers():
    table = pd.DataFrame({"layer": 0, "head": range(16), "next": 0.5})
    assert not attention_plots.heads(table, "next").texts


def test_given_axes_are_used():
    table = pd.DataFrame({"layer": [0], "head": [0], "next": [0.5]})
    left, right = attention_plots.plots.axes(2)
    assert attention_plots.heads(table, "next", ax=left) is left
    assert attention_plots.weights(["a"], [[1.0]], ax=right) is right


def test_bad_tables_are_refused():
    table = pd.DataFrame({"layer": [0, 0], "head": [0, 0], "next": [0.5, 0.1]})
    with pytest.raises(ValueError, match="no column 'previous'; it has layer, head, next"):
        attention_plots.heads(table, "previous")
    with pytest.raises(ValueError, match="duplicate"):
        attention_plots.heads(table, "next")


def test_changes_draw_each_heads_point_and_interval_in_the_order_of_the_table():
    table = pd.DataFrame(
        {"layer": [1, 0], "head": [2, 3], "change": [0.5, -0.1], "low": [0.2, -0.3], "high": [0.9, 0.2]}
    )
    ax = attention_plots.changes(table, highlight=1)
    points = [bar.lines[0].get_xydata().tolist() for bar in ax.containers]
    assert points == [[[0, 0.5]], [[1, -0.1]]]
    ends = [bar.lines[2][0].get_segments()[0][:, 1].tolist() for bar in ax.containers]
    assert_rounded_equal(ends, [[0.2, 0.9], [-0.3, 0.2]])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1.2", "0.3"]
    colours = [bar.lines[0].get_color() for bar in ax.containers]
    assert colours[0] != colours[1]


def test_weights_of_other_tokens_are_refused():
    with pytest.raises(ValueError, match="There are 2 rows and 3 names for them"):
        attention_plots.weights(["[CLS]", "cat", "[SEP]"], torch.ones(2, 2))

"""The drawings of attention are tested on the data they draw, and on the numbers that their captions name."""

from itertools import pairwise

import pandas as pd
import pytest
import torch

from bertlab.attention import figures
from rounding import assert_rounded_equal

TOKENS = ["[CLS]", "cat", "[SEP]"]
WEIGHTS = torch.tensor([[0.1, 0.2, 0.7], [0.3, 0.6, 0.1], [0.5, 0.25, 0.25]])


def written(shown):
    return {text.get_text() for text in shown.axes.texts if text.get_text()}


def test_squares_show_the_weights_of_each_head_on_one_scale():
    drawn = figures.squares(TOKENS, torch.stack([WEIGHTS, WEIGHTS.T])).figure.axes
    left, right = (ax for ax in drawn if ax.get_title())
    assert (left.get_title(), right.get_title()) == ("head 0", "head 1")
    for ax, weights in ((left, WEIGHTS), (right, WEIGHTS.T), (figures.square(TOKENS, WEIGHTS), WEIGHTS)):
        assert_rounded_equal(ax.collections[0].get_array(), weights)
        assert ax.collections[0].get_clim() == (0, 1)
    assert [label.get_text() for label in left.get_yticklabels()] == TOKENS


@pytest.mark.parametrize(("tokens", "heads"), [(9, 4), (40, 2)])
def test_labels_of_squares_fit(tokens, heads):
    ax = figures.squares(["word"] * tokens, torch.full((heads, tokens, tokens), 1 / tokens))
    ax.figure.draw_without_rendering()
    labels = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert all(above.y0 >= below.y1 - 1 for above, below in pairwise(labels))


def test_the_rise_of_the_loss_is_a_cell_per_head_and_the_named_heads_are_framed():
    rows = [(1, 0, 0.3), (0, 1, 0.2), (0, 0, -0.1), (1, 1, 0.5)]
    ax = figures.rise_of_loss(pd.DataFrame(rows, columns=["layer", "head", "change"]), {(1, 0): "previous"})
    assert_rounded_equal(ax.collections[0].get_array(), [[0, 0.2], [0.3, 0.5]])
    assert [frame.get_xy() for frame in ax.patches] == [(0, 1)]
    with pytest.raises(ValueError, match="duplicate"):
        figures.rise_of_loss(pd.DataFrame(rows * 2, columns=["layer", "head", "change"]), [])


def test_what_arrives_is_the_weight_times_what_is_given():
    shown = figures.weight_times_given(TOKENS, torch.tensor([0.5, 0.3, 0.2]), torch.tensor([1.0, 4.0, 2.0]))
    assert "0.300 × 4.00 = 1.20" in written(shown)
    assert "'[CLS]' gets the largest weight, 0.500, but most arrives from 'cat': 1.20 against 0.50." in shown.caption
    ends = [line.get_xydata()[-1, 0] for line in shown.axes.lines[::2]]
    assert_rounded_equal(ends, [1.0, 0.5, 4.0, 1.2, 2.0, 0.4])
    alike = figures.weight_times_given(TOKENS, torch.tensor([0.5, 0.3, 0.2]), torch.ones(3))
    assert alike.caption.endswith("'[CLS]' gets the largest weight, 0.500, and most arrives from it.")


def test_a_layer_has_this_models_shapes_and_one_token_looks_at_the_three_that_it_gives_most(bert):
    assert {"attention:\n8 heads", "8 × 32", "(256)", "(1,024)"} < written(figures.inside_of_a_layer(bert))
    assert {"head 0", "head 7", "160 to 191"} < written(figures.columns_of_heads(bert, 5))
    tokens = ["[CLS]", "$5", "cat", "sat", "[SEP]"]
    numbers = torch.arange(20.0).view(5, 4)
    vectors = {"query": numbers, "key": -numbers, "value": numbers / 10, "made": numbers + 0.5}
    weights = torch.full((5, 5), 0.2)
    weights[1] = torch.tensor([0.4, 0.05, 0.1, 0.2, 0.25])
    shown = figures.query_key_value(tokens, vectors, torch.arange(25.0).view(5, 5), weights, looks=1)
    assert {text for text in written(shown) if text.strip("'") in tokens} == {"'[CLS]'", "'sat'", "'[SEP]'"}
    of_sat = {"key\n-12.0  -13.0  -14.0  …", "score 8.0", "weight 0.20", "value\n1.2  1.3  1.4  …"}
    of_looking = {"query of '$5'\n4.0  5.0  6.0  …", "what the head makes for '$5': 4.5  5.5  6.5  …"}
    assert of_sat | of_looking < written(shown)
    assert "get most of its weight, 0.85 together" in shown.caption

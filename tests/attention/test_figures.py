"""The figures of attention are tested on the data they draw, and on the numbers that their captions name."""

from itertools import pairwise
from types import SimpleNamespace

import pandas as pd
import pytest
import torch

from bertlab.attention import figures
from rounding import assert_rounded_equal

TOKENS = ["[CLS]", "cat", "[SEP]"]
WEIGHTS = torch.tensor([[0.1, 0.2, 0.7], [0.3, 0.6, 0.1], [0.5, 0.25, 0.25]])


def panels(shown):
    """Return what each heatmap of a figure draws."""
    return [ax.collections[0].get_array() for ax in shown.axes.figure.axes if ax.get_title()]


def written(shown):
    return {text.get_text() for text in shown.axes.texts if text.get_text()}


@pytest.mark.parametrize(("step", "said"), [(-1, "the previous token"), (0, "the token itself"), (1, "the next token")])
def test_the_head_that_is_asked_for_is_drawn_and_the_one_that_looks_most_at_a_neighbour_is_named(step, said):
    most = torch.diag(torch.full((3 - abs(step),), 0.8), step) + 0.05
    reading = SimpleNamespace(
        tokens=TOKENS, attention=torch.stack([torch.zeros(2, 3, 3), torch.stack([WEIGHTS, most])])
    )
    shown = figures.heads_of_layer(reading, layer=1)
    left, right = panels(shown)
    assert_rounded_equal(left, WEIGHTS)
    assert_rounded_equal(right, most)
    scales = [ax.collections[0].get_clim() for ax in shown.axes.figure.axes if ax.get_title()]
    assert scales == [(0, 1)] * 2, "as weights are shares, one scale for all heads"
    assert f"Head 1 puts 0.85 of its weight on {said}." in shown.caption
    alone = figures.one_head(reading, 1, 0)
    assert_rounded_equal(alone.axes.collections[0].get_array(), WEIGHTS)
    assert (alone.axes.get_xlabel(), alone.axes.get_ylabel()) == ("is looked at", "looks")


def test_where_one_looks_is_drawn_as_it_is_given():
    looks = figures.where_one_looks(TOKENS, [[0.1, 0.8, 0.1], [0.2, 0.2, 0.6]], "[MASK]")
    assert_rounded_equal(looks.axes.collections[0].get_array(), [[0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    assert "most at 'cat' in the first layer, and at '[SEP]' in the last" in looks.caption


def test_rises_of_the_loss_stand_in_the_row_of_their_layer_and_named_heads_are_framed():
    change = pd.DataFrame([(1, 0, 0.5), (0, 1, 0.9), (0, 0, -0.1), (1, 1, 0.2)], columns=["layer", "head", "change"])
    shown = figures.rise_of_loss(change, [(0, 1), (1, 0)], texts=40)
    assert_rounded_equal(shown.axes.collections[0].get_array(), [[0.0, 0.9], [0.5, 0.2]])
    assert [text.get_text() for text in shown.axes.texts] == ["0.00", "0.90", "0.50", "0.20"]
    assert [frame.get_xy() for frame in shown.axes.patches] == [(1, 0), (0, 1)]
    assert "over 40 sentences" in shown.caption


def test_of_a_long_text_two_heads_are_drawn_with_labels_that_fit():
    for tokens, heads in ((9, 4), (40, 2)):
        reading = SimpleNamespace(tokens=["word"] * tokens, attention=torch.full((1, 6, tokens, tokens), 1 / tokens))
        shown = figures.heads_of_layer(reading, layer=0)
        assert len(panels(shown)) == heads
        shown.axes.figure.draw_without_rendering()
        labels = [label.get_window_extent() for label in shown.axes.get_yticklabels()]
        assert all(above.y0 >= below.y1 - 1 for above, below in pairwise(labels))


def test_the_heads_that_are_drawn_are_a_clear_one_and_one_that_shares_its_weight():
    weights = torch.full((2, 3, 5, 5), 0.2)
    weights[1, 2] = torch.eye(5).roll(-1, 1)
    weights[0, 1, 2] = torch.tensor([0.0, 0.33, 0.33, 0.34, 0.0])
    reading = SimpleNamespace(attention=weights)
    assert figures.clear_head(reading) == (1, 2)
    assert figures.sharing_head(reading, 0) == (1, 2)


def test_wide_numbers_are_points_on_the_curve_of_gelu():
    shown = figures.curve_of_gelu(torch.tensor([-1.0, 2.0, -3.0]))
    by_hand = [[-1.0, -0.158655], [2.0, 1.9545], [-3.0, -0.00405]]
    assert_rounded_equal(shown.axes.collections[0].get_offsets(), by_hand)
    assert "the 3 wide numbers" in shown.caption
    assert "2 of them are below zero" in shown.caption


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

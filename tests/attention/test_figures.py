"""The figures of attention are tested on the data they draw, and on what their captions say of it."""

import numpy as np
import pandas as pd
import pytest
import torch

import bertlab
from bertlab.attention import figures
from bertlab.bert.reading import Reading
from bertlab.figures import PALETTE
from rounding import assert_rounded_equal

TOKENS = ["[CLS]", "cat", "[SEP]"]
WEIGHTS = torch.tensor([[0.1, 0.2, 0.7], [0.3, 0.6, 0.1], [0.5, 0.25, 0.25]])


def reading(attention):
    """Return a reading of three tokens that holds no more than weights, (layers, heads, tokens, tokens)."""
    nothing = torch.zeros(3)
    return Reading("cat", None, TOKENS, nothing, nothing, [(0, 0)] * 3, nothing, True, 100, attention, None)


def drawn(ax, rows=3):
    return np.asarray(ax.collections[0].get_array()).reshape(rows, -1)


def names(ax):
    return [label.get_text() for label in ax.get_yticklabels()], [label.get_text() for label in ax.get_xticklabels()]


def test_one_head_is_drawn_with_the_looking_tokens_as_rows():
    shown = figures.one_head(reading(torch.stack([WEIGHTS, WEIGHTS**2]).view(1, 2, 3, 3)), 0, 1)
    assert_rounded_equal(drawn(shown.axes), WEIGHTS**2)
    assert names(shown.axes) == (TOKENS, TOKENS)
    assert (shown.axes.get_xlabel(), shown.axes.get_ylabel()) == ("is looked at", "looks")
    assert shown.axes.collections[0].get_clim() == (0, 1)
    assert "head 1 in layer 0" in shown.caption
    assert "on average 0.08 of its weight on the token before it" in shown.caption  # (0.3² + 0.25²) / 2


def test_the_bend_is_drawn_from_left_to_right_through_every_number():
    shown = figures.bend(torch.tensor([[1.0, -1.0], [3.0, -4.0]]), torch.tensor([[0.5, -0.1], [3.0, 0.0]]))
    (line,) = shown.axes.lines
    assert_rounded_equal(line.get_xydata(), [[-4.0, 0.0], [-1.0, -0.1], [1.0, 0.5], [3.0, 3.0]])
    assert "the 4 numbers" in shown.caption
    assert "50% of the numbers come out above 0.01" in shown.caption


def test_heads_of_a_layer_stand_side_by_side_in_one_colour_scale():
    attention = torch.stack([torch.zeros(2, 3, 3), torch.stack([WEIGHTS, torch.eye(3)])])
    shown = figures.heads_of_layer(reading(attention), layer=1)
    panels = [ax for ax in shown.axes.get_figure().axes if ax.get_title()]
    assert [ax.get_title() for ax in panels] == ["head 0", "head 1"]
    assert_rounded_equal(drawn(panels[0]), WEIGHTS)
    assert_rounded_equal(drawn(panels[1]), torch.eye(3))
    assert all(ax.collections[0].get_clim() == (0, 1) for ax in panels)
    assert [ax.get_ylabel() for ax in panels] == ["looks", ""]
    assert [bool(ax.collections[0].colorbar) for ax in panels] == [False, True], "one scale, said once"
    # On the token itself: 0.1, 0.6 and 0.25 in head 0, all in head 1.
    assert "head 1 looks most at one neighbour: on average 1.00 of its weight is on the token itself" in shown.caption
    assert shown.caption.endswith("would have 0.33 there.")


@pytest.mark.parametrize(("step", "said"), [(-1, "the token before"), (1, "the next token")])
def test_the_neighbour_that_a_head_looks_at_most_is_named(step, said):
    most = torch.diag(torch.full((2,), 0.8), step) + 0.05
    shown = figures.heads_of_layer(reading(torch.stack([WEIGHTS, most]).view(1, 2, 3, 3)), layer=0)
    assert f"head 1 looks most at one neighbour: on average 0.85 of its weight is on {said}." in shown.caption


def measured(**columns):
    table = {"layer": [1, 0, 0, 1], "head": [0, 1, 0, 1], "previous": [0.3, 0.9, 0.1, 0.6], "next": [0.2, 0.2, 0.1, 0]}
    return pd.DataFrame(table | {"uniform previous": 0.125} | columns)


def test_heads_stand_in_the_row_of_their_layer_whatever_the_order_of_the_table():
    shown = figures.previous_and_next(measured(), texts=7)
    left, right = [ax for ax in shown.axes.get_figure().axes if ax.get_title()]
    assert (left.get_title(), right.get_title()) == ("previous", "next")
    assert_rounded_equal(drawn(left, 2), [[0.1, 0.9], [0.3, 0.6]])
    assert_rounded_equal(drawn(right, 2), [[0.1, 0.2], [0.2, 0.0]])
    assert names(left) == (["layer 0", "layer 1"], ["0", "1"])
    assert [text.get_text() for text in left.texts] == ["0.10", "0.90", "0.30", "0.60"]
    assert "in 7 texts" in shown.caption
    assert "2 of 4 heads on the previous, 0 on the next piece" in shown.caption
    assert "0.12" in shown.caption


def test_where_one_looks_has_a_row_a_layer():
    shown = figures.where_one_looks(TOKENS, [[0.1, 0.8, 0.1], [0.2, 0.2, 0.6]], "[MASK]")
    assert_rounded_equal(drawn(shown.axes, 2), [[0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    assert names(shown.axes) == (["layer 0", "layer 1"], TOKENS)
    assert "Where [MASK] looks" in shown.caption
    assert shown.caption.endswith("on 'cat' in layer 0, '[SEP]' in layer 1.")


def test_the_effect_of_masking_leaves_the_diagonal_blank_and_names_the_strongest():
    effect = torch.tensor([[torch.nan, 2.0, 3.0], [1.0, torch.nan, 3.0], [1.0, 1.0, torch.nan]])
    shown = figures.masking_effect(TOKENS, effect)
    assert np.ma.getmaskarray(shown.axes.collections[0].get_array()).reshape(3, 3).diagonal().all()
    assert (shown.axes.get_xlabel(), shown.axes.get_ylabel()) == ("is hidden", "moves")
    assert "Hiding '[SEP]' moves the others most" in shown.caption


def test_changes_of_the_loss_are_points_with_intervals_in_the_order_of_the_table():
    table = pd.DataFrame(
        {
            "layer": [1, 0, 0],
            "head": [2, 3, 1],
            "change": [0.5, 0.1, -0.1],
            "low": [0.2, 0.01, -0.3],
            "high": [0.9, 0.2, -0.02],
            "p": [0.01, 0.2, 0.02],
        }
    )
    shown = figures.change_of_loss(table, (0, 3), texts=40)
    points = [bar.lines[0].get_xydata().tolist() for bar in shown.axes.containers]
    assert points == [[[0, 0.5]], [[1, 0.1]], [[2, -0.1]]]
    ends = [bar.lines[2][0].get_segments()[0][:, 1].tolist() for bar in shown.axes.containers]
    assert_rounded_equal(ends, [[0.2, 0.9], [0.01, 0.2], [-0.3, -0.02]])
    assert names(shown.axes)[1] == ["L1\nH2", "L0\nH3"], "where a rise is shown, and the one that is asked about"
    assert shown.axes.get_xticks().tolist() == [0, 1]
    filled = [bar.lines[0].get_markerfacecolor() != "white" for bar in shown.axes.containers]
    assert filled == [True, False, False]
    colours = [bar.lines[0].get_color() for bar in shown.axes.containers]
    assert colours == [PALETTE[i] for i in (0, 1, 0)]
    assert "for all 3 heads" in shown.caption
    assert "over 40 sentences" in shown.caption
    assert "it is shown to rise for 1 of them" in shown.caption, "neither where p is large nor where the loss falls"
    assert "in orange, is in place 2" in shown.caption


def written(shown):
    return [text.get_text() for text in shown.axes.texts if text.get_text()]


def test_the_inside_of_a_layer_has_this_models_shapes(bert, tiny_folder):
    for model in (bert, bertlab.load(tiny_folder)):
        config = model.model.config
        size = config.hidden_size // config.num_attention_heads
        shown = figures.inside_of_a_layer(model)
        texts = written(shown)
        assert f"attention:\n{config.num_attention_heads} heads" in texts
        assert f"{config.num_attention_heads} × {size}" in texts
        assert texts.count(f"({config.hidden_size})") == 5
        assert f"({config.intermediate_size:,})" in texts
        assert f"it has {config.num_hidden_layers} of them" in shown.caption


def test_the_formula_is_typeset_and_in_words():
    shown = figures.formula()
    formula, *named = shown.axes.texts
    assert formula.get_parse_math()
    assert [text.get_text() for text in named] == ["what a head makes", "weights", "scores", "values"]
    shown.axes.get_figure().draw_without_rendering()  # what lays it out
    inside = shown.axes.get_window_extent()
    assert inside.x0 < formula.get_window_extent().x0 < formula.get_window_extent().x1 < inside.x1
    for label in named:  # large enough for the back row, and none upon another
        assert label.get_size() >= 20
        assert inside.x0 < label.get_window_extent().x0 < label.get_window_extent().x1 < inside.x1
        others = [other.get_window_extent() for other in (*named, formula) if other is not label]
        assert not any(label.get_window_extent().overlaps(other) for other in others), label.get_text()
    for word in ("queries Q", "keys K", "root of d", "Softmax", "values V"):
        assert word in shown.caption


@pytest.mark.parametrize("looks", [3, 1])
def test_one_token_looks_at_the_three_that_it_gives_most(looks):
    tokens = ["[CLS]", "$5", "cat", "sat", "[SEP]"]
    numbers = torch.arange(20.0).view(5, 4)
    vectors = {"query": numbers, "key": -numbers, "value": numbers / 10, "made": numbers + 0.5}
    scores = torch.arange(25.0).view(5, 5)
    weights = torch.tensor([[0.1, 0.1, 0.3, 0.2, 0.3]] * 5)
    weights[1] = torch.tensor([0.4, 0.05, 0.1, 0.2, 0.25])
    shown = figures.query_key_value(tokens, vectors, scores, weights, looks)
    texts = written(shown)
    own = 4.0 * looks
    assert f"query of {tokens[looks]!r}\n{own:.1f}  {own + 1:.1f}  {own + 2:.1f}  …" in texts
    places = {3: [2, 3, 4], 1: [0, 3, 4]}[looks]
    shown_tokens = [text.strip("'") for text in texts if text.strip("'") in tokens]
    assert shown_tokens == [tokens[place] for place in places]
    for place in places:
        assert repr(tokens[place]) in texts
        assert f"key\n{-4.0 * place:.1f}  {-4.0 * place - 1:.1f}  {-4.0 * place - 2:.1f}  …" in texts
        assert f"score {5.0 * looks + place:.1f}" in texts
        assert f"weight {weights[looks, place]:.2f}" in texts
    assert sum(text.startswith("value\n") for text in texts) == 3
    assert f"what the head makes for {tokens[looks]!r}: {own + 0.5:.1f}  {own + 1.5:.1f}  {own + 2.5:.1f}  …" in texts
    assert not any(text.get_parse_math() for text in shown.axes.texts if text.get_text())
    rest = {3: 0.2, 1: 0.15}[looks]
    assert f"and the other 2 tokens {rest:.2f} together" in shown.caption


def test_patterns_are_said_to_be_beyond_every_twin_and_large():
    names = ["itself", "previous", "next"]
    first = pd.DataFrame({"pattern": names, "weight": [0.2, 0.9, 0.6], "difference low": [0.1, 0.5, 0.2]})
    other = first.assign(**{"difference low": [0.05, 0.4, -0.1]})
    assert figures.patterns_in_words([first, other]).splitlines() == [
        "beyond every twin's clearest head, by an interval each: itself, previous",
        "large, more than half of a head's weight: previous, next",
        "beyond the twins, and yet not large: itself",
    ]
    none = first.assign(**{"weight": 0.1, "difference low": -1.0})
    assert [line.endswith(": none") for line in figures.patterns_in_words([none]).splitlines()] == [True] * 3


def test_the_head_that_is_missed_most_is_said_beside_the_clear_previous_heads():
    change = pd.DataFrame({"layer": [1, 0, 0], "head": [0, 1, 0], "change": [0.5, 0.25, 0.125]})
    said = figures.missed_head_in_words(change, measured(), ["previous", "next"])
    assert said.splitlines() == [
        "missed most: head 0 of layer 1; of previous, next it looks most at 'previous', with 0.30",
        "(a uniform head would have 0.12)",
        "rises without those that give the piece before more than half of their weight:",
        "0.25 (head 1 of layer 0)",
    ]

"""The figures of attention are tested on the data they draw, and on the numbers that their captions name."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch

from bertlab.attention import figures
from rounding import assert_rounded_equal

TOKENS = ["[CLS]", "cat", "[SEP]"]
WEIGHTS = torch.tensor([[0.1, 0.2, 0.7], [0.3, 0.6, 0.1], [0.5, 0.25, 0.25]])
ROWS = [(1, 0, 0.3, 0.2), (0, 1, 0.9, 0.2), (0, 0, 0.1, 0.1), (1, 1, 0.6, 0.0)]
MEASURED = pd.DataFrame(ROWS, columns=["layer", "head", "previous", "next"]).assign(**{"uniform previous": 0.125})


def panels(shown):
    """Return what each heatmap of a figure draws."""
    return [ax.collections[0].get_array() for ax in shown.axes.figure.axes if ax.get_title()]


def written(shown):
    return {text.get_text() for text in shown.axes.texts if text.get_text()}


@pytest.mark.parametrize(("step", "said"), [(-1, "the token before"), (0, "the token itself"), (1, "the next token")])
def test_the_head_that_is_asked_for_is_drawn_and_the_one_that_looks_most_at_a_neighbour_is_named(step, said):
    most = torch.diag(torch.full((3 - abs(step),), 0.8), step) + 0.05
    reading = SimpleNamespace(
        tokens=TOKENS, attention=torch.stack([torch.zeros(2, 3, 3), torch.stack([WEIGHTS, most])])
    )
    shown = figures.heads_of_layer(reading, layer=1)
    left, right = panels(shown)
    assert_rounded_equal(left, WEIGHTS)
    assert_rounded_equal(right, most)
    assert f"head 1 looks most at one neighbour: on average 0.85 of its weight is on {said}." in shown.caption
    alone = figures.one_head(reading, 1, 0)
    assert_rounded_equal(alone.axes.collections[0].get_array(), WEIGHTS)
    assert (alone.axes.get_xlabel(), alone.axes.get_ylabel()) == ("is looked at", "looks")


def test_matrices_are_drawn_as_they_are_given_with_heads_in_the_row_of_their_layer():
    heads = figures.previous_and_next(MEASURED, texts=7)
    assert_rounded_equal(panels(heads), [[[0.1, 0.9], [0.3, 0.6]], [[0.1, 0.2], [0.2, 0.0]]])
    assert "2 of 4 heads on the previous, 0 on the next piece" in heads.caption
    looks = figures.where_one_looks(TOKENS, [[0.1, 0.8, 0.1], [0.2, 0.2, 0.6]], "[MASK]")
    assert_rounded_equal(looks.axes.collections[0].get_array(), [[0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    effect = torch.tensor([[torch.nan, 2.0, 3.0], [1.0, torch.nan, 3.0], [1.0, 1.0, torch.nan]])
    hidden = figures.masking_effect(TOKENS, effect)
    assert np.ma.getmaskarray(hidden.axes.collections[0].get_array()).diagonal().all()
    assert "Hiding '[SEP]' moves the others most" in hidden.caption


def test_changes_of_the_loss_are_points_with_intervals_in_the_order_of_the_table():
    columns = ["layer", "head", "change", "low", "high", "p"]
    rows = [(1, 2, 0.5, 0.2, 0.9, 0.01), (0, 3, 0.1, 0.01, 0.2, 0.2), (0, 1, -0.1, -0.3, -0.02, 0.02)]
    shown = figures.change_of_loss(pd.DataFrame(rows, columns=columns), (0, 3), texts=40)
    bars = shown.axes.containers
    assert [bar.lines[0].get_xydata().tolist() for bar in bars] == [[[0, 0.5]], [[1, 0.1]], [[2, -0.1]]]
    ends = [bar.lines[2][0].get_segments()[0][:, 1] for bar in bars]
    assert_rounded_equal(np.array(ends), [[0.2, 0.9], [0.01, 0.2], [-0.3, -0.02]])
    assert "it is shown to rise for 1 of them" in shown.caption, "neither where p is large nor where the loss falls"


def test_a_layer_has_this_models_shapes_and_one_token_looks_at_the_three_that_it_gives_most(bert):
    assert {"attention:\n8 heads", "8 × 32", "(256)", "(1,024)"} < written(figures.inside_of_a_layer(bert))
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
    assert "and the other 2 tokens 0.15 together" in shown.caption


def test_patterns_beyond_every_twin_are_said_and_the_head_that_is_missed_most():
    first = pd.DataFrame(
        {"pattern": ["itself", "previous", "next"], "weight": [0.2, 0.9, 0.6], "difference low": [0.1, 0.5, 0.2]}
    )
    other = first.assign(**{"difference low": [0.05, 0.4, -0.1]})
    said = [line.split(": ")[1] for line in figures.patterns_in_words([first, other]).splitlines()]
    assert said == ["itself, previous", "previous, next", "itself"]
    assert "large: none" in figures.patterns_in_words([first.assign(**{"difference low": -1.0})])
    change = pd.DataFrame({"layer": [1, 0, 0], "head": [0, 1, 0], "change": [0.5, 0.25, 0.125]})
    missed = figures.missed_head_in_words(change, MEASURED, ["previous", "next"])
    assert "head 0 of layer 1; of previous, next it looks most at 'previous', with 0.30" in missed
    assert missed.splitlines()[-1] == "0.25 (head 1 of layer 0)"

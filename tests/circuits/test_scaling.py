"""A head turned up or down equals the same head with its values times the factor; off equals lesson 4's switch."""

from copy import deepcopy
from dataclasses import replace

import torch

import bertlab
from bertlab.attention import without_heads
from bertlab.circuits import scaled
from bertlab.masking import word_probabilities
from rounding import assert_rounded_equal

TEXT = "The cat sat on the mat."


def with_values_times(bert, layer, head, factor):
    """Return a copy whose head has its values, which it averages, times a factor."""
    model = deepcopy(bert.model)
    value = model.bert.encoder.layer[layer].attention.self.value
    size = model.config.hidden_size // model.config.num_attention_heads
    with torch.no_grad():
        for weights in (value.weight, value.bias):
            weights[head * size : (head + 1) * size] *= factor
    return replace(bert, model=model)


def test_a_head_times_a_factor_is_one_whose_values_are_times_it(spread):
    found = scaled(spread, {(1, 2): 2.5, (0, 3): -1}).read(TEXT).hidden
    expected = with_values_times(with_values_times(spread, 1, 2, 2.5), 0, 3, -1).read(TEXT).hidden
    assert_rounded_equal(found, expected)
    assert (found - spread.read(TEXT).hidden).abs().max() > 0.01


def test_a_head_times_zero_is_off_and_times_one_is_as_it_was(model):
    with without_heads(model, [(1, 2)]):
        off = model.read(TEXT).hidden
    assert_rounded_equal(scaled(model, {(1, 2): 0}).read(TEXT).hidden, off)
    for nothing in ({}, {(1, 2): 1.0}):
        assert torch.equal(scaled(model, nothing).read(TEXT).hidden, model.read(TEXT).hidden)


def test_the_original_stays_and_the_copys_name_says_what_was_done(bert):
    before = bert.read(TEXT).hidden
    assert scaled(bert, {(2, 7): 2}).name == "bertlab-mini, L2H7 times 2"
    assert torch.equal(bert.read(TEXT).hidden, before)


def right(bert, column="text"):
    """Return at how many [MASK]s of hard or easy sentences the right verb is more probable than the wrong one."""
    table = bertlab.data.read("hard_agreement")
    good, bad = (word_probabilities(bert, table[column].tolist(), table[verb].tolist()) for verb in ("right", "wrong"))
    return (good["probability"] > bad["probability"]).sum()


def test_knobs_move_the_hard_sentences_and_switching_off_costs_the_easy_ones(bert):
    louder, off = scaled(bert, {(2, 7): 2.0}), scaled(bert, {(1, 3): 0.0})
    assert right(louder) >= right(bert) + 5
    assert right(louder, "easy") >= 0.9 * 80 > 0.75 * 80 > right(off, "easy")


def test_an_untrained_twin_gains_nothing_by_them(twin):
    for factors in ({(2, 7): 2.0}, {(1, 3): 0.0}):
        assert abs(right(scaled(twin, factors)) - right(twin)) < 5

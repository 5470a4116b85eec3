"""What is switched off is off, and on again; losses and distances equal those of transformers' own models."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from bertlab.attention.ablation import change_of_loss, masking_effect, without_heads
from bertlab.bert.masked_texts import masked_copies
from bertlab.evidence import interval, ratio
from bertlab.masking.predictions import masked_loss
from rounding import assert_rounded_equal

TEXT = "The cat sat on the mat."
TEXTS = [TEXT, ("Who saw it?", "The cat did."), "no", "It was a dark night, and it rained all day."]


def with_columns_of_zeros(bert, heads):
    """Return a copy in which the columns of the output projections that read these heads are zeros."""
    model = deepcopy(bert.model)
    size = model.config.hidden_size // model.config.num_attention_heads
    for layer, head in heads:
        weight = model.bert.encoder.layer[layer].attention.output.dense.weight
        weight.data[:, head * size : (head + 1) * size] = 0
    return replace(bert, model=model)


@pytest.mark.parametrize("heads", [[(1, 3)], [(1, 2), (0, 1), (1, 0)]])
def test_a_head_that_is_off_equals_a_projection_that_does_not_read_it(spread, heads):
    whole = spread.read(TEXT).hidden
    with without_heads(spread, heads):
        found = spread.read(TEXT).hidden
    assert_rounded_equal(found, with_columns_of_zeros(spread, heads).read(TEXT).hidden)
    first = min(layer for layer, _ in heads)
    assert torch.equal(found[: first + 1], whole[: first + 1])  # before it nothing changes, after it everything
    assert (found[first + 1] - whole[first + 1]).abs().max() > 0.01


def test_all_is_as_before_after_the_block_and_after_an_error_in_it(spread):
    before = spread.read(TEXT).hidden
    with pytest.raises(TypeError), without_heads(spread, [(0, 2), (1, 1)]):
        spread.read(7)
    assert torch.equal(spread.read(TEXT).hidden, before)


@pytest.mark.parametrize("pair", [None, "A dog saw it."])
def test_masking_effect_equals_reading_the_text_with_the_word_mask_in_it(spread, pair):
    found = masking_effect(spread, TEXT, pair).numpy()
    whole = spread.read(TEXT, pair)
    words = ["The", "cat", "sat", "on", "the", "mat", "."]
    for i, place in enumerate(range(1, 8)):
        masked = " ".join([*words[:i], "[MASK]", *words[i + 1 :]])
        moved = spread.read(masked, pair).hidden[-1].numpy() - whole.hidden[-1].numpy()
        others = np.arange(len(found)) != place
        expected = np.sqrt((moved**2).sum(1))[others]
        assert_rounded_equal(found[others, place], expected, scale=whole.hidden[-1].norm(dim=-1))
    special = np.array([token in ("[CLS]", "[SEP]") for token in whole.tokens])
    blank = np.eye(len(special), dtype=bool) | special
    assert np.array_equal(np.isnan(found), blank)


def test_what_is_masked_already_is_not_asked_for_and_a_text_without_a_piece_is_refused(spread):
    assert masked_loss(spread, ["The [MASK] sat."])["piece"].tolist() == ["The", "sat", "."]
    with pytest.raises(ValueError, match="Text 1 has no piece to mask: "):  # it would be missing from the middle
        change_of_loss(spread, [TEXT, ("[MASK]", "[MASK]"), TEXT])
    with pytest.raises(ValueError, match="one piece"):
        masking_effect(spread, "the")


def test_change_of_loss_is_the_difference_of_two_losses_in_the_order_of_the_heads(spread):
    found = change_of_loss(spread, TEXTS)
    assert list(zip(found["layer"], found["head"], strict=True)) == [(i, j) for i in (0, 1) for j in range(4)]
    asked = [(1, 2), (0, 1), (0, 3)]
    table = change_of_loss(spread, TEXTS, asked)
    assert list(zip(table["layer"], table["head"], strict=True)) == asked
    whole = masked_loss(spread, TEXTS)["loss"].mean()
    for row in found.itertuples(index=False):
        without = masked_loss(with_columns_of_zeros(spread, [(row.layer, row.head)]), TEXTS)["loss"].mean()
        assert_rounded_equal(row.loss, without)
        assert_rounded_equal(row.change, without - whole, scale=whole)
        assert row.low < row.change < row.high
    assert found["change"].abs().max() > 1e-3


def test_a_head_that_does_nothing_changes_nothing(spread):
    heads = np.array([(1, 2), (1, 0), (1, 1), (1, 3)])
    found = change_of_loss(with_columns_of_zeros(spread, [(1, 2)]), TEXTS, heads).set_index("head")
    assert_rounded_equal(found.loc[2, ["change", "low", "high"]].astype(float), [0, 0, 0], scale=10)
    assert found["change"].abs().max() > 1e-3


def test_groups_count_by_their_place_whatever_their_index_says(spread):
    groups = ["a", "b", "a", "c"]
    found = change_of_loss(spread, iter(TEXTS), [(0, 1)], groups=pd.Series(groups, index=[3, 2, 1, 0]))
    pd.testing.assert_frame_equal(found, change_of_loss(spread, TEXTS, [(0, 1)], groups=groups))


@pytest.mark.parametrize("groups", [None, ["a", "b", "a", "c"]])
def test_the_interval_draws_texts_or_groups(spread, groups):
    (row,) = change_of_loss(spread, TEXTS, [(0, 1)], groups=groups).itertuples()
    losses = masked_loss(spread, TEXTS)
    with without_heads(spread, [(0, 1)]):
        rises = masked_loss(spread, TEXTS)["loss"] - losses["loss"]
    grouped = rises.groupby(losses["text"]).agg(["sum", "count"]).groupby(groups or [0, 1, 2, 3]).sum()
    expected = interval(grouped["sum"], grouped["count"], statistic=ratio)
    assert_rounded_equal([row.change, row.low, row.high], expected, scale=10)


def test_how_far_it_is_is_shown_batch_by_batch(spread):
    seen = []
    change_of_loss(spread, TEXTS, [(0, 1)], progress=lambda batches: seen.extend(batches) or batches)
    assert sorted(i for batch in seen for i in batch) == list(range(len(masked_copies(spread, TEXTS))))


def test_what_cannot_be_switched_off_or_compared_is_refused(spread):
    for head in ((2, 0), (0, 4)):
        with pytest.raises(IndexError):
            change_of_loss(spread, TEXTS, [(0, 0), head])
    with pytest.raises(ValueError, match="at least two items"):
        change_of_loss(spread, [TEXT])

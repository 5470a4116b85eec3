"""What is switched off is off, and on again; losses equal those of transformers' own models."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch

from bertlab.attention.ablation import change_of_loss, without_heads
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


def test_what_is_masked_already_is_not_asked_for_and_a_text_without_a_piece_is_refused(spread):
    assert masked_loss(spread, ["The [MASK] sat."])["piece"].tolist() == ["The", "sat", "."]
    with pytest.raises(ValueError, match="Text 1 has no piece to mask: "):  # it would be missing from the middle
        change_of_loss(spread, [TEXT, ("[MASK]", "[MASK]"), TEXT])


def test_change_of_loss_is_the_difference_of_two_losses_in_the_order_of_the_heads(spread):
    found = change_of_loss(spread, TEXTS)
    assert list(zip(found["layer"], found["head"], strict=True)) == [(i, j) for i in (0, 1) for j in range(4)]
    asked = [(1, 2), (0, 1), (0, 3)]
    table = change_of_loss(spread, TEXTS, np.array(asked))
    assert list(zip(table["layer"], table["head"], strict=True)) == asked
    assert_rounded_equal(table["loss"], found.set_index(["layer", "head"]).loc[asked, "loss"])
    whole = masked_loss(spread, TEXTS)["loss"].mean()
    for row in found.itertuples(index=False):
        without = masked_loss(with_columns_of_zeros(spread, [(row.layer, row.head)]), TEXTS)["loss"].mean()
        assert_rounded_equal(row.loss, without)
        assert_rounded_equal(row.change, without - whole, scale=whole)
    assert found["change"].abs().max() > 1e-3


def test_a_head_that_is_not_there_is_refused(spread):
    for head in ((2, 0), (0, 4), (-1, 0)):
        with pytest.raises(IndexError):
            change_of_loss(spread, TEXTS, [(0, 0), head])

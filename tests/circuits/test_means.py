"""Heads at their means, and heads alone, compared with transformers' own forward pass and hooks."""

import pytest
import torch

from bertlab.circuits import share_kept, share_lost
from bertlab.circuits.means import left_with_heads, left_without_heads
from bertlab.circuits.patching import differences
from rounding import assert_rounded_equal
from swaps import NUMBERS, PAIRS, WORDS, logits, read

TEXTS = [text for pair in PAIRS for text in pair]


def left(bert, chosen):
    """Return what is left if what `chosen`, (tokens, hidden) for each layer, says is set to its mean, by hooks."""
    swaps = []
    for layer, some in zip(bert.model.bert.encoder.layer, chosen, strict=True):
        seen, dense = [], layer.attention.output.dense
        for text in TEXTS:
            logits(bert, text, [(dense, "input", lambda _module, inputs, seen=seen: seen.append(inputs[0][0].clone()))])
        mean = torch.stack(seen).mean(dim=0)
        swaps.append((dense, "input", lambda _, inputs, mean=mean, some=some: (torch.where(some, mean, inputs[0]),)))
    return [logits(bert, other, swaps) - logits(bert, text, swaps) for text, other in PAIRS]


def none_chosen(bert):
    tokens, hidden = bert.read(PAIRS[0][0]).hidden.shape[1:]
    return torch.zeros(bert.model.config.num_hidden_layers, tokens, hidden, dtype=torch.bool)


def test_one_head_at_its_mean_leaves_what_the_whole_model_leaves_with_hooks(spread):
    found = left_without_heads(spread, *read(spread))
    size = spread.model.config.hidden_size // spread.model.config.num_attention_heads
    for layer, head in torch.cartesian_prod(*map(torch.arange, found.shape[:2])).tolist():
        chosen = none_chosen(spread)
        chosen[layer, :, head * size : (head + 1) * size] = True
        assert_rounded_equal(found[layer, head], left(spread, chosen), scale=20)
    whole = differences(*read(spread))
    assert ((found - whole).abs() > 1e-3).any(dim=-1).all()
    assert_rounded_equal(share_lost(spread, PAIRS, WORDS), 1 - found.mean(dim=-1) / whole.mean(), scale=100)


def test_heads_alone_leave_what_the_whole_model_leaves_with_hooks(spread):
    kept = [(0, 1, [2, 3]), (1, 3, [5]), (1, 2, range(2))]
    size = spread.model.config.hidden_size // spread.model.config.num_attention_heads
    chosen = ~none_chosen(spread)
    for layer, head, positions in kept:
        for position in positions:
            chosen[layer, position, head * size : (head + 1) * size] = False
    other, found = left_with_heads(spread, *read(spread), [[(0, 2, [1])], kept])
    assert_rounded_equal(found, left(spread, chosen), scale=20)
    whole = differences(*read(spread)).mean()
    shares = torch.stack([other.mean(), found.mean()]) / whole
    assert_rounded_equal(share_kept(spread, PAIRS, WORDS, [[(0, 2, [1])], kept]), shares, scale=100)


def test_all_heads_kept_leave_all_and_none_leave_what_needs_no_head(model):
    layers, tokens, _ = none_chosen(model).shape
    everything = [(i, j, range(tokens)) for i in range(layers) for j in range(model.model.config.num_attention_heads)]
    found = share_kept(model, PAIRS[:1], WORDS, [everything, []])
    assert_rounded_equal(found, [1, 0], scale=100)  # without heads [MASK] sees itself only


def four_suffice(bert, pairs):
    """Assert what lesson 9 says of the four heads."""
    four = [(1, 2, [1]), (1, 3, [3]), (2, 7, [6]), (3, 0, [6])]
    others = [(1, 4, [1]), (1, 5, [3]), (2, 2, [6]), (3, 6, [6])]
    of_four, of_others = share_kept(bert, pairs, NUMBERS, [four, others])
    assert 0.8 < of_four < 1.2
    assert abs(of_others) < 0.1
    lost = share_lost(bert, pairs, NUMBERS)
    assert divmod(int(lost.argmax()), 8) == (2, 7)
    assert lost[2, 7] > 0.5
    assert lost[1, 2] > 0.3
    assert lost.flatten().sort().values[-3] < 0.3


def test_four_heads_are_enough_for_the_subjects_number(bert, pairs):
    four_suffice(bert, pairs)


def test_in_an_untrained_twin_they_are_nothing_special(twin, pairs):
    with pytest.raises(AssertionError):
        four_suffice(twin, pairs)

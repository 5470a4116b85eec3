"""What comes with a vector or a head equals what transformers' own forward pass gives if a hook swaps it."""

from functools import partial

import pytest
import torch

import bertlab
from bertlab.circuits import patch_heads, patch_positions, preference, scaled, share_kept, share_lost
from bertlab.circuits.patching import differences, moved_by_heads, moved_by_positions
from rounding import assert_rounded_equal
from swaps import NUMBERS, PAIRS, WORDS, logits, read, swap_head, swap_vector


def test_preferences_are_those_of_the_whole_model(model):
    texts = [text for pair in PAIRS for text in pair]
    assert_rounded_equal(preference(model, texts, WORDS), [logits(model, text) for text in texts], scale=20)


def test_each_vector_swapped_gives_what_the_whole_model_gives_with_a_hook(spread):
    found = moved_by_positions(spread, *read(spread))
    layers, tokens = spread.model.config.num_hidden_layers, len(spread.read(PAIRS[0][0]).tokens)
    assert found.shape == (layers + 1, tokens, len(PAIRS))
    for layer in range(layers + 1):
        for token in range(tokens):
            for number, (text, other) in enumerate(PAIRS):
                changed = logits(spread, text, [swap_vector(spread, other, layer, token)])
                assert_rounded_equal(found[layer, token, number], changed - logits(spread, text), scale=20)
    assert (found.abs().amax(dim=(1, 2)) > 0.1).all(), "a swap makes a difference, whatever the layer"


@pytest.mark.parametrize("position", [None, 2])
def test_each_head_swapped_gives_what_the_whole_model_gives_with_a_hook(spread, position):
    found = moved_by_heads(spread, *read(spread), position)
    config = spread.model.config
    assert found.shape == (config.num_hidden_layers, config.num_attention_heads, len(PAIRS))
    for layer, head in torch.cartesian_prod(*map(torch.arange, found.shape[:2])).tolist():
        for number, (text, other) in enumerate(PAIRS):
            at_mask = spread.read(text).tokens.index(spread.tokenizer.mask_token)
            token = at_mask if position is None else position
            changed = logits(spread, text, [swap_head(spread, other, layer, head, token)])
            assert_rounded_equal(found[layer, head, number], changed - logits(spread, text), scale=20)
    assert (found.abs().amax(dim=-1) > 2e-3).all(), "each head makes a difference"


def test_shares_are_means_of_what_moved_over_the_mean_whole_difference(spread):
    whole = differences(*read(spread))  # their mean may be near zero, so rounding would count if divided by
    expected = [logits(spread, other) - logits(spread, text) for text, other in PAIRS]
    assert_rounded_equal(whole, expected, scale=20)
    for shares, moved in ((patch_positions, moved_by_positions), (patch_heads, moved_by_heads)):
        parts = moved(spread, *read(spread))
        for words in (WORDS, WORDS[::-1]):  # one way around, the whole difference is below zero
            assert_rounded_equal(shares(spread, PAIRS, words), parts.mean(dim=-1) / whole.mean(), scale=100)


def test_each_pair_is_read_once_and_the_model_is_as_before(bert):
    before, read_by = preference(bert, [PAIRS[0][0]], WORDS), []
    for measured in (patch_positions, patch_heads, share_lost, partial(share_kept, sets=[[]])):
        with bert.model.bert.embeddings.register_forward_hook(lambda _, ids, __: read_by.append(len(ids[0]))):
            measured(bert, PAIRS, WORDS)
    assert read_by == [2 * len(PAIRS)] * 4
    assert torch.equal(preference(bert, [PAIRS[0][0]], WORDS), before)


def verb_takes_the_number_from_copies(bert, pairs):
    """Assert what lesson 9 says of the subject's number."""
    positions = patch_positions(bert, pairs, NUMBERS)
    article, noun, preposition, mask = positions[:, [1, 2, 3, 6]].T
    assert noun[1] > 0.7
    assert article[2] > 0.35 > noun[2]
    assert preposition[2] > 0.2
    assert article[2] + preposition[2] > 0.7
    assert mask[3] > 0.6
    at_mask, at_article = patch_heads(bert, pairs, NUMBERS), patch_heads(bert, pairs, NUMBERS, 1)
    assert divmod(int(at_mask.argmax()), 8) == (2, 7)
    assert at_mask.max() > 0.6
    assert divmod(int(at_article.argmax()), 8) == (1, 2)
    assert divmod(int(patch_heads(bert, pairs, NUMBERS, 3).argmax()), 8) == (1, 3)


def test_the_verb_takes_the_number_first_from_the_noun_then_from_its_neighbours_and_then_from_mask(bert, pairs):
    verb_takes_the_number_from_copies(bert, pairs)
    assert (differences(*read(bert, pairs, NUMBERS)) > 0).all()


def test_in_untrained_twins_it_does_not_and_there_is_no_direction(bert, pairs):
    for seed in range(2):
        twin = bertlab.untrained(bert, seed)
        assert differences(*read(twin, pairs, NUMBERS)).mean().abs() < 0.1
        with pytest.raises(AssertionError):
            verb_takes_the_number_from_copies(twin, pairs)


SENTENCE = "The dog near us [MASK] old."


@pytest.mark.parametrize(
    ("pairs", "words", "message"),
    [
        ([(SENTENCE, "The dog [MASK] old.")], WORDS, "the same number of tokens, and these have 7 to 9"),
        ([(SENTENCE, "The dog near us is old.")], WORDS, "has 0 .MASK.s; each sentence needs exactly one"),
        ([(SENTENCE, "The [MASK] near us was old.")], WORDS, "the same position"),
        ([(SENTENCE, SENTENCE)], WORDS, "do not differ at .MASK."),
        ([(SENTENCE, SENTENCE)], [["is"], ["unbelievably"]], "'unbelievably' is not a single piece"),
        ([(SENTENCE, SENTENCE)], [["is"], []], "words must be two lists"),
    ],
)
def test_what_cannot_be_swapped_or_compared_is_refused(bert, pairs, words, message):
    for patch in (patch_positions, patch_heads):
        with pytest.raises(ValueError, match=message):
            patch(bert, pairs, words)


def test_heads_and_positions_that_are_not_there_are_refused(bert):
    for head in ((4, 0), (0, 8), (-1, 0)):
        with pytest.raises(IndexError, match="whole number from 0"):
            scaled(bert, {head: 2.0})
        with pytest.raises(IndexError, match="whole number from 0"):
            share_kept(bert, PAIRS, WORDS, [[(*head, [1])]])
    for position in (9, -1):
        with pytest.raises(IndexError, match=f"position is {position}"):
            patch_heads(bert, PAIRS, WORDS, position)
        with pytest.raises(IndexError, match=f"position is {position}"):
            share_kept(bert, PAIRS, WORDS, [[(0, 0, [position])]])

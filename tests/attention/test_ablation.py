"""What is switched off is off, and on again; losses and distances equal those of transformers' own models."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.stats import wilcoxon
from transformers import BertForMaskedLM

import bertlab
from bertlab.attention.ablation import change_of_loss, masking_effect, without_heads
from bertlab.bert.errors import MissingPartError
from bertlab.masking import masked_loss
from rounding import assert_rounded_equal

TEXT = "The cat sat on the mat."
TEXTS = [
    TEXT,
    ("Who saw it?", "The cat did."),
    "no",
    "It was a dark night, and it rained all day.",
]


@pytest.fixture(scope="module")
def tiny(tiny_folder):
    """The small BERT with weights so spread that a head makes a difference."""
    bert = bertlab.load(tiny_folder)
    with torch.no_grad():
        for values in bert.model.bert.encoder.parameters():
            values.mul_(6)
        for layer in bert.model.bert.encoder.layer:
            layer.attention.self.value.bias.normal_(generator=torch.Generator().manual_seed(1))
    return bert


def hooks(bert):
    """Return how many hooks hang on the projections (elsewhere transformers has hooks of its own)."""
    return sum(len(layer.attention.output.dense._forward_pre_hooks) for layer in bert.model.bert.encoder.layer)


def with_columns_of_zeros(bert, heads):
    """Return a copy in which the columns of the output projections that read these heads are zeros."""
    model = deepcopy(bert.model)
    size = model.config.hidden_size // model.config.num_attention_heads
    for layer, head in heads:
        weight = model.bert.encoder.layer[layer].attention.output.dense.weight
        weight.data[:, head * size : (head + 1) * size] = 0
    return replace(bert, model=model)


@pytest.mark.parametrize("heads", [[(0, 0)], [(1, 3)], [(1, 2), (0, 1), (1, 0)]])
def test_a_head_that_is_off_equals_a_projection_that_does_not_read_it(tiny, heads):
    whole = tiny.read(TEXT).hidden
    expected = with_columns_of_zeros(tiny, heads).read(TEXT).hidden
    with without_heads(tiny, heads):
        found = tiny.read(TEXT).hidden
    assert_rounded_equal(found, expected)
    first = min(layer for layer, _ in heads)
    assert torch.equal(found[: first + 1], whole[: first + 1])  # before it nothing changes, after it everything
    assert (found[first + 1] - whole[first + 1]).abs().max() > 0.01


def test_blocks_within_blocks_switch_off_both(tiny):
    expected = with_columns_of_zeros(tiny, [(0, 2), (1, 1)]).read(TEXT).hidden
    with without_heads(tiny, [(0, 2)]), without_heads(tiny, ([1, 1],)):
        assert_rounded_equal(tiny.read(TEXT).hidden, expected)
    assert hooks(tiny) == 0


def test_all_is_as_before_after_the_block_and_after_an_error_in_it(tiny):
    before = tiny.read(TEXT).hidden
    with without_heads(tiny, [(0, 0), (1, 1)]):
        assert hooks(tiny) == 2
    assert hooks(tiny) == 0
    with pytest.raises(KeyError, match="mine"), without_heads(tiny, [(0, 0), (1, 1)]):
        raise KeyError("mine")
    assert hooks(tiny) == 0
    assert torch.equal(tiny.read(TEXT).hidden, before)


@pytest.mark.parametrize("pair", [None, "A dog saw it."])
def test_masking_effect_equals_reading_the_text_with_the_word_mask_in_it(tiny, pair):
    found = masking_effect(tiny, TEXT, pair).numpy()
    whole = tiny.read(TEXT, pair)
    n = len(whole.tokens)
    assert found.shape == (n, n)
    words, places = ["The", "cat", "sat", "on", "the", "mat", "."], range(1, 8)
    for place in places:
        masked = " ".join("[MASK]" if i == place else w for i, w in zip(places, words, strict=True))
        moved = tiny.read(masked, pair).hidden[-1].numpy() - whole.hidden[-1].numpy()
        expected = np.sqrt((moved**2).sum(1))
        others = np.arange(n) != place
        assert_rounded_equal(found[others, place], expected[others], scale=whole.hidden[-1].norm(dim=-1))
    special = np.array([token in ("[CLS]", "[SEP]") for token in whole.tokens])
    assert np.isnan(found[:, special]).all()
    assert np.isnan(found.diagonal()).all()
    assert np.isnan(found).sum() == n * special.sum() + (~special).sum()


def test_a_text_of_one_piece_has_no_other_to_mask(tiny):
    with pytest.raises(ValueError, match="one piece"):
        masking_effect(tiny, "the")


def test_losses_equal_those_of_transformers_masked_language_model(bert):
    own = BertForMaskedLM.from_pretrained(bert.model.name_or_path, dtype=torch.float32).eval()
    found = masked_loss(bert, TEXTS)
    expected = []
    for number, text in enumerate(TEXTS):
        inputs = bert.tokenizer(*((text,) if isinstance(text, str) else text), return_tensors="pt")
        ids = inputs.pop("input_ids")
        for place, token in enumerate(bert.tokenizer.convert_ids_to_tokens(ids[0])):
            if token in ("[CLS]", "[SEP]"):
                continue
            masked, labels = ids.clone(), torch.full_like(ids, -100)
            labels[0, place], masked[0, place] = ids[0, place], bert.tokenizer.mask_token_id
            with torch.no_grad():
                expected.append((number, place, token, own(input_ids=masked, labels=labels, **inputs).loss.item()))
    assert list(found[["text", "place", "piece"]].itertuples(index=False, name=None)) == [row[:3] for row in expected]
    assert_rounded_equal(found["loss"], [row[3] for row in expected])


def test_a_sample_is_seeded_and_a_part_of_the_whole(tiny):
    every = masked_loss(tiny, TEXTS).set_index(["text", "place"])
    some, again, other = (masked_loss(tiny, TEXTS, per_text=3, seed=seed) for seed in (0, 0, 1))
    assert some.groupby("text").size().tolist() == [3, 3, 1, 3]
    assert some.equals(again)
    assert not masked_loss(tiny, TEXTS, per_text=6).duplicated(["text", "place"]).any()
    assert not some["place"].equals(other["place"])
    for found in (some, other):
        assert found.equals(found.sort_values(["text", "place"])), "in the order of the text"
    picked = every.loc[list(some[["text", "place"]].itertuples(index=False, name=None))]
    assert picked["piece"].tolist() == some["piece"].tolist()
    assert_rounded_equal(picked["loss"], some["loss"])


def test_what_is_masked_already_is_not_asked_for(bert):
    assert masked_loss(bert, ["The [MASK] sat."])["piece"].tolist() == ["the", "sat", "."]
    with pytest.raises(ValueError, match="no piece to mask"):
        masked_loss(bert, ["[MASK]"])


def test_a_text_without_a_piece_is_refused_since_it_would_be_missing_from_the_middle(tiny):
    texts = [TEXT, ("[MASK]", "[MASK]"), TEXT]
    for function in (masked_loss, change_of_loss):
        with pytest.raises(ValueError, match="Text 1 has no piece to mask: "):
            function(tiny, texts)


def test_heads_may_stand_in_an_array(tiny):
    expected = change_of_loss(tiny, TEXTS, [(0, 1), (1, 2)], per_text=2)
    for heads in (expected[["layer", "head"]].to_numpy(), torch.tensor([[0, 1], [1, 2]])):
        assert change_of_loss(tiny, TEXTS, heads, per_text=2).equals(expected)


def test_change_of_loss_is_the_difference_of_two_losses(tiny):
    found = change_of_loss(tiny, TEXTS)
    assert (found["layer"].tolist(), found["head"].tolist()) == ([0] * 4 + [1] * 4, [0, 1, 2, 3] * 2)
    whole = masked_loss(tiny, TEXTS)["loss"].mean()
    for row in found.itertuples(index=False):
        copy = with_columns_of_zeros(tiny, [(row.layer, row.head)])
        without = masked_loss(copy, TEXTS)["loss"].mean()
        assert_rounded_equal(row.loss, without)
        assert_rounded_equal(row.change, without - whole, scale=whole)
        assert row.low < row.change < row.high
    assert found["change"].abs().max() > 1e-3
    assert hooks(tiny) == 0


def test_a_head_that_does_nothing_changes_nothing(tiny):
    copy = with_columns_of_zeros(tiny, [(1, 2)])
    found = change_of_loss(copy, TEXTS, [(1, 2), (1, 0)], per_text=2)
    assert found.loc[0, ["change", "low", "high", "p"]].tolist() == [0, 0, 0, 1]
    assert found.loc[1, "change"] != 0


def test_p_values_are_those_of_wilcoxons_test_over_texts_corrected_for_the_heads(tiny):
    texts = bertlab.data.read("short_texts")["sentence"].tolist()[:12]
    heads = [(0, 1), (1, 2), (0, 3)]
    found = change_of_loss(tiny, texts, heads, per_text=2)
    whole, raw = masked_loss(tiny, texts, per_text=2), []
    for head in heads:
        with without_heads(tiny, [head]):
            rise = masked_loss(tiny, texts, per_text=2)["loss"] - whole["loss"]
        raw.append(wilcoxon(rise.groupby(whole["text"]).sum()).pvalue)
    first, second, third = np.argsort(raw)
    expected = np.empty(3)
    expected[first] = min(3 * raw[first], 1)
    expected[second] = max(min(2 * raw[second], 1), expected[first])
    expected[third] = max(raw[third], expected[second])
    assert_rounded_equal(found["p"], expected, dtype="float64")


def test_what_cannot_be_switched_off_or_compared_is_refused_and_leaves_no_trace(tiny):
    for heads in ([(0, 0), (2, 0)], [(0, 0), (0, 4)]):
        with pytest.raises(IndexError), without_heads(tiny, heads):
            pass
        with pytest.raises(IndexError):
            change_of_loss(tiny, TEXTS, heads)
    with pytest.raises(ValueError, match="at least two items"):
        change_of_loss(tiny, [TEXT])
    with pytest.raises(TypeError, match="list"):
        change_of_loss(tiny, TEXT)
    with pytest.raises(MissingPartError, match="masked-word head"):
        change_of_loss(replace(tiny, missing_parts=("masked-word head",)), TEXTS)
    assert hooks(tiny) == 0

"""Masked copies of texts: made from the tokenizer's ids alone, and refused in words of their own."""

import pytest
import torch

from bertlab.masking.masked_texts import masked_loss, sample

TEXTS = ["The cat sat.", "It was late.", "She saw the cat on the mat."]


def test_the_model_reads_only_the_masked_copies(bert):
    read = []
    handle = bert.model.bert.register_forward_hook(lambda _, __, output: read.append(len(output.last_hidden_state)))
    try:
        copies = sample(bert, TEXTS)
        assert read == []
        masked_loss(bert, TEXTS)
        assert sum(read) == len(copies) == 16
    finally:
        handle.remove()


def test_the_copies_are_those_of_the_readings(bert):
    readings = bert.read_all(TEXTS)
    for copy in sample(bert, TEXTS):
        ids, segments = readings[copy.text].ids.clone(), readings[copy.text].segments
        assert (copy.answer, copy.piece) == (ids[copy.place], readings[copy.text].tokens[copy.place])
        ids[copy.place] = bert.tokenizer.mask_token_id
        assert copy.ids.tolist() == ids.tolist()
        assert copy.segments.tolist() == segments.tolist()


def test_one_string_is_no_list_of_texts(bert):
    with pytest.raises(TypeError, match=r"masked_loss takes a list of texts\. For one text, put it in \[ \]"):
        masked_loss(bert, "It was late.")


@pytest.mark.parametrize("batch_size", [1, 5, 64])
def test_first_is_the_piece_to_which_transformers_own_head_gives_most(bert, batch_size):
    found = masked_loss(bert, TEXTS, batch_size=batch_size)
    for copy, first in zip(sample(bert, TEXTS), found["first"], strict=True):
        with torch.no_grad():
            logits = bert.model(copy.ids[None]).prediction_logits[0, copy.place]
        assert first == bert.tokenizer.convert_ids_to_tokens(int(logits.argmax()))


def test_the_model_is_as_it_was_afterwards(bert):
    before = bert.read(TEXTS[0]).hidden
    masked_loss(bert, TEXTS)
    assert torch.equal(bert.read(TEXTS[0]).hidden, before)

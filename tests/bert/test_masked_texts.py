"""Masked copies of texts are made from the tokenizer's ids alone, and read in batches."""

import pytest
import torch

from bertlab.bert.masked_texts import answers, last_vectors, sample
from rounding import assert_rounded_equal

TEXTS = ["The cat sat.", "It was late.", ("She saw the cat on the mat.", "It slept.")]


def test_the_copies_are_the_readings_with_one_piece_masked_each(bert):
    readings, copies = bert.read_all(TEXTS), sample(bert, TEXTS)
    assert len(copies) == sum(len(set(reading.tokens) - {"[CLS]", "[SEP]"}) for reading in readings) + 2  # "the", "."
    for copy in copies:
        reading = readings[copy.number]
        ids = reading.ids.clone()
        assert (copy.answer, copy.piece) == (ids[copy.place], reading.tokens[copy.place])
        ids[copy.place] = bert.tokenizer.mask_token_id
        assert copy.ids.tolist() == ids.tolist()
        assert copy.segments.tolist() == reading.segments.tolist()


def test_the_model_reads_each_copy_once_and_is_as_it_was_afterwards(bert):
    before, read = bert.read("It was late.").hidden, []
    handle = bert.model.bert.register_forward_hook(lambda _, __, output: read.append(len(output.last_hidden_state)))
    try:
        copies = sample(bert, TEXTS)
        assert read == []
        answers(bert, copies)
        assert sum(read) == len(copies)
    finally:
        handle.remove()
    assert torch.equal(bert.read("It was late.").hidden, before)


def test_vectors_of_a_batch_come_without_its_padding(bert):
    copies = sample(bert, TEXTS)
    assert len({len(copy.ids) for copy in copies}) > 1
    for copy, vectors in zip(copies, last_vectors(bert, copies, batch_size=len(copies)), strict=True):
        with torch.no_grad():
            alone = bert.model.bert(copy.ids[None], token_type_ids=copy.segments[None]).last_hidden_state[0]
        assert_rounded_equal(vectors, alone)


@pytest.mark.parametrize("batch_size", [1, 5, 64])
def test_loss_and_first_piece_are_those_of_transformers_own_head(bert, batch_size):
    copies = sample(bert, TEXTS)
    loss, first = answers(bert, copies, batch_size)
    for copy, own_loss, own_first in zip(copies, loss, first, strict=True):
        with torch.no_grad():
            output = bert.model(copy.ids[None], token_type_ids=copy.segments[None])
        scores = output.prediction_logits[0, copy.place]
        assert own_first == scores.argmax()
        assert_rounded_equal(own_loss, -scores.log_softmax(dim=-1)[copy.answer], scale=scores)

"""Masked copies of texts are made from the tokenizer's ids alone, and read in batches."""

import pytest
import torch

from bertlab.bert.masked_texts import answers, masked_copies
from rounding import assert_rounded_equal

TEXTS = ["The cat sat.", "It was late.", ("She saw the cat on the mat.", "It slept.")]


def test_the_copies_are_the_readings_with_one_piece_masked_each(bert):
    readings, copies = bert.read_all(TEXTS), masked_copies(bert, TEXTS)
    assert len(copies) == sum(len(set(reading.tokens) - {"[CLS]", "[SEP]"}) for reading in readings) + 2  # "the", "."
    for copy in copies:
        reading = readings[copy.number]
        ids = reading.ids.clone()
        assert (copy.answer, copy.piece) == (ids[copy.place], reading.tokens[copy.place])
        ids[copy.place] = bert.tokenizer.mask_token_id
        assert copy.ids.tolist() == ids.tolist()
        assert copy.segments.tolist() == reading.segments.tolist()


@pytest.mark.parametrize("batch_size", [5, 64])
def test_loss_and_first_piece_are_those_of_transformers_without_padding(bert, batch_size):
    copies = masked_copies(bert, TEXTS)
    assert len({len(copy.ids) for copy in copies}) > 1
    for copy, loss, first in zip(copies, *answers(bert, copies, batch_size), strict=True):
        with torch.no_grad():
            output = bert.model(copy.ids[None], token_type_ids=copy.segments[None])
        scores = output.prediction_logits[0, copy.place]
        assert first == scores.argmax()
        assert_rounded_equal(loss, -scores.log_softmax(dim=-1)[copy.answer], scale=scores)

"""Inputs that no notebook holds: each is unlike the shipped BERT's, and every part of the other BERT matters."""

from dataclasses import replace

import pytest
import torch

from bertlab.bert import MissingPartError
from bertlab.checks import cases, inputs
from exercises import check


def test_the_other_bert_has_none_of_the_shipped_ones_numbers(bert):
    mine, other = bert.model.config, inputs.other_bert(bert).model.config
    for name in ("num_hidden_layers", "num_attention_heads", "hidden_size", "vocab_size", "max_position_embeddings"):
        assert getattr(mine, name) != getattr(other, name)
    tokenizers = bert.tokenizer, inputs.other_bert(bert).tokenizer
    assert len({tokenizer.mask_token_id for tokenizer in tokenizers}) == 2


def test_no_bias_of_the_other_bert_is_zero_and_it_is_made_once(bert):
    other = inputs.other_bert(bert)
    assert all(values.abs().mean() > 0.01 for _, values in other.model.named_parameters())
    assert inputs.other_bert(bert) is other
    before = torch.get_rng_state()
    inputs._other_bert.__wrapped__("cpu")
    assert torch.equal(torch.get_rng_state(), before)


def test_sentences_differ_in_length_and_from_check_to_check(bert):
    for model in (bert, inputs.other_bert(bert)):
        lengths = [len(model.tokenizer.tokenize(sentence)) for sentence in inputs.sentences(4)]
        assert lengths[1] < lengths[2] < lengths[0] < lengths[3]
        assert lengths[0] > 10
    assert len({tuple(inputs.sentences(3)) for _ in range(20)}) > 10
    assert "[UNK]" not in inputs.other_bert(bert).read(inputs.sentences(4)[3]).tokens


@pytest.mark.parametrize("number", ["6.2", "6.3"])
def test_a_bert_without_the_masked_word_head_is_said_to_be_one(bert, number):
    with pytest.raises(MissingPartError, match="without its masked-word head"):
        check(number, replace(bert, missing_parts=("masked-word head",)), lambda *_: None)


def test_the_longest_texts_that_chance_can_make_fit_the_smallest_bert(tiny, monkeypatch):
    for name in ("ADJECTIVES", "NOUNS", "VERBS"):
        monkeypatch.setattr(inputs, name, (max(getattr(inputs, name), key=len),))
    assert len(tiny.read_all(cases.gaps())) == 3


def test_the_other_bert_has_the_words_of_exercise_6_3_as_pieces(bert):
    for model in (bert, inputs.other_bert(bert)):
        for _, word, words in cases.CONFUSED_IN_TEXT:
            assert [model.tokenizer.tokenize(each) for each in words] == [[each] for each in words]
            assert word in words

"""Inputs that no notebook holds: each is unlike the shipped BERT's, and every part of the other BERT matters."""

import torch

from bertlab.checks import cases, inputs
from bertlab.pooler import next_sentence


def test_the_other_bert_has_none_of_the_shipped_ones_numbers(bert):
    mine, other = bert.model.config, inputs.other_bert(bert).model.config
    for name in ("num_hidden_layers", "num_attention_heads", "hidden_size", "vocab_size", "max_position_embeddings"):
        assert getattr(mine, name) != getattr(other, name)
    tokenizers = bert.tokenizer, inputs.other_bert(bert).tokenizer
    assert len({tokenizer.mask_token_id for tokenizer in tokenizers}) == 2
    states = mine.num_hidden_layers + 1, other.num_hidden_layers + 1
    assert states[0] // 2 == states[0] - 3 == 2
    assert 2 not in (states[1] // 2, states[1] - 3)


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


def test_exercise_2_3_has_pairs_of_both_kinds_that_a_model_gets_right_by_far(bert):
    for _ in range(3):  # the pairs are made by chance
        sure, following, other = cases.right_for_all(inputs.other_bert(bert))
        assert min(len(following), len(other)) > 5
        assert next_sentence(sure, following).min() > 0.51
        assert next_sentence(sure, other).max() < 0.49


def test_the_places_of_exercise_3_2_are_those_of_the_words(bert):
    places = cases.vector_at()
    assert all(sentence[start : start + len(word)] == word for sentence, word, start in places)
    assert all("[UNK]" in bert.read(sentence).tokens for sentence, *_ in places[:4])
    assert len(bert.tokenizer.tokenize(places[0][1])) > 1, "a split word is among them"

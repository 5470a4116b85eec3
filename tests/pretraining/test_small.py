"""The small BERT of lesson 7: its seed fixes it, and nothing in it is left to chance."""

import torch

from bertlab.pretraining import encode, new_model, word_tokenizer
from rounding import assert_rounded_equal


def test_a_seed_fixes_the_numbers_and_training_mode_changes_none():
    first, again, other = (new_model(9, seed) for seed in (1, 1, 2))
    table = first.bert.embeddings.word_embeddings.weight
    assert torch.equal(table, again.bert.embeddings.word_embeddings.weight)
    assert not torch.equal(table, other.bert.embeddings.word_embeddings.weight)
    ids = encode(word_tokenizer(["cats", "dogs", "purr", "bark"]), [("cats", "purr"), ("dogs",)])
    assert ids.tolist() == [[2, 5, 7, 3], [2, 6, 3, 0]]
    assert_rounded_equal(first.train()(ids).logits, first.eval()(ids).logits)

"""One vector a sentence: the same alone and in any batch, equal to transformers' own tensors, never padding."""

import random

import numpy as np
import pandas as pd
import pytest
import torch

from bertlab.paraphrase import model_similarities
from bertlab.paraphrase.pooling import POOLINGS, mean_of_tokens, pooled_vectors, sentence_vectors
from bertlab.paraphrase.similarity import pair_cosines
from pooled import POOLED_BY_HAND
from rounding import assert_rounded_equal

TEXTS = [
    "It rained.",
    "The cat sat on the mat, and the dog lay beside it all the long afternoon.",
    "Stop!",
    "In 1995, the last survey, those numbers were equal.",
    "The last time the survey was conducted, in 1995, those numbers matched.",
    "Nobody had counted the unquestionableness of it.",
]


def alone(model, text, pooling, layer):
    """Read one text by itself with transformers, as the lessons' sources do, and pool it with numpy."""
    inputs = model.tokenizer(text, return_tensors="pt")
    with torch.no_grad():
        hidden = model.model.bert(**inputs, output_hidden_states=True).hidden_states[layer][0].double().numpy()
    return POOLED_BY_HAND[pooling](hidden)


@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize("layer", [-1, 0, 1])
def test_vectors_equal_single_runs_in_any_batch_size_and_order(model, pooling, layer):
    expected = {text: alone(model, text, pooling, layer) for text in TEXTS}
    for batch_size in (1, 4, 32):
        texts = random.Random(batch_size).sample(TEXTS, len(TEXTS))
        vectors = sentence_vectors(model, texts, pooling, layer, batch_size)
        assert_rounded_equal(vectors, np.stack([expected[text] for text in texts]))


def test_several_poolings_in_one_pass_are_those_of_one_each_and_progress_sees_every_batch(bert):
    wanted, seen = [("cls", -1), ("max", 1), ("mean", 0)], []
    found = pooled_vectors(bert, TEXTS, wanted, 4, progress=lambda batches: seen.extend(batches) or batches)
    for vectors, (pooling, layer) in zip(found, wanted, strict=True):
        assert_rounded_equal(vectors, sentence_vectors(bert, TEXTS, pooling, layer, 2))
    assert [len(batch) for batch in seen] == [4, 2]


def test_a_pooling_that_is_not_there_is_refused(bert):
    with pytest.raises(ValueError, match=f"there are {', '.join(POOLINGS)}"):
        sentence_vectors(bert, TEXTS, "average")


def test_what_is_not_one_in_a_mask_is_no_token_and_each_token_has_its_number():
    hidden = torch.tensor([[[1.0], [3.0], [9.0], [9.0]]])
    assert mean_of_tokens(hidden, torch.tensor([[1, 1, -1, torch.nan]])).tolist() == [[2.0]]
    assert POOLINGS["max"](hidden, torch.tensor([[True, True, False, False]])).tolist() == [[3.0]]
    with pytest.raises(ValueError, match=r"one number per token, and its shape is \(5, 4\)"):
        mean_of_tokens(hidden, torch.ones(5, 4))


def test_a_new_pooling_is_one_entry_in_one_mapping(bert, monkeypatch):
    monkeypatch.setitem(POOLINGS, "twice", lambda hidden, mask: 2 * mean_of_tokens(hidden, mask))
    vectors = sentence_vectors(bert, TEXTS, "twice")
    assert_rounded_equal(vectors, np.stack([2 * alone(bert, text, "mean", -1) for text in TEXTS]))
    found = model_similarities(bert, pd.DataFrame({"first": TEXTS[:3], "second": TEXTS[3:]}))
    assert_rounded_equal(found["twice"], pair_cosines(vectors))

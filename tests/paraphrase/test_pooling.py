"""One vector a sentence: the same alone and in any batch, equal to transformers' own tensors, never padding."""

import random

import numpy as np
import pandas as pd
import pytest
import torch

import bertlab
from bertlab.paraphrase.pooling import POOLINGS, pool, pooled_vectors, sentence_vectors
from rounding import assert_rounded_equal

TEXTS = [
    "It rained.",
    "The cat sat on the mat, and the dog lay beside it all the long afternoon.",
    "Stop!",
    "In 1995, the last survey, those numbers were equal.",
    "The last time the survey was conducted, in 1995, those numbers matched.",
    "Nobody had counted the unquestionableness of it.",
    "She sings.",
]


@pytest.fixture(params=["shipped", "tiny"])
def model(request, bert, tiny_folder):
    return bert if request.param == "shipped" else bertlab.load(tiny_folder)


def alone(model, text, pooling, layer):
    """Read one text by itself with transformers, as the lessons' sources do, and pool it with plain torch."""
    inputs = model.tokenizer(text, return_tensors="pt")
    with torch.no_grad():
        hidden = model.model.bert(**inputs, output_hidden_states=True).hidden_states[layer][0]
    return {"cls": hidden[0], "mean": torch.mean(hidden, dim=0), "max": torch.max(hidden, dim=0)[0]}[pooling]


class TestSentenceVectors:
    @pytest.mark.parametrize("pooling", POOLINGS)
    @pytest.mark.parametrize("layer", [-1, 0, 1])
    def test_equals_single_runs_in_any_batch_size_and_order(self, model, pooling, layer):
        expected = {text: alone(model, text, pooling, layer) for text in TEXTS}
        for batch_size in (1, 2, 3, 32):
            texts = random.Random(batch_size).sample(TEXTS, len(TEXTS))
            found = sentence_vectors(model, texts, pooling, layer, batch_size)
            wanted = torch.stack([expected[text] for text in texts])
            assert_rounded_equal(found, wanted)

    def test_mean_of_the_last_layer_is_the_default(self, bert):
        assert_rounded_equal(sentence_vectors(bert, TEXTS[:1])[0], alone(bert, TEXTS[0], "mean", -1))

    def test_gives_plain_float32_tensors_that_need_no_gradient(self, bert):
        found = sentence_vectors(bert, TEXTS)
        assert (found.dtype, found.device.type, found.requires_grad) == (torch.float32, "cpu", False)
        assert found.shape == (len(TEXTS), bert.model.config.hidden_size)

    def test_one_text_twice_gives_one_vector_twice(self, bert):
        found = sentence_vectors(bert, ["It rained.", *TEXTS, "It rained."])
        assert_rounded_equal(found[0], found[-1])

    def test_several_poolings_in_one_pass_are_those_of_one_each(self, bert):
        wanted = [("cls", -1), ("max", 1), ("mean", 0)]
        for found, (pooling, layer) in zip(pooled_vectors(bert, TEXTS, wanted, 2), wanted, strict=True):
            assert_rounded_equal(found, sentence_vectors(bert, TEXTS, pooling, layer, 2))

    def test_progress_sees_every_batch(self, bert):
        seen = []
        pooled_vectors(bert, TEXTS, [("mean", -1)], 3, progress=lambda batches: seen.extend(batches) or batches)
        assert sorted(i for batch in seen for i in batch) == list(range(len(TEXTS)))
        assert [len(batch) for batch in seen] == [3, 3, 1]

    def test_a_pooling_is_refused_before_anything_is_computed(self, bert):
        seen = []
        with pytest.raises(ValueError, match="no pooling 'sum'"):
            pooled_vectors(bert, TEXTS, [("mean", -1), ("sum", -1)], progress=lambda batches: seen.append(1) or batches)
        assert seen == []

    @pytest.mark.parametrize("pooling", POOLINGS)
    def test_a_model_in_half_precision_is_pooled_in_float32(self, tiny_folder, pooling):
        model = bertlab.load(tiny_folder)
        model.model.bfloat16()
        with torch.no_grad():
            hidden = model.model.bert(**model.tokenizer(TEXTS[1], return_tensors="pt")).last_hidden_state[0].double()
        by_numpy = {"cls": hidden[0].numpy(), "mean": hidden.numpy().mean(axis=0), "max": hidden.numpy().max(axis=0)}
        (found,) = sentence_vectors(model, TEXTS[1:2], pooling)
        assert_rounded_equal(found, by_numpy[pooling])

    @pytest.mark.parametrize(
        ("texts", "options", "error", "says"),
        [
            ([], {}, ValueError, "the list is empty"),
            ("It rained.", {}, TypeError, "put it in"),
            ([("It rained.", "It did.")], {}, TypeError, "a tuple"),
            (pd.DataFrame({"first": TEXTS[:2]}), {}, TypeError, "this is a table"),
            ({"It rained."}, {}, TypeError, "this is set"),
            (None, {}, TypeError, "this is NoneType"),
            (["It rained.", None], {}, TypeError, "Text 1 of 2 must be a string"),
            (["It rained.", " "], {}, ValueError, "Text 1 of 2 is empty"),
            (["word " * 3000], {}, ValueError, "Nothing was cut off"),
            (TEXTS, {"pooling": "average"}, ValueError, "no pooling 'average'; there are 'cls', 'mean', 'max'"),
            (TEXTS, {"layer": 9}, ValueError, "no layer 9"),
            (TEXTS, {"layer": -6}, ValueError, "no layer -6"),
            (TEXTS, {"layer": 1.0}, ValueError, "no layer 1.0"),
            (TEXTS, {"layer": True}, ValueError, "no layer True"),
            (TEXTS, {"batch_size": 0}, ValueError, "batch_size is 0"),
        ],
    )
    def test_bad_input_is_refused(self, bert, texts, options, error, says):
        with pytest.raises(error, match=says):
            sentence_vectors(bert, texts, **options)

    def test_texts_may_be_a_column_or_come_one_by_one(self, bert):
        expected = sentence_vectors(bert, TEXTS[:3])
        for texts in (pd.Series(TEXTS[:3], index=[2, 0, 1]), np.array(TEXTS[:3]), (text for text in TEXTS[:3])):
            assert torch.equal(sentence_vectors(bert, texts), expected)

    def test_training_mode_is_refused(self, tiny_folder):
        model = bertlab.load(tiny_folder)
        model.model.train()
        with pytest.raises(ValueError, match="training mode"):
            sentence_vectors(model, TEXTS)


class TestPool:
    HIDDEN = torch.tensor([[[1.0, -4.0], [3.0, -2.0], [100.0, 100.0]]])

    @pytest.mark.parametrize(("pooling", "by_hand"), [("cls", [1, -4]), ("mean", [2, -3]), ("max", [3, -2])])
    def test_padding_does_not_count(self, pooling, by_hand):
        assert pool(self.HIDDEN, torch.tensor([[1, 1, 0]]), pooling).tolist() == [by_hand]

    def test_not_even_if_it_is_no_number(self):
        hidden = self.HIDDEN.clone()
        hidden[0, 2] = float("nan")
        assert pool(hidden, torch.tensor([[1, 1, 0]]), "mean").tolist() == [[2, -3]]

    def test_unknown_pooling(self):
        with pytest.raises(ValueError, match="no pooling 'sum'"):
            pool(self.HIDDEN, torch.tensor([[1, 1, 1]]), "sum")

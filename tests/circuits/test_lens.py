"""The guesses after each layer equal those of a model that has no more layers."""

from copy import deepcopy
from dataclasses import replace

import pytest
import torch

import bertlab
from bertlab.bert.masked_texts import masked_copies
from bertlab.circuits import logit_lens
from bertlab.masking.predictions import masked_loss
from rounding import assert_rounded_equal

TEXTS = ["The cat sat on the mat.", ("Who saw it?", "The cat did."), "It was a dark night, and it rained all day."]


def cut_after(bert, layers):
    """Return a BERT that ends after so many layers."""
    model = deepcopy(bert.model)
    model.bert.encoder.layer = model.bert.encoder.layer[:layers]
    return replace(bert, model=model)


def share_first(bert):
    """Return the share of pieces, each masked once, that the whole model guesses."""
    first = []
    for copy in masked_copies(bert, TEXTS):
        with torch.no_grad():
            scores = bert.model(copy.ids[None], token_type_ids=copy.segments[None]).prediction_logits
        first.append(int(scores[0, copy.place].argmax()) == copy.answer)
    return sum(first) / len(first)


def test_a_layers_guess_is_that_of_a_model_that_ends_there(model):
    lens = logit_lens(model, TEXTS)
    for layers, row in lens.iterrows():
        pieces = masked_loss(cut_after(model, layers), TEXTS)
        assert_rounded_equal(row["loss"], pieces["loss"].mean(), scale=100)
        assert row["first"] == pytest.approx(share_first(cut_after(model, layers)))
    assert lens.index.tolist() == list(range(model.model.config.num_hidden_layers + 1))


def guesses_grow(bert, texts):
    lens = logit_lens(bert, texts)
    assert (lens["loss"].diff().dropna() < -0.5).all()
    assert lens["first"].iloc[0] < 0.02
    assert lens["first"].iloc[-1] > 0.3


def test_in_the_trained_model_the_guess_grows_layer_by_layer(bert):
    guesses_grow(bert, bertlab.data.read("unseen_sentences")["sentence"].tolist()[:40])


def test_in_an_untrained_twin_it_does_not(twin):
    with pytest.raises(AssertionError):
        guesses_grow(twin, TEXTS)

"""One head equals what transformers' own modules compute."""

import pytest
import torch

from bertlab.attention.layer import head_output, head_weights
from rounding import assert_rounded_equal


@pytest.fixture(scope="module", params=["shipped", "tiny", "odd"])
def model(request, bert, tiny, odd):
    """The shipped BERT, the small one, and one with sharp heads, another activation and a large epsilon."""
    return {"shipped": bert, "tiny": tiny, "odd": odd}[request.param]


@pytest.fixture(scope="module")
def theirs(model):
    """What transformers computes for a pair: hidden states and attention weights."""
    inputs = model.tokenizer("Who sat on the mat?", "The cat did.", return_tensors="pt")
    with torch.no_grad():
        output = model.model.bert(**inputs, output_hidden_states=True, output_attentions=True)
    return [hidden[0] for hidden in output.hidden_states], [weights[0] for weights in output.attentions]


def test_every_head_has_the_models_own_weights(model, theirs):
    hidden, attention = theirs
    for layer, weights in enumerate(attention):
        for head, expected in enumerate(weights):
            found = head_weights(model, hidden[layer], layer, head)
            assert_rounded_equal(found, expected)
            assert not found.requires_grad


def test_the_heads_side_by_side_are_what_the_models_own_attention_returns(model, theirs):
    hidden, attention = theirs
    for layer, module in enumerate(model.model.bert.encoder.layer):
        with torch.no_grad():
            expected = module.attention.self(hidden[layer][None])[0][0]
        heads = [head_output(model, hidden[layer], layer, head) for head in range(len(attention[layer]))]
        assert_rounded_equal(torch.cat(heads, dim=-1), expected)

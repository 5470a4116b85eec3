"""One head, one layer and weighted norms equal what transformers' own modules compute."""

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertForPreTraining

import bertlab
from bertlab.attention.layer import head_output, head_weights, layer_output, value_contribution, weighted_norms
from bertlab.bert.loading import Bert
from rounding import assert_rounded_equal

TEXTS = [("The cat sat on the mat.", None), ("Who sat on the mat?", "The cat did.")]
SHAPES = ["shipped", "tiny", "odd"]


@pytest.fixture(scope="module")
def models(bert, tiny_folder):
    """The shipped BERT, the small one, and one with sharp heads, another activation and a large epsilon."""
    tiny = bertlab.load(tiny_folder)
    config = BertConfig(
        vocab_size=len(tiny.tokenizer),
        num_hidden_layers=3,
        num_attention_heads=3,
        hidden_size=30,
        intermediate_size=50,
        max_position_embeddings=40,
        hidden_act="relu",
        layer_norm_eps=0.1,
        initializer_range=0.6,
    )
    with torch.random.fork_rng():
        torch.manual_seed(3)
        model = BertForPreTraining._from_config(config, attn_implementation="eager").eval()
        for name, values in model.named_parameters():
            if name.endswith("bias"):  # biases start at zero, and a forgotten one would go unseen
                torch.nn.init.normal_(values, std=0.5)
    return {"shipped": bert, "tiny": tiny, "odd": Bert(model, tiny.tokenizer, "odd")}


def theirs(bert, text, pair):
    """Return what transformers computes for a text: hidden states and attention weights."""
    inputs = bert.tokenizer(text, pair, return_tensors="pt")
    with torch.no_grad():
        output = bert.model.bert(**inputs, output_hidden_states=True, output_attentions=True)
    return [hidden[0] for hidden in output.hidden_states], [weights[0] for weights in output.attentions]


@pytest.mark.parametrize(("text", "pair"), TEXTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_head_has_the_models_own_weights(models, shape, text, pair):
    bert = models[shape]
    hidden, attention = theirs(bert, text, pair)
    for layer, weights in enumerate(attention):
        for head, expected in enumerate(weights):
            found = head_weights(bert, hidden[layer], layer, head)
            assert_rounded_equal(found, expected)
            assert not found.requires_grad


@pytest.mark.parametrize("shape", SHAPES)
def test_the_heads_side_by_side_are_what_the_models_own_attention_returns(models, shape):
    bert = models[shape]
    hidden, attention = theirs(bert, *TEXTS[0])
    for layer, module in enumerate(bert.model.bert.encoder.layer):
        with torch.no_grad():
            expected = module.attention.self(hidden[layer][None])[0][0]
        heads = [head_output(bert, hidden[layer], layer, head) for head in range(len(attention[layer]))]
        assert_rounded_equal(torch.cat(heads, dim=-1), expected)


@pytest.mark.parametrize(("text", "pair"), TEXTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_layer_after_layer_equals_the_whole_encoder(models, shape, text, pair):
    bert = models[shape]
    expected, attention = theirs(bert, text, pair)
    hidden = expected[0]
    for layer in range(len(attention)):
        assert_rounded_equal(layer_output(bert, expected[layer], layer), expected[layer + 1])
        hidden = layer_output(bert, hidden, layer)
    assert_rounded_equal(hidden, expected[-1])


def test_queries_of_zero_look_everywhere_alike_and_one_token_at_itself(models):
    odd = models["odd"]
    module = odd.model.bert.encoder.layer[1].attention.self
    hidden = torch.randn(4, 30, generator=torch.Generator().manual_seed(0))
    before = {name: values.clone() for name, values in module.query.state_dict().items()}
    try:
        for values in module.query.parameters():
            values.data.zero_()
        assert_rounded_equal(head_weights(odd, hidden, 1, 2), torch.full((4, 4), 0.25))
    finally:
        module.query.load_state_dict(before)
    assert head_weights(odd, hidden[:1], 1, 2).tolist() == [[1.0]]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_transformed_vectors_of_all_heads_add_up_to_the_projections_output(models, shape):
    bert = models[shape]
    hidden, attention = theirs(bert, *TEXTS[1])
    for layer, module in enumerate(bert.model.bert.encoder.layer):
        with torch.no_grad():
            expected = module.attention.output.dense(module.attention.self(hidden[layer][None])[0])[0]
        summed = module.attention.output.dense.bias.detach().clone()
        for head, weights in enumerate(attention[layer]):
            summed = summed + weights @ value_contribution(bert, hidden[layer], layer, head)
        assert_rounded_equal(summed, expected)


def test_a_heads_transformed_vectors_are_kobayashis_with_its_own_blocks_of_both_matrices(models):
    odd = models["odd"]
    reading = odd.read(TEXTS[0][0])
    state = {name: values.double().numpy() for name, values in odd.model.bert.encoder.layer[2].state_dict().items()}
    into = state["attention.self.value.weight"].T.reshape(30, 3, 10)  # (hidden, heads, head size)
    bias = state["attention.self.value.bias"].reshape(3, 10)
    out = state["attention.output.dense.weight"].T.reshape(3, 10, 30)  # (heads, head size, hidden)
    x = reading.hidden[2].double().numpy()
    for head in range(3):
        expected = (x @ into[:, head] + bias[head]) @ out[head]
        assert_rounded_equal(value_contribution(odd, reading.hidden[2], 2, head), expected)


def test_weighted_norms_are_lengths_of_weighted_vectors_one_by_one(models):
    odd = models["odd"]
    reading = odd.read("The cat.")
    found = weighted_norms(odd, reading)
    assert found.shape == reading.attention.shape
    for layer, head in np.ndindex(3, 3):
        vectors = value_contribution(odd, reading.hidden[layer], layer, head)
        for i, j in np.ndindex(tuple(found.shape[2:])):
            expected = float(reading.attention[layer, head, i, j]) * np.linalg.norm(vectors[j].double().numpy())
            assert_rounded_equal(found[layer, head, i, j], expected)


@pytest.mark.parametrize("function", [head_weights, head_output, value_contribution])
@pytest.mark.parametrize(("layer", "head", "words"), [(4, 0, "4"), (0, -1, "no head -1"), (0, 8, "no head 8")])
def test_a_layer_or_head_that_does_not_exist_is_refused(bert, function, layer, head, words):
    with pytest.raises(IndexError, match=words):
        function(bert, torch.zeros(3, 256), layer, head)


def test_a_batch_is_not_taken_for_one_text(bert):
    for function in (head_weights, head_output, value_contribution):
        with pytest.raises(ValueError, match=r"\(5, 3, 256\)"):
            function(bert, torch.zeros(5, 3, 256), 0, 0)


def test_a_reading_without_attention_is_refused(models):
    (blind,) = models["odd"].read_all(["The cat sat."])
    with pytest.raises(ValueError, match="holds no attention weights"):
        weighted_norms(models["odd"], blind)

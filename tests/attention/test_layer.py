"""One head, one layer and weighted norms equal what transformers' own modules compute."""

import re

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


def test_a_reading_gives_what_the_functions_take(bert):
    reading = bert.read("The cat sat on the mat.")
    assert_rounded_equal(head_weights(bert, reading.hidden[2], 2, 5), reading.attention[2, 5])
    assert_rounded_equal(layer_output(bert, reading.hidden[3], 3), reading.hidden[4])


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


FUNCTIONS = [head_weights, head_output, value_contribution]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    ("layer", "head", "what"), [(-1, 0, "layer -1"), (4, 0, "layer 4"), (0, -1, "head -1"), (0, 8, "head 8")]
)
def test_a_layer_or_head_that_does_not_exist_is_refused(bert, function, layer, head, what):
    with pytest.raises(IndexError, match=f"no {what}: this BERT has .*, counted from 0"):
        function(bert, torch.zeros(3, 256), layer, head)


def test_a_layer_that_does_not_exist_has_no_output(bert):
    with pytest.raises(IndexError, match="no layer 4: this BERT has 4, counted from 0 to 3"):
        layer_output(bert, torch.zeros(3, 256), 4)


@pytest.mark.parametrize("shape", [(256,), (5, 3, 256), (3, 255), (0, 256)])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_does_not_enter_a_layer_is_refused(bert, function, shape):
    with pytest.raises(ValueError, match=re.escape(str(shape))):
        function(bert, torch.zeros(shape), 0, 0)
    with pytest.raises(ValueError, match=re.escape(str(shape))):
        layer_output(bert, torch.zeros(shape), 0)


def test_a_reading_is_no_hidden_and_hidden_is_no_reading(bert):
    reading = bert.read("The cat sat.")
    with pytest.raises(TypeError, match=r"reading\.hidden\[layer\], and this is Reading"):
        head_weights(bert, reading, 0, 0)
    with pytest.raises(TypeError, match=r"takes a reading.*got Tensor"):
        weighted_norms(bert, reading.hidden)


def test_a_reading_without_attention_or_of_another_bert_is_refused(models):
    (blind,) = models["odd"].read_all(["The cat sat."])
    with pytest.raises(ValueError, match="holds no attention weights"):
        weighted_norms(models["odd"], blind)
    with pytest.raises(ValueError, match=r"\(3, 3, 30\), and bertlab-mini has \(4, 8, 256\)"):
        weighted_norms(models["shipped"], models["odd"].read("The cat sat."))


@pytest.mark.parametrize("number", [np.int64(1), torch.tensor(1)])
def test_a_whole_number_of_another_library_will_do(bert, number):
    hidden = bert.read("The cat sat.").hidden[1]
    assert torch.equal(head_weights(bert, hidden, number, number), head_weights(bert, hidden, 1, 1))


@pytest.mark.parametrize("number", [True, 1.0, "1", None])
def test_what_is_no_whole_number_counts_no_layer_and_no_head(bert, number):
    hidden = bert.read("The cat sat.").hidden[1]
    with pytest.raises(IndexError, match=re.escape(f"no layer {number!r}: this BERT has 4")):
        head_weights(bert, hidden, number, 0)
    with pytest.raises(IndexError, match=re.escape(f"no head {number!r}: this BERT has 8")):
        head_weights(bert, hidden, 0, number)


def test_a_reading_of_another_bert_of_the_same_shape_is_refused(bert, twin):
    another_twin = bertlab.untrained(bert, seed=1)
    for text in ("The cat sat on the mat.", "The cat sat on the mat, and " * 15):
        for reader, model in ((twin, bert), (bert, twin), (another_twin, twin)):
            with pytest.raises(ValueError, match=rf"not made by {model.name} as it is now.*Read the text again"):
                weighted_norms(model, reader.read(text))


@pytest.mark.parametrize("layer", [0, 3])
def test_a_reading_from_before_weights_were_changed_is_refused(bert, layer):
    reading = bert.read("The cat sat on the mat.")
    weights = bert.model.bert.encoder.layer[layer].attention.self.key.weight
    before = weights.detach().clone()
    try:
        weights.data *= 1.1
        with pytest.raises(ValueError, match=f"the weights of layer {layer} were changed since"):
            weighted_norms(bert, reading)
    finally:
        weights.data = before
    assert weighted_norms(bert, reading).isfinite().all()


def test_readings_in_batches_are_a_berts_own(models):
    for bert in models.values():
        for reading in bert.read_all(["The cat sat on the mat.", "It rained.", TEXTS[1]], attention=True):
            assert weighted_norms(bert, reading).shape == reading.attention.shape

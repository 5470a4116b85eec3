"""The BERT of the lessons in functions equals transformers' modules, on batches with padding and on any shape."""

from copy import deepcopy
from dataclasses import replace

import pytest
import torch
from torch.nn import functional as F

from bertlab import reference
from bertlab.checks import parts
from rounding import assert_rounded_equal

TEXTS = [("The cat sat on the mat.", None), ("It rained.", "So we stayed at home, and read."), ("Why?", None)]


@pytest.fixture(scope="module", params=["shipped", "tiny"])
def theirs(request, bert, tiny):
    """A BERT, a batch with padding, and what transformers makes of it."""
    model = {"shipped": bert, "tiny": tiny}[request.param]
    firsts, seconds = zip(*TEXTS, strict=True)
    inputs = model.tokenizer([*firsts], [second or "" for second in seconds], padding=True, return_tensors="pt")
    with torch.no_grad():
        return model, inputs, model.model(**inputs, output_hidden_states=True, output_attentions=True)


def test_all_parts_together_equal_transformers_own(theirs):
    model, inputs, output = theirs
    ids, segments, mask = inputs["input_ids"], inputs["token_type_ids"], inputs["attention_mask"]
    w, heads = reference.numbers(model), model.model.config.num_attention_heads
    hidden = reference.encoder(reference.embed(ids, segments, w["embedding"]), mask, w["layers"], heads)
    for mine, own in zip(hidden, output.hidden_states, strict=True):
        assert_rounded_equal(mine, own)
    assert_rounded_equal(reference.my_bert(ids, segments, mask, w, heads), output.prediction_logits)
    with torch.no_grad():
        assert_rounded_equal(reference.pool(hidden[-1], w["pooler"]), model.model.bert.pooler(hidden[-1]))
        one = reference.my_bert(ids[0], segments[0], mask[0], w, heads)
    assert_rounded_equal(one, output.prediction_logits[0])


def test_another_curve_than_gelu_is_told_and_a_missing_head_has_no_numbers(tiny):
    odd = replace(tiny, model=deepcopy(tiny.model))
    odd.model.config.hidden_act = "relu"
    with pytest.raises(ValueError, match="has relu in its layers, and the BERT of these lessons has GELU"):
        reference.numbers(odd)
    assert "words" not in reference.numbers(replace(tiny, missing_parts=("masked-word head",)))


@pytest.mark.parametrize("axes", [(5,), (3, 5)])
class TestAPart:
    """On numbers that are drawn, a text and a batch with padding."""

    @pytest.fixture(autouse=True)
    def _seed(self):
        torch.manual_seed(3)

    def test_of_attention(self, axes):
        query, key, value = torch.randn(3, *axes, 4)
        mask = parts.mask(*axes)
        own = F.scaled_dot_product_attention(query, key, value, attn_mask=mask[..., None, :] == 1)
        assert_rounded_equal(reference.attention(query, key, value, mask), own)
        x, w = torch.randn(*axes, 12), parts.layer()
        own = parts.their_heads(x, mask, w["attention"], 3)
        assert_rounded_equal(reference.all_heads(x, mask, w["attention"], 3), own)
        assert_rounded_equal(reference.one_layer(x, mask, w, 3), parts.their_hidden(x, mask, [w], 3)[1])

    def test_at_the_end(self, axes):
        hidden, mask, ids = torch.randn(*axes, 12), parts.mask(*axes), parts.ids(*axes)
        own = F.cosine_similarity(hidden, hidden.flip(-2), dim=-1)
        assert_rounded_equal(reference.cosine(hidden, hidden.flip(-2)), own)
        texts = hidden.view(-1, 5, 12)
        own = [text[real == 1].mean(dim=0) for text, real in zip(texts, mask.view(-1, 5), strict=True)]
        assert_rounded_equal(reference.mean_pool(hidden, mask).view(-1, 12), torch.stack(own))
        logits, chosen = torch.randn(*axes, parts.PIECES), ids % 2 == 0
        own = F.cross_entropy(logits.view(-1, parts.PIECES), ids.masked_fill(~chosen, -100).flatten())
        assert_rounded_equal(reference.masked_loss(logits, ids, chosen), own)


def test_a_step_on_the_tensors_changes_the_model_and_the_word_table_stays_the_output(tiny):
    model, heads = deepcopy(tiny.model), tiny.model.config.num_attention_heads
    w, ids = reference.numbers(replace(tiny, model=model)), torch.tensor([[1, 5, 6, 2]])
    found = reference.tensors(w)
    own = [value for name, value in model.named_parameters() if "seq_relationship" not in name]
    assert sorted(tensor.data_ptr() for tensor in found) == sorted(value.data_ptr() for value in own)
    before = reference.my_bert(ids, ids * 0, ids > 0, w, heads)
    before.logsumexp(dim=-1).sum().backward()
    torch.optim.SGD(found, lr=0.1).step()
    after = reference.my_bert(ids, ids * 0, ids > 0, w, heads)
    assert_rounded_equal(after, model(ids).prediction_logits)
    assert not torch.allclose(after, before)

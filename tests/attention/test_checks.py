"""Lesson 4's checks tell blank, right and wrong answers apart, and name the misconception."""

import pytest
import torch

import bertlab
from bertlab.attention.ablation import change_of_loss
from bertlab.checks import attention as checks


def blank(*_):
    return None


class TestReceived:
    def test_blank(self, bert):
        assert checks.received(bert, blank).status == "not yet"

    @pytest.mark.parametrize("right", [lambda w: w.mean(dim=0), lambda w: w.T.mean(-1), lambda w: w.sum(0) / len(w)])
    def test_right(self, bert, right):
        assert checks.received(bert, right).status == "right"

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda w: w.mean(dim=-1), "every token gets the same"),
            (lambda w: w.sum(dim=-1), "sums of the rows, all one"),
            (lambda w: w.sum(dim=0), "divides by how many they are"),
            (lambda w: w.diagonal(), "puts on itself"),
            (lambda w: w.mean(), "one number for the whole matrix"),
            (lambda w: w.amax(dim=0), "the mean is asked for"),
            (lambda w: w[0], "the row of the first token"),
            (lambda w: w.mean(dim=0) + 0.5, "off by"),
        ],
    )
    def test_wrong(self, bert, wrong, named):
        outcome = checks.received(bert, wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message


def head_of_batch(bert, texts, layer, head, *, root=None, dim=-1, fill=float("-inf"), rows=False, after=0):
    """Return one head's weights, right unless one of the last five is changed."""
    inputs = bert.tokenizer(texts, padding=True, return_tensors="pt")
    size = bert.model.config.hidden_size // bert.model.config.num_attention_heads
    hidden = bert.model.bert(**inputs, output_hidden_states=True).hidden_states[layer + after]
    attention = bert.model.bert.encoder.layer[layer].attention.self
    split = [part(hidden).unflatten(-1, (-1, size))[:, :, head] for part in (attention.query, attention.key)]
    scores = torch.einsum("bqd,bkd->bqk", *split) / (root(bert, size) if root else size) ** 0.5
    if fill is not None:
        hide = inputs["attention_mask"] == 0
        scores = scores.masked_fill(hide[:, :, None] if rows else hide[:, None], fill)
    return scores.softmax(dim)


def hidden(bert, size):
    return bert.model.config.hidden_size


class TestHeadOfBatch:
    def test_blank(self, bert):
        assert checks.head_of_batch(bert, blank).status == "not yet"

    @pytest.mark.parametrize("shape", ["shipped", "tiny"])
    def test_right(self, bert, tiny_folder, shape):
        model = bert if shape == "shipped" else bertlab.load(tiny_folder)
        assert checks.head_of_batch(model, head_of_batch).status == "right"

    @pytest.mark.parametrize(
        ("changed", "named"),
        [
            ({"root": hidden}, "√hidden; a head is smaller"),
            ({"root": lambda b, size: 1}, "not divided by the root"),
            ({"root": lambda b, size: size**2}, "divide by its root"),
            ({"fill": None}, "the mask is forgotten: [PAD]"),
            ({"fill": None, "root": hidden}, "both: the mask is forgotten"),
            ({"dim": 1}, "softmax goes over those who look"),
            ({"dim": 0}, "over the texts of the batch"),
            ({"fill": 0.0}, "e to the power 0 is 1"),
            ({"fill": -1e9, "rows": True}, "the mask hides those who look"),
            ({"rows": True}, "the mask hides those who look"),
            ({"after": 1}, "what leaves the layer"),
        ],
    )
    def test_wrong(self, bert, changed, named):
        outcome = checks.head_of_batch(bert, lambda *given: head_of_batch(*given, **changed))
        assert outcome.status == "not quite"
        assert named in outcome.message

    def test_one_text_at_a_time_has_the_wrong_shape(self, bert):
        outcome = checks.head_of_batch(bert, lambda b, texts, layer, head: b.read(texts[0]).attention[layer, head])
        assert "shape" in outcome.message


def rise(bert, texts, heads):
    return torch.tensor(change_of_loss(bert, texts, heads)["change"].to_numpy())


class TestMoreThanOthers:
    TEXTS = ("The cat sat on the mat.", "It rained all day, and we stayed at home.")

    def outcome(self, bert, answer):
        return checks.more_than_others(bert, self.TEXTS, answer)

    def test_blank(self, bert):
        assert self.outcome(bert, blank).status == "not yet"

    @pytest.mark.parametrize("shape", ["shipped", "tiny"])
    def test_right(self, bert, tiny_folder, shape):
        model = bert if shape == "shipped" else bertlab.load(tiny_folder)
        outcome = self.outcome(model, lambda b, t, head, others: rise(b, t, [head])[0] - rise(b, t, others).mean())
        assert outcome.status == "right"

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda b, t, head, others: rise(b, t, [head])[0], "there is no control"),
            (lambda b, t, head, others: rise(b, t, others).mean() - rise(b, t, [head])[0], "the other way round"),
            (lambda b, t, head, others: rise(b, t, others).mean(), "without the others alone"),
            (lambda b, t, head, others: change_of_loss(b, t, [head])["loss"][0], "not how much it rose"),
            (lambda b, t, head, others: rise(b, t, [head])[0] - rise(b, t, others)[0], "only one of the others"),
            (lambda b, t, head, o: rise(b, t, [head])[0] - rise(b, t, [head, *o]).mean(), "counted among the others"),
            (lambda b, t, head, others: rise(b, t, [head])[0] - rise(b, t, others).sum(), "the mean divides"),
            (lambda b, t, head, others: 7.0, "the same result whatever it is given"),
        ],
    )
    def test_wrong(self, bert, wrong, named):
        outcome = self.outcome(bert, wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message

    def test_the_models_weights_are_as_before(self, bert):
        before = {name: values.clone() for name, values in bert.model.state_dict().items()}
        self.outcome(bert, lambda *_: 0.0)
        assert all(torch.equal(values, before[name]) for name, values in bert.model.state_dict().items())

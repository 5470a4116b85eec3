"""Lesson 5's checks tell blank, right and wrong answers apart, and name the misconception."""

import numpy as np
import pytest
import torch

import bertlab
from bertlab.checks import paraphrase as checks
from bertlab.paraphrase.pooling import sentence_vectors


def blank(*_):
    return None


def verdict(outcome):
    return outcome.status, outcome.message


class TestCosineOfScaled:
    def test_blank(self):
        assert checks.cosine_of_scaled(blank).status == "not yet"

    @pytest.mark.parametrize("right", [lambda c, f: c * f / abs(f), lambda c, f: float(c) if f > 0 else -float(c)])
    def test_right(self, right):
        assert checks.cosine_of_scaled(right).status == "right"

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda c, f: c * f, "length of a vector is divided out"),
            (lambda c, f: c, "Try minus one"),
            (lambda c, f: c / f, "undone already"),
            (lambda c, f: c * abs(f), "turns the vector around"),
            (lambda c, f: -c if f > 0 else c, "wrong way round"),
            (lambda c, f: abs(c), "keep its sign"),
            (lambda c, f: 1.0, "the same result whatever it is given"),
        ],
    )
    def test_wrong(self, wrong, named):
        status, message = verdict(checks.cosine_of_scaled(wrong))
        assert status == "not quite"
        assert named in message


def batch(bert, texts):
    inputs = bert.tokenizer(texts, padding=True, return_tensors="pt")
    with torch.no_grad():
        return bert.model.bert(**inputs).last_hidden_state, inputs["attention_mask"][:, :, None]


def without_mask(bert, texts):
    inputs = bert.tokenizer(texts, padding=True, return_tensors="pt")
    mask = inputs.pop("attention_mask")[:, :, None]
    with torch.no_grad():
        hidden = bert.model.bert(**inputs).last_hidden_state
    return (hidden * mask).sum(dim=1) / mask.sum(dim=1)


def mean(bert, texts):
    hidden, mask = batch(bert, texts)
    return hidden.masked_fill(mask == 0, 0).sum(dim=1) / mask.sum(dim=1)


class TestMeanOfBatch:
    def test_blank(self, bert):
        assert checks.mean_of_batch(bert, blank).status == "not yet"

    @pytest.mark.parametrize("shape", ["shipped", "tiny"])
    def test_right(self, bert, tiny_folder, shape):
        model = bert if shape == "shipped" else bertlab.load(tiny_folder)
        assert checks.mean_of_batch(model, mean).status == "right"

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda hidden, mask: hidden.mean(dim=1), "padding is averaged in"),
            (lambda hidden, mask: (hidden * mask).mean(dim=1), "length of the longest"),
            (lambda hidden, mask: (hidden * mask).sum(dim=1), "these are sums"),
            (lambda hidden, mask: hidden.mean(dim=0), "dim=0 averages over the texts"),
            (lambda hidden, mask: hidden.mean(dim=-1), "over the features"),
            (lambda hidden, mask: hidden[:, 0], "vectors of [CLS]"),
            (lambda hidden, mask: hidden.amax(dim=1), "this is the maximum"),
        ],
    )
    def test_wrong(self, bert, wrong, named):
        status, message = verdict(checks.mean_of_batch(bert, lambda model, texts: wrong(*batch(model, texts))))
        assert status == "not quite"
        assert named in message

    @pytest.mark.parametrize("longest_first", [True, False])
    def test_an_answer_in_the_order_of_length_is_wrong(self, bert, longest_first):
        def by_length(model, texts):
            return sentence_vectors(model, sorted(texts, key=len, reverse=longest_first))

        status, message = verdict(checks.mean_of_batch(bert, by_length))
        assert status == "not quite"
        assert "the rows are right, but in another order" in message

    @pytest.mark.parametrize(("off", "status"), [(1e-3, "not quite"), (1e-6, "right")])
    def test_only_rounding_is_forgiven(self, bert, off, status):
        assert checks.mean_of_batch(bert, lambda model, texts: mean(model, texts) + off).status == status

    def test_wrong_inside_the_model(self, bert):
        assert "give it the attention mask too" in checks.mean_of_batch(bert, without_mask).message

    def test_special_tokens_left_out(self, bert):
        def inner(model, texts):
            return torch.stack([model.read(text).hidden[-1, 1:-1].mean(dim=0) for text in texts])

        assert "they count in this exercise" in checks.mean_of_batch(bert, inner).message


class TestBeyondUnrelated:
    @pytest.fixture
    def given(self):
        chance = torch.Generator().manual_seed(4)
        grades = torch.arange(120) % 6
        cosines = 0.8 + 0.02 * grades + 0.03 * torch.randn(120, generator=chance)
        return cosines[:60], grades[:60].float(), cosines[60:]

    def test_blank(self, given):
        assert checks.beyond_unrelated(*given, blank).status == "not yet"

    @pytest.mark.parametrize(
        "right",
        [
            lambda p, g, t: t > torch.quantile(p[g == 0], 0.95),
            lambda p, g, t: t > np.percentile(p[g == 0].numpy(), 95),
            lambda p, g, t: torch.tensor([bool((p[g == 0] < cosine).float().mean() > 0.95) for cosine in t]),
            lambda p, g, t: t > np.percentile(p[g == 0].numpy(), 95, method="lower"),
            lambda p, g, t: t >= np.percentile(p[g == 0].numpy(), 95, method="higher"),
        ],
    )
    def test_right(self, given, right):
        outcome = checks.beyond_unrelated(*given, right)
        assert outcome.status == "right"
        shown = (given[2] > torch.quantile(given[0][given[1] == 0], 0.95)).sum()
        assert f"{shown} of 60 test pairs" in outcome.message

    @pytest.mark.parametrize("kind", [torch.Tensor.int, torch.Tensor.float, torch.Tensor.tolist, np.asarray, list])
    def test_right_as_true_and_false_or_as_one_and_zero(self, given, kind):
        outcome = checks.beyond_unrelated(*given, lambda p, g, t: kind(t > torch.quantile(p[g == 0], 0.95)))
        assert outcome.status == "right"

    @pytest.mark.parametrize("limit", [0.5, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95])
    def test_any_round_number_is_an_absolute_reading(self, given, limit):
        status, message = verdict(checks.beyond_unrelated(*given, lambda p, g, t: t > limit))
        assert status == "not quite"
        assert message.startswith(f"{limit} is an absolute reading")

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda p, g, t: t > torch.quantile(t, 0.95), "made from the test pairs"),
            (lambda p, g, t: t > torch.quantile(p, 0.95), "all practice pairs"),
            (lambda p, g, t: t > torch.quantile(p[g <= 1], 0.95), "up to grade 1 are taken"),
            (lambda p, g, t: t > torch.quantile(p[g <= 2], 0.95), "up to grade 2 are taken"),
            (lambda p, g, t: t > torch.quantile(p[g < 4], 0.95), "up to grade 3 are taken"),
            (lambda p, g, t: t < torch.quantile(p[g == 0], 0.95), "the other side"),
            (lambda p, g, t: t > torch.quantile(p[g == 0], 0.05), "quantile at 0.05"),
            (lambda p, g, t: t > p[g == 0].mean(), "about half"),
            (lambda p, g, t: t > p[g == 0].max(), "too strict"),
            (lambda p, g, t: (t > 0.9).float().mean(), "the shape of your result"),
            (lambda p, g, t: t > torch.quantile(p[g == 2], 0.95), "pairs of grade 2"),
            (lambda p, g, t: t > torch.quantile(p[g == 0], 0.9), "quantile at 0.9;"),
            (lambda p, g, t: t > torch.quantile(p[g == 1], 0.8), "are not: at ["),
            (lambda p, g, t: torch.quantile(p[g == 0], 0.95), "the shape of your result is (), and ("),
            (lambda p, g, t: (t > 0.9) - (t > 0.95), "raised RuntimeError"),
        ],
    )
    def test_wrong(self, given, wrong, named):
        for _ in range(20):  # a check makes pairs by chance, and what it says must not hang on them
            status, message = verdict(checks.beyond_unrelated(*given, wrong))
            assert status == "not quite"
            assert named in message

"""Lesson 1's checks tell blank, right and wrong answers apart, and name the misconception."""

import pytest
import torch

import bertlab
from bertlab.checks import embedding, reveal


def blank(*_):
    return None


class TestLayerNorm:
    def check(self, answer):
        return embedding.layer_norm(answer)

    def test_blank(self):
        assert self.check(blank).status == "not yet"

    def test_right_in_another_spelling(self):
        def answer(x, weight, bias, eps):
            module = torch.nn.LayerNorm(x.shape[-1], eps=eps)
            module.load_state_dict({"weight": weight, "bias": bias})
            return module(x)

        assert self.check(answer).status == "right"

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (
                lambda x, w, b, e: (x - x.mean(-1, True)) / (x.var(-1, correction=0, keepdim=True) + e).sqrt(),
                "weight and",
            ),
            (lambda x, w, b, e: (x - x.mean(0)) / (x.var(0, correction=0) + e).sqrt() * w + b, "wrong axis"),
            (
                lambda x, w, b, e: (x - x.mean(-1, True)) / (x.std(-1, correction=0, keepdim=True) + e) * w + b,
                "outside the root",
            ),
            (lambda x, w, b, e: (x - x.mean(-1, True)) / (x.var(-1, keepdim=True) + e).sqrt() * w + b, "correction=0"),
            (
                lambda x, w, b, e: (x - x.mean(-1, True)) / (x.var(-1, correction=0, keepdim=True) + e) * w + b,
                "root is missing",
            ),
            (lambda x, w, b, e: x[0], "shape"),
            (lambda x, w, b, e: x, "off by"),
            (lambda x, w, b, e: "done", "returns str"),
            (lambda x, w, b, e: x @ x, "raised RuntimeError"),
        ],
    )
    def test_wrong(self, wrong, named):
        outcome = self.check(wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message

    def test_an_answer_may_change_its_inputs(self):
        def spoils(x, weight, bias, eps):
            right = torch.nn.functional.layer_norm(x.clone(), x.shape[-1:], weight.clone(), bias.clone(), eps)
            x.zero_(), weight.zero_(), bias.zero_()
            return right

        assert self.check(spoils).status == "right"


def pair_embedder(*, segments=None, tokens=None, positions=None, norm=True):
    """Return an answer to exercise 1.2 with one decision made differently."""

    def answer(bert, first, second):
        one, two = bert.tokenizer.tokenize(first), bert.tokenizer.tokenize(second)
        pieces = (tokens or (lambda a, b: ["[CLS]", *a, "[SEP]", *b, "[SEP]"]))(one, two)
        split = len(one) + 2
        kinds = (segments or (lambda n, k: [0] * k + [1] * (n - k)))(len(pieces), split)
        places = (positions or (lambda n, k: list(range(n))))(len(pieces), split)
        layer = bert.model.bert.embeddings
        summed = layer.word_embeddings.weight[bert.tokenizer.convert_tokens_to_ids(pieces)]
        summed = summed + layer.position_embeddings.weight[places] + layer.token_type_embeddings.weight[kinds]
        return layer.LayerNorm(summed) if norm else summed

    return answer


class TestEmbedPair:
    def test_blank(self, bert):
        assert embedding.embed_pair(bert, blank).status == "not yet"

    @pytest.mark.parametrize("shape", ["shipped", "tiny"])
    def test_right_by_hand(self, bert, tiny_folder, shape):
        model = bert if shape == "shipped" else bertlab.load(tiny_folder)
        assert embedding.embed_pair(model, pair_embedder()).status == "right"

    def test_right_by_the_models_own_reading(self, bert):
        assert embedding.embed_pair(bert, lambda b, first, second: b.read(first, second).hidden[0]).status == "right"

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (pair_embedder(segments=lambda n, k: [0] * n), "every token has segment 0"),
            (pair_embedder(segments=lambda n, k: [0] * (k - 1) + [1] * (n - k + 1)), "first [SEP] belongs"),
            (pair_embedder(tokens=lambda a, b: ["[CLS]", *a, "[SEP]", "[CLS]", *b, "[SEP]"]), "only once"),
            (pair_embedder(positions=lambda n, k: [*range(k), *range(n - k)]), "positions run on"),
            (pair_embedder(norm=False), "LayerNorm comes after"),
            (pair_embedder(tokens=lambda a, b: [*a, "[SEP]", *b, "[SEP]"], segments=lambda n, k: [0] * n), "shape"),
        ],
    )
    def test_wrong(self, bert, wrong, named):
        outcome = embedding.embed_pair(bert, wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message


def positions(bert):
    return bert.model.bert.embeddings.position_embeddings.weight.detach()


class TestNeighbourSimilarity:
    def check(self, bert, twin, answer):
        return embedding.neighbour_similarity(bert, twin, answer)

    def test_blank(self, bert, twin):
        assert self.check(bert, twin, blank).status == "not yet"

    @pytest.mark.parametrize("kind", [float, torch.as_tensor], ids=["float", "tensor"])
    def test_right(self, bert, twin, kind):
        def answer(of):
            return kind(torch.cosine_similarity(positions(of)[:-1], positions(of)[1:]).mean())

        outcome = self.check(bert, twin, answer)
        assert outcome.status == "right"
        assert f"{float(answer(bert)):.2f} for bertlab-mini" in outcome.message
        assert f"{float(answer(twin)):.2f} for its untrained twin" in outcome.message

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda of: torch.cosine_similarity(positions(of), positions(of)).mean(), "with itself"),
            (lambda of: (positions(of)[:-1] * positions(of)[1:]).sum(-1).mean(), "dot product"),
            (lambda of: torch.corrcoef(positions(of)).mean(), "off by"),
            (
                lambda of: torch.cosine_similarity(positions(of)[:, None], positions(of)[None], dim=-1).mean(),
                "all pairs",
            ),
            (lambda of: torch.cosine_similarity(positions(of), positions(of).roll(-1, 0)).mean(), "torch.roll"),
            (lambda of: torch.cosine_similarity(positions(of)[:-1], positions(of)[1:]), "shape"),
        ],
    )
    def test_wrong(self, bert, twin, wrong, named):
        outcome = self.check(bert, twin, wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message


class TestReveal:
    def test_no_guess_still_answers(self):
        outcome = reveal(None, 6, "because")
        assert (outcome.status, outcome.message) == ("not yet", "you made no guess. The answer is 6: because")

    def test_right_and_wrong_guesses(self):
        assert reveal(6, 6, "x").status == "right"
        assert reveal("only [CLS]", "only [CLS]", "x").status == "right"
        assert reveal(3, 6, "x").status == "not quite"
        assert reveal("six", 6, "x").status == "not quite"

    def test_a_measured_number_may_be_guessed_nearly(self):
        assert reveal(0.5, 0.52, "x").status == "right"
        assert reveal(0.4, 0.52, "x").status == "not quite"

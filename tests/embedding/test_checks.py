"""Lesson 1's checks tell blank, right and wrong answers apart, and name the misconception."""

import numpy as np
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
            rows = [(row - row.mean()) / torch.sqrt(((row - row.mean()) ** 2).mean() + eps) for row in x]
            return torch.stack(rows) * weight + bias

        assert self.check(answer).status == "right"

    def test_torchs_own_is_a_shortcut(self):
        def module(x, weight, bias, eps):
            made = torch.nn.LayerNorm(x.shape[-1], eps=eps)
            made.load_state_dict({"weight": weight, "bias": bias})
            return made(x)

        for answer in (module, lambda x, w, b, e: torch.nn.functional.layer_norm(x, x.shape[-1:], w, b, e)):
            outcome = self.check(answer)
            assert outcome.status == "not quite"
            assert "the values are right, but by a shortcut: torch's own LayerNorm" in outcome.message

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
            (lambda x, w, b, e: (x - x.mean(-1, True)) / (x.std(-1, keepdim=True) + e) * w + b, "two things"),
            (
                lambda x, w, b, e: (x - x.mean(-1, True)) / x.std(-1, correction=0, keepdim=True) * w + b,
                "epsilon is missing",
            ),
            (lambda x, w, b, e: torch.nn.functional.layer_norm(x, x.shape[-1:], w, None, e), "bias is missing"),
            (lambda x, w, b, e: torch.nn.functional.layer_norm(x, x.shape[-1:], None, b, e), "weight is missing"),
            (lambda x, w, b, e: torch.nn.functional.layer_norm(x, x.shape[-1:], w, b, e)[None], "batch of one"),
            (lambda x, w, b, e: (x - x) / (x - x), "nan"),
            (lambda x, w, b, e: x[0], "shape"),
            (lambda x, w, b, e: x, "this is x, as it was given"),
            (lambda x, w, b, e: 2 * x, "off by"),
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
            x -= x.mean(dim=-1, keepdim=True)  # in place, as all that follows
            x /= (x.square().mean(dim=-1, keepdim=True) + eps).sqrt()
            x *= weight
            x += bias
            weight.zero_(), bias.zero_()
            return x

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

    def test_the_models_own_reading_is_a_shortcut(self, bert):
        outcome = embedding.embed_pair(bert, lambda b, first, second: b.read(first, second).hidden[0])
        assert outcome.status == "not quite"
        assert "the values are right, but by a shortcut: bertlab reads the pair for you" in outcome.message

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (pair_embedder(segments=lambda n, k: [0] * n), "every token has segment 0"),
            (pair_embedder(segments=lambda n, k: [0] * (k - 1) + [1] * (n - k + 1)), "first [SEP] belongs"),
            (pair_embedder(tokens=lambda a, b: ["[CLS]", *a, "[SEP]", "[CLS]", *b, "[SEP]"]), "only once"),
            (pair_embedder(positions=lambda n, k: [*range(k), *range(n - k)]), "positions run on"),
            (pair_embedder(norm=False), "LayerNorm comes after"),
            (pair_embedder(tokens=lambda a, b: ["[CLS]", *a, "[SEP]", *b]), "last [SEP] is missing"),
            (
                pair_embedder(
                    tokens=lambda a, b: ["[CLS]", *a, *b, "[SEP]"],
                    segments=lambda n, k: [0] * (k - 1) + [1] * (n - k + 1),
                ),
                "[SEP] between",
            ),
            (
                pair_embedder(
                    tokens=lambda a, b: [*a, "[SEP]", *b, "[SEP]"],
                    segments=lambda n, k: [0] * (k - 1) + [1] * (n - k + 1),
                ),
                "[CLS] is missing",
            ),
            (lambda b, first, second: b.read(first, second).hidden[:1], "batch of one"),
            (lambda b, first, second: b.read(first).hidden[0], "shape"),
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
        assert f"{abs(round(float(answer(twin)), 2)):.2f} for its untrained twin" in outcome.message  # never -0.00

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
            (lambda of: torch.cosine_similarity(positions(of)[:-1], positions(of)[1:]), "take their mean"),
            (
                lambda of: torch.cosine_similarity(positions(of)[:-1], positions(of)[1:]).sum() / len(positions(of)),
                "n - 1 pairs",
            ),
            (lambda of: positions(of)[0], "shape"),
        ],
    )
    def test_wrong(self, bert, twin, wrong, named):
        outcome = self.check(bert, twin, wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message

    def test_notebook_names_instead_of_the_argument(self, bert, twin):
        outcome = self.check(
            bert, twin, lambda of: torch.cosine_similarity(positions(bert)[:-1], positions(bert)[1:]).mean()
        )
        assert outcome.status == "not quite"
        assert "the function's own argument" in outcome.message

    def test_an_answer_that_spoils_the_table_spoils_a_copy(self, bert, twin):
        before = [positions(model).clone() for model in (bert, twin)]

        def answer(of):
            rows = positions(of)
            rows /= rows.norm(dim=-1, keepdim=True)  # in place: the model's own table, if it were not a copy
            of.model.train()
            return (rows[:-1] * rows[1:]).sum(dim=-1).mean()

        assert self.check(bert, twin, answer).status == "right"
        for model, rows in zip((bert, twin), before, strict=True):
            assert torch.equal(positions(model), rows)
            assert not model.model.training


class TestReveal:
    def test_no_guess_still_answers(self):
        outcome = reveal(None, 6, "because")
        assert (outcome.status, outcome.message) == ("not yet", "you made no guess. The answer is 6: because")

    def test_right_and_wrong_guesses(self):
        assert reveal(6, 6, "x").status == "right"
        assert reveal("only [cls] ", "only [CLS]", "x").status == "right"
        assert reveal("6", 6, "x").status == "right"
        assert reveal(torch.tensor([1, 2]), 6, "x").status == "not quite"
        assert reveal(3, 6, "x").status == "not quite"
        assert reveal("six", 6, "x").status == "not quite"

    @pytest.mark.parametrize(
        ("guess", "answer"),
        [
            *[("12", 12.0), ("0.5", 0.52), (3.0, 3), ("3.0", 3), (6.0, 6), (" 6 ", 6), (6, "6"), (6, np.int64(6))],
            *[(11, np.float32(12)), (np.float64(0.5), 0.52), (-0.5, -0.52), ("1e3", 1000)],
            *[("c)", "c"), ("(c)", "c"), ("C.", "c"), ("c", "c)"), ("only [CLS].", "only [CLS]")],
            *[(70, "about 70"), ("70", "about 70"), ("About 70", "about 70"), ("1400 steps", "1,400 steps")],
        ],
    )
    def test_a_right_guess_may_be_written_in_several_ways(self, guess, answer):
        assert reveal(guess, answer, "x").status == "right"

    @pytest.mark.parametrize(
        ("guess", "answer"),
        [
            *[("6.1", 6), (6.1, 6), (5.9999, 6), ("13", 6), (-6, 6), ("0.4", 0.52), (-0.52, 0.52), ("nan", 0.5)],
            *[(np.int64(5), np.int64(6)), (True, 1), (False, 0), ("", "c"), ("b)", "c"), ("cc", "c"), ("", 0)],
            *[(7, "about 70"), (50, "about 70"), ("about", "about 70"), ("1,40 steps", "140 steps"), ("1,2", "12")],
        ],
    )
    def test_a_wrong_one_stays_wrong(self, guess, answer):
        assert reveal(guess, answer, "x").status == "not quite"

    def test_a_measured_number_may_be_guessed_nearly(self):
        assert reveal(0.5, 0.52, "x").status == "right"
        assert reveal(0.4, 0.52, "x").status == "not quite"

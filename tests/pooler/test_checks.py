"""Lesson 2's checks tell blank, right and wrong answers apart, and name the misconception."""

import pytest
import torch

from bertlab.checks import pooler as checks
from bertlab.checks.inputs import other_bert
from bertlab.pooler.layer import next_sentence, pooler_output


def blank(*_):
    return None


class TestLayerParameters:
    def test_blank_and_right(self):
        assert checks.layer_parameters(blank).status == "not yet"
        assert checks.layer_parameters(lambda h, i: 4 * h * h + 2 * h * i + 9 * h + i).status == "right"

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda h, i: 4 * h * h + 2 * h * i + 4 * h, "biases are missing"),
            (lambda h, i: 4 * h * h + 2 * h * i + 5 * h + i, "two LayerNorms are missing"),
            (lambda h, i: 4 * h * h + 2 * h * i + 7 * h + i, "half of the LayerNorms"),
            (lambda h, i: 4 * h * h + 2 * h * i, "all biases and both LayerNorms"),
            (lambda h, i: 4 * h * h + 2 * h * i + 10 * h, "length intermediate"),
            (lambda h, i: 4 * h * h + 8 * h, "feed-forward block is missing"),
            (lambda h, i: 3 * h * h + 2 * h * i + 8 * h + i, "four matrices"),
            (lambda h, i: h * i, "off by"),
            (lambda h, i: 4 * h * h + 2 * h * i + 9 * h + i + 1, "off by 1:"),
            (lambda h, i: round(4 * h * h + 2 * h * i + 9 * h + i, -2), "off by"),
        ],
    )
    def test_wrong(self, wrong, named):
        outcome = checks.layer_parameters(wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message


def read(bert, texts, mask=True):
    inputs = bert.tokenizer(texts, padding=True, return_tensors="pt")
    if not mask:
        del inputs["attention_mask"]
    return bert.model.bert(**inputs).last_hidden_state


def dense(bert, vectors):
    return vectors @ bert.model.bert.pooler.dense.weight.T + bert.model.bert.pooler.dense.bias


class TestPoolBatch:
    def test_blank(self, bert):
        assert checks.pool_batch(bert, blank).status == "not yet"

    @pytest.mark.parametrize(
        "right",
        [
            lambda bert, texts: torch.tanh(dense(bert, read(bert, texts)[:, 0])),
            lambda bert, texts: bert.model.bert.pooler.dense(read(bert, texts)[:, 0]).tanh(),
            lambda bert, texts: torch.stack([dense(bert, bert.read(text).hidden[-1, 0]).tanh() for text in texts]),
        ],
    )
    def test_right(self, bert, right):
        assert checks.pool_batch(bert, right).status == "right"

    @pytest.mark.parametrize(
        "shortcut",
        [
            lambda bert, texts: bert.model.bert.pooler(read(bert, texts)),
            lambda bert, texts: torch.stack([bert.read(text).pooled for text in texts]),
            lambda bert, texts: pooler_output(bert, read(bert, texts)),
        ],
    )
    def test_a_pooler_that_is_there_is_a_shortcut(self, bert, shortcut):
        outcome = checks.pool_batch(bert, shortcut)
        assert outcome.status == "not quite"
        assert "the values are right, but by a shortcut: a pooler that is there already" in outcome.message

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda bert, texts: bert.model.bert.pooler(read(bert, texts)[:, 0].unsqueeze(0)), "only one text"),
            (lambda bert, texts: torch.tanh(dense(bert, read(bert, texts)[0])), "tokens of the first text"),
            (lambda bert, texts: dense(bert, read(bert, texts)[:, 0]), "tanh is missing"),
            (lambda bert, texts: read(bert, texts)[:, 0], "pooler comes after"),
            (lambda bert, texts: torch.tanh(dense(bert, read(bert, texts)[:, -1])), "last token"),
            (lambda bert, texts: torch.tanh(dense(bert, read(bert, texts, mask=False)[:, 0])), "attention mask"),
            (
                lambda bert, texts: torch.tanh(read(bert, texts)[:, 0] @ bert.model.bert.pooler.dense.weight.T),
                "bias is",
            ),
            (
                lambda bert, texts: torch.tanh(
                    read(bert, texts)[:, 0] @ bert.model.bert.pooler.dense.weight + bert.model.bert.pooler.dense.bias
                ),
                "weight.T",
            ),
            (lambda bert, texts: read(bert, texts), "shape"),
        ],
    )
    def test_wrong(self, bert, wrong, named):
        outcome = checks.pool_batch(bert, wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message


FOLLOWING = [("It rained all day.", "So we stayed at home."), ("The cat was ill.", "We called the doctor.")] * 2
OTHER = [("It rained all day.", "A heart is a muscle."), ("The cat was ill.", "White opened with a pawn.")] * 2
FOLLOWING += [("He bought a guitar.", "Then he learned a song.")]
OTHER += [("He bought a guitar.", "The moon has many craters.")]


def yes(bert, pairs):
    return next_sentence(bert, pairs) > 0.5


class TestNextSentenceAccuracy:
    def check(self, bert, answer):
        return checks.next_sentence_accuracy(bert, FOLLOWING, OTHER, answer)

    def test_blank(self, bert):
        assert self.check(bert, blank).status == "not yet"

    def test_one_case_has_pairs_of_both_kinds_that_are_all_right_by_far(self, bert):
        for _ in range(3):  # the pairs are made by chance
            sure, following, other = checks._right_for_all(other_bert(bert))
            assert (len(following), len(other)) == (8, 6)
            assert next_sentence(sure, following).min() > 0.51
            assert next_sentence(sure, other).max() < 0.49

    @pytest.mark.parametrize("kind", [float, torch.as_tensor])
    def test_right(self, bert, kind):
        def answer(b, following, other):
            right = yes(b, following).sum() + (~yes(b, other)).sum()
            return kind(right / (len(following) + len(other)))

        assert self.check(bert, answer).status == "right"

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda b, f, o: 1 - torch.cat([yes(b, f), ~yes(b, o)]).float().mean(), "label is flipped"),
            (lambda b, f, o: yes(b, f).float().mean(), "only the pairs that follow"),
            (lambda b, f, o: (~yes(b, o)).float().mean(), "only the pairs that do not"),
            (lambda b, f, o: (yes(b, f).float().mean() + (~yes(b, o)).float().mean()) / 2, "mean of the two shares"),
            (lambda b, f, o: torch.cat([next_sentence(b, f), 1 - next_sentence(b, o)]).mean(), "mean probability"),
            (lambda b, f, o: torch.cat([yes(b, f), ~yes(b, o)]).float(), "shape"),
        ],
    )
    def test_wrong(self, bert, wrong, named):
        outcome = self.check(bert, wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message

"""Lesson 6's checks tell blank, right and wrong answers apart, and name the misconception."""

from dataclasses import replace

import pytest
import torch
from torch.nn.functional import nll_loss

import bertlab
from bertlab.bert.errors import MissingPartError
from bertlab.checks import inputs
from bertlab.checks import masking as checks
from bertlab.checks.context import GAPS


def blank(*_):
    return None


def loss(logits, ids, places):
    return nll_loss(logits.log_softmax(-1)[places], ids[places])


class TestMaskedWordLoss:
    def test_blank(self):
        assert checks.masked_word_loss(blank).status == "not yet"

    def test_right(self):
        assert checks.masked_word_loss(lambda logits, ids, given, chosen: loss(logits, ids, chosen)).status == "right"

    def test_the_number_of_one_batch_is_not_that_of_another(self):
        logits, ids, _, chosen = checks._made_up_batch()
        number = loss(logits, ids, chosen)
        assert "the same result whatever it is given" in checks.masked_word_loss(lambda *_: number).message

    def test_the_batch_has_all_three_kinds(self):
        _, ids, given, chosen = checks._made_up_batch()
        kinds = [given == checks.MASK, (given != ids) & (given != checks.MASK), (given == ids) & chosen]
        assert [int(kind.sum()) for kind in kinds] == [7, 2, 3]
        assert int(chosen.sum()) == 12

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda logits, ids, given, chosen: loss(logits, ids, ids > -1), "at all positions"),
            (lambda logits, ids, given, chosen: loss(logits, ids, given == 4), "only where [MASK] stands"),
            (lambda logits, ids, given, chosen: loss(logits, ids, given != ids), "only where a piece was exchanged"),
            (lambda logits, ids, given, chosen: loss(logits, given, chosen), "what went in"),
            (lambda logits, ids, given, chosen: 12 * loss(logits, ids, chosen), "added up"),
            (lambda logits, ids, given, chosen: loss(logits, ids, chosen) * 12 / 40, "number of all tokens"),
            (lambda logits, ids, given, chosen: -loss(logits, ids, chosen), "sign is wrong"),
            (lambda logits, ids, given, chosen: nll_loss(logits[chosen], ids[chosen]), "take log_softmax"),
            (lambda logits, ids, given, chosen: loss(logits, ids, chosen) + 1, "off by"),
        ],
    )
    def test_wrong(self, wrong, named):
        outcome = checks.masked_word_loss(wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message


def fill_batch(bert, texts, *, without=(), shift=0, at=None, dim=-1, attend=True):
    """Return the probabilities at [MASK], right unless something is left out or changed."""
    inputs = bert.tokenizer(texts, padding=True, return_tensors="pt")
    if not attend:
        inputs.pop("attention_mask")
    last = bert.model.bert(**inputs).last_hidden_state
    columns = torch.tensor([row.index(bert.tokenizer.mask_token_id) for row in inputs["input_ids"].tolist()])
    columns = columns + shift if at is None else torch.full_like(columns, columns[0] if at == "first" else at)
    x = last[torch.arange(len(texts)), columns]
    state = bert.model.state_dict()
    begin = "cls.predictions."
    if "matrix" not in without:
        x = x @ state[begin + "transform.dense.weight"].T + state[begin + "transform.dense.bias"]
    if "GELU" not in without:
        x = torch.nn.functional.gelu(x)
    if "LayerNorm" not in without:
        x = bert.model.cls.predictions.transform.LayerNorm(x)
    x = x @ state["bert.embeddings.word_embeddings.weight"].T
    if "bias" not in without:
        x = x + state[begin + "bias"]
    return x if "softmax" in without else x.softmax(dim)


class TestFillBatch:
    def test_blank(self, bert):
        assert checks.fill_batch(bert, blank).status == "not yet"

    @pytest.mark.parametrize("shape", ["shipped", "tiny"])
    def test_right(self, bert, tiny_folder, shape):
        model = bert if shape == "shipped" else bertlab.load(tiny_folder)
        assert checks.fill_batch(model, fill_batch).status == "right"

    def test_the_longest_that_chance_can_make_fits_the_small_bert(self, tiny_folder, monkeypatch):
        words = {name: (max(getattr(inputs, name), key=len),) for name in ("ADJECTIVES", "NOUNS", "VERBS")}
        for name, longest in words.items():
            monkeypatch.setattr(inputs, name, longest)
        assert len(bertlab.load(tiny_folder).read_all(checks.gaps())) == 3

    def test_the_texts_differ_in_length_and_place(self, bert):
        readings = bert.read_all(checks.gaps())
        assert len({len(reading.tokens) for reading in readings}) == len(readings)
        assert len({reading.tokens.index("[MASK]") for reading in readings}) == len(readings)

    @pytest.mark.parametrize(
        ("changed", "named"),
        [
            ({"without": ["LayerNorm"]}, "LayerNorm is missing, after GELU"),
            ({"without": ["bias"]}, "the bias is missing"),
            ({"without": ["LayerNorm", "bias"]}, "LayerNorm and the bias"),
            ({"without": ["GELU"]}, "GELU is missing"),
            ({"without": ["matrix", "GELU", "LayerNorm"]}, "the transform is missing"),
            ({"without": ["softmax"]}, "these are logits"),
            ({"dim": 0}, "softmax goes over the texts"),
            ({"at": 0}, "at [CLS]"),
            ({"shift": -1}, "one too early"),
            ({"shift": 1}, "one too late"),
            ({"at": "first"}, "the first text's [MASK] was taken for all"),
            ({"attend": False}, "the attention mask is missing"),
        ],
    )
    def test_wrong(self, bert, changed, named):
        outcome = checks.fill_batch(bert, lambda *given: fill_batch(*given, **changed))
        assert outcome.status == "not quite"
        assert named in outcome.message

    def test_logarithms_are_not_the_probabilities(self, bert):
        outcome = checks.fill_batch(bert, lambda *given: fill_batch(*given).log())
        assert outcome.status == "not quite"
        assert "logarithms of probabilities" in outcome.message

    def test_the_rows_of_one_batch_are_not_those_of_another(self, bert):
        outcome = checks.fill_batch(bert, lambda b, texts: fill_batch(b, texts[::-1]))
        assert "the rows are right, but in another order" in outcome.message

    @pytest.mark.parametrize(("off", "status"), [(1e-4, "not quite"), (1e-7, "right")])
    def test_only_rounding_is_forgiven(self, bert, off, status):
        assert checks.fill_batch(bert, lambda *given: fill_batch(*given) + off).status == status

    def test_one_text_has_the_wrong_shape(self, bert):
        assert "shape" in checks.fill_batch(bert, lambda b, texts: fill_batch(b, texts)[0]).message


def logarithm(bert, text, word):
    inputs = bert.tokenizer(text, return_tensors="pt")
    place = inputs["input_ids"][0].tolist().index(bert.tokenizer.mask_token_id)
    return at(bert, text, word, place)


def at(bert, text, word, place):
    inputs = bert.tokenizer(text, return_tensors="pt")
    shares = bert.model(**inputs).prediction_logits[0, place].softmax(-1)
    return shares[bert.tokenizer.convert_tokens_to_ids(word)].log()


def bare(bert, text, word, signs=True, before=True, after=True):
    """Return the logarithm at the gap, with the words around it written as [MASK]."""
    pieces = bert.tokenizer.tokenize(text)
    gap = pieces.index("[MASK]")
    masked = [
        "[MASK]" if (piece[-1].isalnum() or not signs) and (before if i < gap else after) else piece.replace("##", "")
        for i, piece in enumerate(pieces)
    ]
    joined = " ".join(masked) if before and after else None
    if joined is not None:
        return at(bert, joined, word, gap + 1)
    ids = bert.tokenizer(text, return_tensors="pt")["input_ids"]
    for i, piece in enumerate(masked):
        if piece == "[MASK]":
            ids[0, i + 1] = bert.tokenizer.mask_token_id
    return bert.model(ids).prediction_logits[0, gap + 1].log_softmax(-1)[bert.tokenizer.convert_tokens_to_ids(word)]


def test_a_checkpoint_without_the_head_is_said_to_be_one(bert):
    bare = replace(bert, missing_parts=("masked-word head",))
    for check in (checks.fill_batch, checks.gain_from_context):
        with pytest.raises(MissingPartError, match="without its masked-word head"):
            check(bare, blank)


class TestGainFromContext:
    def test_blank(self, bert):
        assert checks.gain_from_context(bert, blank).status == "not yet"

    @pytest.mark.parametrize("shape", ["shipped", "tiny"])
    def test_right(self, bert, tiny_folder, shape):
        model = bert if shape == "shipped" else bertlab.load(tiny_folder)
        outcome = checks.gain_from_context(model, lambda *given: logarithm(*given) - bare(*given))
        assert outcome.status == "right"

    @pytest.mark.parametrize("gap", GAPS)
    def test_the_number_of_one_text_is_not_that_of_the_other(self, bert, gap):
        number = logarithm(bert, *gap) - bare(bert, *gap)
        assert "the same result whatever it is given" in checks.gain_from_context(bert, lambda *_: number).message

    def test_each_text_has_a_split_word_and_two_signs(self, bert):
        for text, word in GAPS:
            pieces = bert.tokenizer.tokenize(text)
            assert any(piece.startswith("##") for piece in pieces)
            assert "," in pieces
            assert "." in pieces
            assert bert.tokenizer.tokenize(word) == [word]

    @pytest.mark.parametrize(
        ("wrong", "named"),
        [
            (lambda *g: logarithm(*g) - bare(*g, signs=False), "the signs are hidden as well"),
            (lambda b, t, w: logarithm(b, t, w) - logarithm(b, "[MASK]", w), "cut down to [MASK]: its length"),
            (lambda b, t, w: logarithm(b, t, w) - logarithm(b, "[MASK].", w), "cut down to [MASK] and its full stop"),
            (lambda *g: logarithm(*g) - bare(*g, after=False), "only the words before"),
            (lambda *g: logarithm(*g) - bare(*g, before=False), "only the words after"),
            (lambda *g: bare(*g) - logarithm(*g), "the other way round"),
            (lambda *g: logarithm(*g).exp() - bare(*g).exp(), "these are probabilities"),
            (lambda *g: logarithm(*g).exp() / bare(*g).exp(), "the ratio"),
            (logarithm, "nothing is taken away"),
            (bare, "without the context alone"),
            (lambda *g: logarithm(*g) - bare(*g) + 1, "off by"),
        ],
    )
    def test_wrong(self, bert, wrong, named):
        outcome = checks.gain_from_context(bert, wrong)
        assert outcome.status == "not quite"
        assert named in outcome.message

    def test_the_comma_is_no_word(self, bert):
        def all_but_the_stop(b, text, word):
            pieces = b.tokenizer.tokenize(text)
            masked = " ".join(piece if piece == "." else "[MASK]" for piece in pieces)
            return logarithm(b, text, word) - at(b, masked, word, pieces.index("[MASK]") + 1)

        assert "the comma is no word, either" in checks.gain_from_context(bert, all_but_the_stop).message

    def test_one_mask_for_each_word_is_a_shorter_text(self, bert):
        def by_words(b, text, word):
            words = text.replace(",", " ,").replace(".", " .").split()
            masks = " ".join(w if w in ",." else "[MASK]" for w in words)
            return logarithm(b, text, word) - at(b, masks, word, words.index("[MASK]") + 1)

        outcome = checks.gain_from_context(bert, by_words)
        assert outcome.status == "not quite"
        assert "the pieces are not matched" in outcome.message

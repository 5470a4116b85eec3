"""Hidden words and sentence scores equal those of transformers' masked language model, and its pipeline."""

import re

import pandas as pd
import pytest
import torch
from transformers import BertForMaskedLM, pipeline

from bertlab.masking.predictions import fill_mask, piece_id, probabilities, sentence_scores, word_probabilities
from rounding import assert_rounded_equal

MAT = "The [MASK] sat on the mat."
TWO = "She [MASK] the cat, and [MASK] it."
TEXTS = ["It was late.", "The unquestionableness of the cat!", "She saw the cat on the mat."]


@pytest.fixture
def tiny(spread):
    """Return the small BERT whose weights are so spread that it prefers some pieces clearly."""
    return spread


@pytest.fixture
def own(model, tmp_path):
    """transformers' own masked language model with the same weights, read from a folder."""
    model.model.save_pretrained(tmp_path)
    return BertForMaskedLM.from_pretrained(tmp_path, dtype=torch.float32).eval()


def test_probabilities_equal_transformers_masked_language_model(model, own):
    texts = [MAT, TWO, "[MASK]", "It was late, and [MASK] rained all day."]  # of different lengths: with padding
    found = probabilities(model, texts)
    assert [len(shares) for shares in found] == [1, 2, 1, 1]
    for text, shares in zip(texts, found, strict=True):
        inputs = model.tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            logits = own(**inputs).logits[0, inputs["input_ids"][0] == model.tokenizer.mask_token_id]
        assert_rounded_equal(shares, logits.softmax(dim=-1))
    assert not found[0].requires_grad


@pytest.mark.parametrize("text", [MAT, TWO])
def test_fill_mask_equals_the_pipeline(model, own, text):
    unmask = pipeline("fill-mask", model=own, tokenizer=model.tokenizer, top_k=7)
    answers = unmask(text)
    answers = answers if isinstance(answers[0], list) else [answers]
    found = fill_mask(model, text, top_k=7)
    assert found.columns.tolist() == ["mask", "rank", "piece", "probability", "sentence"]
    assert found[["mask", "rank"]].to_numpy().tolist() == [[i, n] for i in range(len(answers)) for n in range(1, 8)]
    flat = [answer for group in answers for answer in group]
    assert found["piece"].tolist() == model.tokenizer.convert_ids_to_tokens([answer["token"] for answer in flat])
    assert_rounded_equal(found["probability"], [answer["score"] for answer in flat])
    asked = fill_mask(model, text, top_k=1, candidates=["mat", found["piece"][5]])
    assert asked.loc[asked["piece"] == found["piece"][5], "rank"].iloc[0] == 6


def test_the_sentence_holds_the_piece_in_place_of_its_own_mask(bert):
    found = fill_mask(bert, TWO, candidates=pd.Series(["Saw"], index=[7]))["sentence"].tolist()
    assert found == ["She saw the cat, and [MASK] it.", "She [MASK] the cat, and saw it."]
    joined = fill_mask(bert, "The cat [MASK] sat.", candidates=["##s"])["sentence"].item()
    assert joined == "The cats sat."


def test_word_probabilities_are_those_of_fill_mask_text_by_text(model):
    texts, words = [MAT, "It [MASK] all day.", "The cat sat on the [MASK]."], ["cat", "was", "mat"]
    found = word_probabilities(model, texts, words)
    alone = pd.concat([fill_mask(model, t, candidates=[w]) for t, w in zip(texts, words, strict=True)])
    assert found["piece"].tolist() == words
    assert found["rank"].tolist() == alone["rank"].tolist()
    assert_rounded_equal(found["probability"], alone["probability"])


def plain_loop(model, own, text, rest_of_word):
    """Score a text one masked copy at a time, from the words of the tokenizer and the loss of transformers."""
    inputs = model.tokenizer(text, return_tensors="pt")
    words, ids = inputs.word_ids(), inputs["input_ids"]
    total = 0.0
    for place in range(1, len(words) - 1):
        hidden = [place] + [p for p in range(place + 1, len(words)) if rest_of_word and words[p] == words[place]]
        labels, given = torch.full_like(ids, -100), ids.clone()
        labels[0, place], given[0, hidden] = ids[0, place], model.tokenizer.mask_token_id
        with torch.no_grad():
            total -= own(input_ids=given, attention_mask=inputs["attention_mask"], labels=labels).loss.item()
    return total, len(words) - 2


@pytest.mark.parametrize("rest_of_word", [False, True])
def test_sentence_scores_equal_a_plain_loop(model, own, rest_of_word):
    found = sentence_scores(model, iter(TEXTS), rest_of_word=rest_of_word)
    expected = [plain_loop(model, own, text, rest_of_word) for text in TEXTS]
    assert_rounded_equal(found["score"], [score for score, _ in expected])
    assert found["pieces"].tolist() == [pieces for _, pieces in expected]


@pytest.mark.parametrize("typed", ["[mask]", "<mask>", "[ MASK ]", "{Mask}", "[[mask]]"])
def test_another_spelling_is_refused_and_the_word_mask_is_a_word(bert, typed):
    with pytest.raises(ValueError, match=rf"Type \[MASK\] for the hidden word.* has '{re.escape(typed)}'\."):
        fill_mask(bert, f"The [MASK] {typed} sat.")
    assert len(fill_mask(bert, "He wore a mask (a black mask) and [MASK] it.")) == 5


@pytest.mark.parametrize(
    ("ask", "given", "says"),
    [
        (probabilities, ([MAT, "The dog sat."],), r"'The dog sat\.' holds no \[MASK\]"),
        (sentence_scores, (["It rained.", MAT],), "no word to score"),
        (word_probabilities, ([MAT, TWO], ["cat", "saw"]), r"for 'saw' holds 2 \[MASK\]s"),
        (piece_id, ("the cat",), r"not a single piece of this vocabulary but \['the', 'cat'\], and"),
        (piece_id, ("\N{HORSE FACE}",), r"but \['\[UNK\]'\], and"),
    ],
)
def test_what_would_be_answered_wrongly_is_refused(bert, ask, given, says):
    with pytest.raises(ValueError, match=says):
        ask(bert, *given)

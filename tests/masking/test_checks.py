"""What lesson 6's checks ask about, and what they say of answers that are not among their own wrong ones."""

from dataclasses import replace

import pytest

import bertlab
from bertlab.bert.errors import MissingPartError
from bertlab.checks import inputs
from bertlab.checks import masking as checks
from exercises import CHECKS, solutions

SOLUTIONS = solutions()


@pytest.mark.parametrize("number", ["6.2", "6.3"])
def test_a_bert_of_any_shape_will_do_and_one_without_the_head_is_said_to_be_one(bert, tiny_folder, number):
    assert CHECKS[number](bertlab.load(tiny_folder), SOLUTIONS[number]).reason == "right"
    with pytest.raises(MissingPartError, match="without its masked-word head"):
        CHECKS[number](replace(bert, missing_parts=("masked-word head",)), SOLUTIONS[number])


def test_the_made_up_batch_has_chosen_positions_of_all_three_kinds():
    _, ids, given, chosen = checks._made_up_batch()
    kinds = [given == checks.MASK, (given != ids) & (given != checks.MASK), (given == ids) & chosen]
    assert [int(kind.sum()) for kind in kinds] == [7, 2, 3]


def test_the_longest_texts_that_chance_can_make_fit_the_smallest_bert(tiny_folder, monkeypatch):
    for name in ("ADJECTIVES", "NOUNS", "VERBS"):
        monkeypatch.setattr(inputs, name, (max(getattr(inputs, name), key=len),))
    assert len(bertlab.load(tiny_folder).read_all(checks.gaps())) == 3


def test_the_texts_differ_in_length_and_place(bert):
    readings = bert.read_all(checks.gaps())
    assert len({len(reading.tokens) for reading in readings}) == 3
    assert len({reading.tokens.index("[MASK]") for reading in readings}) == 3


@pytest.mark.parametrize(("text", "word"), checks.GAPS)
def test_each_gap_has_a_split_word_and_two_signs_around_it(bert, text, word):
    pieces = bert.tokenizer.tokenize(text)
    assert any(piece.startswith("##") for piece in pieces)
    assert {",", "."} <= set(pieces)
    assert bert.tokenizer.tokenize(word) == [word]


def test_one_mask_for_each_word_is_named(bert):
    def log_probability(bert, text, word):
        logits = bert.model(**bert.tokenizer(text, return_tensors="pt")).prediction_logits[0]
        return logits.log_softmax(dim=-1)[:, bert.tokenizer.convert_tokens_to_ids(word)]

    def by_words(bert, text, word):
        words = text.replace(",", " ,").replace(".", " .").split()
        masks = " ".join(part if part in ",." else "[MASK]" for part in words)
        place = bert.read(text).tokens.index("[MASK]")
        return log_probability(bert, text, word)[place] - log_probability(bert, masks, word)[words.index("[MASK]") + 1]

    assert "the pieces are not matched" in checks.gain_from_context(bert, by_words).message

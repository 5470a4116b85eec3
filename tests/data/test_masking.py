"""The masking lesson's tables: whole, balanced, and made of words that a model reads in one piece."""

import re
from collections import Counter

import pytest

from bertlab import data

SENTENCES = [
    ("unseen_sentences", "sentence"),
    ("minimal_pairs", "good"),
    ("minimal_pairs", "bad"),
    ("agreement_pairs", "good"),
    ("agreement_pairs", "bad"),
    ("agreement_pairs", "same"),
    ("facts", "template"),
    ("negations", "affirmative"),
    ("negations", "negative"),
]


@pytest.fixture(scope="module")
def exchanges():
    """The minimal pairs, with the words that differ and the word before them."""
    table = data.read("minimal_pairs")
    table["words"] = [
        [(right, wrong, before) for before, right, wrong in zip(["", *good], good, bad, strict=False) if right != wrong]
        for good, bad in zip(table["good"].str.split(), table["bad"].str.split(), strict=True)
    ]
    return table


def is_one_piece(word, bert):
    return len(bert.tokenizer.tokenize(word)) == 1 and bert.tokenizer.tokenize(word) != ["[UNK]"]


@pytest.mark.parametrize(("name", "column"), SENTENCES)
def test_every_text_is_one_plain_sentence_and_stands_once(name, column):
    sentences = data.read(name)[column]
    assert sentences.is_unique
    # One space between words; the gap is the only thing in brackets.
    plain = r"[A-Z][a-z]*(?:,? (?:[A-Za-z]+(?:'s)?|\[MASK\]))+\."
    assert [sentence for sentence in sentences if not re.fullmatch(plain, sentence)] == []
    assert (sentences.str.count(r"\[MASK\]") == ((name, column) in SENTENCES[6:])).all()


def test_minimal_pairs_are_seven_phenomena_of_twenty_and_differ_in_one_word_of_one_piece(exchanges, bert):
    assert exchanges["phenomenon"].value_counts().tolist() == [20] * 7
    assert not set(exchanges["good"]) & set(exchanges["bad"])
    for pair in exchanges.itertuples():
        ((right, wrong, noun),) = pair.words
        assert is_one_piece(right, bert), right
        assert is_one_piece(wrong, bert), wrong
        assert len(bert.tokenizer.tokenize(pair.good)) == len(bert.tokenizer.tokenize(pair.bad)), pair.good
        if pair.phenomenon == "agreement across a distractor":
            # A plural noun ends in s here, and so does a singular verb: the same ending means different numbers.
            assert noun.endswith("s") == right.endswith("s") != wrong.endswith("s"), pair.good


def test_no_rule_that_sees_only_the_two_words_of_a_minimal_pair_is_right_more_often_than_wrong(exchanges):
    for phenomenon, table in exchanges.groupby("phenomenon"):
        ways = Counter((right, wrong) for [(right, wrong, _)] in table["words"])
        assert ways == Counter((wrong, right) for right, wrong in ways.elements()), phenomenon


def test_each_of_18_verbs_agrees_across_each_kind_of_distractor_once_in_each_number_and_the_noun_misleads(bert):
    counts, whole = Counter(), 0
    for pair in data.read("agreement_pairs").to_dict("records"):
        good, bad = pair["good"].split(), pair["bad"].split()
        (place,) = [i for i, (right, wrong) in enumerate(zip(good, bad, strict=True)) if right != wrong]
        one, many = pair["verb"].split(" / ")
        assert {good[place], bad[place]} == {one, many}
        # A plural noun ends in s here: the noun right before the verb agrees with the wrong form.
        assert (bad[place] == many) == good[place - 1].endswith("s"), pair["good"]
        counts[pair["verb"], pair["distractor"], good[place]] += 1
        *determiner, (misleads, helps) = [
            two for two in zip(good, pair["same"].split(), strict=True) if two[0] != two[1]
        ]
        assert {*determiner} <= {("this", "these"), ("these", "this"), ("two", "one")}
        assert misleads == good[place - 1]
        assert (good[place] == many) == helps.endswith("s"), pair["same"]
        whole += len(bert.tokenizer.tokenize(pair["same"])) == len(bert.tokenizer.tokenize(pair["good"]))
    assert whole == 67
    assert len(counts) == 18 * 2 * 2
    assert set(counts.values()) == {1}


def test_each_word_of_a_fact_is_one_piece_true_once_and_false_once_in_twos_of_one_topic(bert):
    facts = data.read("facts")
    assert facts["topic"].value_counts().tolist() == [6] * 10
    assert [word for word in [*facts["true"], *facts["false"]] if not is_one_piece(word, bert)] == []
    assert facts["true"].is_unique
    assert facts["false"].is_unique
    swapped = set(zip(facts["false"], facts["true"], facts["topic"], strict=True))
    assert set(zip(facts["true"], facts["false"], facts["topic"], strict=True)) == swapped


def test_a_negative_is_its_affirmative_with_not_after_the_verb_and_a_word_of_one_piece_that_fits(bert):
    table = data.read("negations")
    assert table["word"].is_unique
    for row in table.itertuples():
        assert row.negative == re.sub(r"\b(is|are)\b", r"\1 not", row.affirmative, count=1)
        assert row.negative.count(" not ") == 1
        assert is_one_piece(row.word, bert), row.word
        assert f" {row.word}" not in row.affirmative
        if article := re.search(r"\b(an?) \[MASK\]", row.affirmative):
            assert (article[1] == "an") == (row.word[0] in "aeiou"), row.affirmative

"""Lesson 9's tables and recorded runs: balanced, as planned, and equal to what is measured here."""

import re

import record_sibling
from bertlab import data
from bertlab.circuits import patch_heads, patch_positions
from rounding import assert_rounded_equal

VOCABULARY = re.compile(r"\[MASK\]|\{\w+\}|\w+")


def words(text):
    return VOCABULARY.findall(text)


def test_nouns_are_two_different_pieces_each_and_none_is_in_two_sets(bert):
    table = data.read("number_nouns")
    known = bert.tokenizer.get_vocab()
    assert table.groupby("set").size().to_dict() == {"first": 20, "new": 30, "irregular": 15}
    assert {*table["singular"], *table["plural"]} <= known.keys()
    assert (table["singular"] != table["plural"]).all()
    assert table["singular"].is_unique
    regular = table["plural"] == table["singular"] + "s"
    assert regular[table["set"] != "irregular"].all()
    assert not regular[table["set"] == "irregular"].any()


def test_choices_differ_in_one_word_of_one_piece(bert):
    table = data.read("choice_pairs")
    assert table.groupby("task").size().tolist() == [40] * 5
    assert table.groupby("task")[["first", "second"]].nunique().to_numpy().tolist() == [[1, 1]] * 5
    for row in table.itertuples():
        text, other = words(row.text), words(row.other)
        assert sum(a != b for a, b in zip(text, other, strict=True)) == 1
        assert len(bert.read(row.text).tokens) == len(bert.read(row.other).tokens)
        assert {row.first, row.second} <= bert.tokenizer.get_vocab().keys()


def test_hard_sentences_are_balanced_and_neither_rule_of_the_verbs_forms_nor_of_the_nearest_noun_helps(bert):
    table = data.read("hard_agreement")
    forms = table["verb"].str.split(" / ", expand=True)
    singular = table["right"] == forms[0]
    assert (singular.groupby(table["verb"]).sum() == 2).all()
    assert (table.groupby(["verb", "distractor"]).size() == 2).all()
    assert ((table["right"] == forms[0]) ^ (table["right"] == forms[1])).all()
    assert (
        table[["right", "wrong"]].apply(sorted, axis=1).str.join("") == forms.apply(sorted, axis=1).str.join("")
    ).all()
    for row in table.itertuples():
        before, rest = row.text.split("[MASK]")
        assert row.easy == f"{' '.join(before.split()[:2])} [MASK]{rest}", "the subject alone"
        assert {word.lower() for word in words(row.text.replace("[MASK]", ""))} <= bert.tokenizer.get_vocab().keys()
    chosen_on = {*data.read("agreement_pairs")["good"], *data.read("minimal_pairs")["good"]}
    assert not chosen_on & {row.text.replace("[MASK]", row.right) for row in table.itertuples()}


def test_the_recorded_heads_and_tokens_of_this_bert_are_those_measured_here(bert):
    table = data.read("sibling_circuits").set_index(["model", "what"])
    shares = patch_heads(bert, record_sibling.articles(), [["a"], ["an"]])
    recorded = table.loc[("bertlab-mini", "a or an: head at [MASK]")]
    best = [tuple(map(int, re.findall(r"\d", head))) for head in recorded["where"]]
    assert best == [divmod(int(i), 8) for i in shares.flatten().argsort(descending=True)[:3]]
    assert_rounded_equal([shares[head] for head in best], recorded["share"].tolist(), decimals=4, scale=20)
    after_one = table.loc[("bertlab-mini", "subject: vector after 1 of the layers")].set_index("where")["share"]
    moved = patch_positions(bert, record_sibling.pairs(new=False), record_sibling.VERBS)[1]
    places = record_sibling.PLACES
    assert_rounded_equal([moved[places[name]] for name in after_one.index], after_one.tolist(), decimals=4, scale=20)

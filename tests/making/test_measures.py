"""What is measured equals transformers' own figures and counts by hand; so do the rules beside it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import BertForMaskedLM, pipeline

import bertlab
import measures
from batches import IGNORE
from bertlab.attention.heads import Tally
from prepare import Document
from results import Measure, Result, ratio
from rounding import assert_rounded_equal


@pytest.fixture(scope="module")
def asked(bert):
    """Documents of two families, as a corpus and a batch."""
    cat, dog = "The cat sat on the mat. " * 30, "Our dogs run to their houses. " * 300
    documents = [Document("standardebooks", (cat,)), Document("wordnet", (dog,)), Document("wordnet", (dog + "Yes.",))]
    return measures.held_out(bert, documents)


def test_ahead_is_positive_where_better_and_asks_for_the_same_items():
    ours, theirs, ones = np.array([1.0, 2, 3, 2]), np.array([4.0, 5, 4, 6]), np.ones(4)
    lower = Result((ours, ones), ratio, higher_is_better=False)
    assert lower.ahead_of(Result((theirs, ones), ratio)).value == 2.75
    difference = Result((ours,)).ahead_of(Result((theirs,)))
    assert difference.value == -2.75
    assert difference.high < 0
    assert Result((ours,), items="some").ahead_of(Result((theirs,), items="others")) is None


def test_held_out_text_is_asked_for_in_the_proportions_of_the_first_run(bert, asked):
    """Else a model trained with other shares would be measured on another mixture than those before it."""
    _, batch = asked
    second = np.isin(batch.ids, bert.tokenizer.convert_tokens_to_ids(["our", "dogs", "houses"]))
    share = (second & (batch.segments == 0) & (batch.attention == 1)).any(axis=1).mean()
    assert abs(share - 0.05 / (0.34 + 0.05)) < 0.03
    masked = (batch.labels != IGNORE).sum() / (batch.attention.sum() - 3 * len(batch.ids))
    assert abs(masked - 0.15) < 0.01
    assert abs(batch.next_labels.mean() - 0.5) < 0.05


def test_the_frequency_rule_is_the_cross_entropy_of_the_frequencies(asked):
    corpus, batch = asked
    counts = np.bincount(corpus.pieces, minlength=16_000) + 1.0
    losses, hits, _ = measures.by_counting(batch, counts)
    labels = batch.labels[batch.labels != IGNORE]
    assert_rounded_equal(np.nanmean(losses), -np.log(counts[labels] / counts.sum()).mean(), dtype="float64")
    assert np.nanmean(hits) == pytest.approx((labels == counts.argmax()).mean())


def test_bands_of_frequency_hold_every_masked_piece_once_the_rarest_too(asked):
    batch = asked[1]._replace(labels=np.array([[3, 17_000], [19_999, IGNORE]]))
    losses, hits = np.array([[1.0, 5.0], [7.0, np.nan]]), np.array([[1.0, 0.0], [0.0, np.nan]])
    table = measures.by_frequency(batch, losses, hits, np.ones(20_000))
    assert table.to_numpy().tolist() == [["1 to 10", 1, 1.0, 1.0], ["16,001 to 20,000", 2, 6.0, 0.0]]


def test_the_layer_of_a_word_is_chosen_on_the_others(bert, monkeypatch):
    table = pd.DataFrame({"word": ["x"] * 4 + ["y"] * 4, "sense": ["a", "a", "b", "b"] * 2, "sentence": ""})
    apart, mixed = np.array([[0.0], [0.1], [9.0], [9.1]]), np.array([[0.0], [9.0], [0.0], [9.0]])
    vectors = np.stack([np.concatenate([apart, mixed]), np.concatenate([mixed, apart])], axis=1)  # (8, 2 layers, 1)
    monkeypatch.setattr(measures, "word_vectors", lambda *_: torch.from_numpy(vectors))
    answers, layers = measures.sense_answers(bert, table)
    assert layers == {"x": 1, "y": 0}  # each the other's best, and for itself the worse
    assert answers[0].tolist()[:4] == [1.0] * 4
    assert answers["chosen"].tolist() == answers.loc[:3, 1].tolist() + answers.loc[4:, 0].tolist()


def test_the_bag_of_words_knows_nothing_of_order():
    sentences = ["the bank lent money", "money lent the bank", "the river bank flooded", "flooded the river bank"]
    table = pd.DataFrame({"word": "bank", "sense": ["a", "a", "b", "b"], "sentence": sentences})
    assert measures.bags_of_words(table).tolist() == [1.0] * 4


def test_the_higher_score_is_chosen_and_pairs_that_differ_in_the_same_words_are_one_item():
    table = pd.DataFrame(
        {"good": ["It was hot.", "We were hot.", "A cat is."], "bad": ["It were hot.", "We was hot.", "A cat are."]}
    )
    result = measures.choice_result(table, np.array([5.0, 1.0, 2.0, 4.0, 1.0, 3.0]))
    assert [column.tolist() for column in result.columns] == [[0, 1.5], [1, 2]]  # are / is, and was / were


def test_the_true_word_is_chosen_among_those_of_its_topic(bert):
    folder = Path(bertlab.__file__).parent / "bertlab-mini"
    masked_lm = BertForMaskedLM.from_pretrained(folder, dtype=torch.float32).eval()
    facts = bertlab.data.read("facts").query("topic in ['capitals', 'time']").reset_index(drop=True)
    ask = pipeline("fill-mask", model=masked_lm, tokenizer=bert.tokenizer)
    expected = {"capitals": 0, "time": 0}
    for fact in facts.itertuples():
        words = facts.loc[facts["topic"] == fact.topic, "true"].str.lower().tolist()
        expected[fact.topic] += ask(fact.template, targets=words)[0]["token_str"] == fact.true.lower()
    said = [bertlab.masking.fill_mask(bert, text, 16_000).set_index("piece") for text in facts["template"]]
    probabilities = [table["probability"] for table in said]
    result = measures.fact_result(facts["topic"], facts["true"].str.lower(), probabilities)
    assert result.columns[0].tolist() == [*expected.values()]
    assert 0 < sum(expected.values()) < 12, "else this test would see no difference"


def test_the_clearest_head_is_chosen_on_one_half_and_measured_on_the_other():
    sums = np.array([[[4, 1]], [[4, 1]], [[2, 9]], [[3, 9]]])  # (texts, layers, heads)
    tallies = dict.fromkeys(measures.PATTERNS, Tally(sums, np.ones(4), np.full(4, 10)))
    results, clearest = measures.head_results(tallies, "items")
    assert clearest["next"] == "layer 0, head 0"
    assert results[Measure("head", way="next")].value == 5 / 20


def test_a_model_that_splits_a_word_is_not_asked_for_facts_and_each_probe_can_be_answered(bert):
    assert not measures.one_piece_each(bert.tokenizer, ["hippopotamuses"])
    vocabulary = bert.tokenizer.get_vocab()
    for answers in bertlab.data.read("fill_mask_probes")["answers"]:
        assert not vocabulary.keys().isdisjoint(answers.split("|"))

"""What is measured equals transformers' own figures and counts by hand."""

from pathlib import Path

import numpy as np
import pandas as pd
import torch
from transformers import BertForMaskedLM, pipeline

import bertlab
import measures


def test_the_layer_of_a_word_is_chosen_on_the_others(bert, monkeypatch):
    table = pd.DataFrame({"word": ["x"] * 4 + ["y"] * 4, "sense": ["a", "a", "b", "b"] * 2, "sentence": ""})
    apart, mixed = np.array([[0.0], [0.1], [9.0], [9.1]]), np.array([[0.0], [9.0], [0.0], [9.0]])
    vectors = np.stack([np.concatenate([apart, mixed]), np.concatenate([mixed, apart])], axis=1)  # (8, 2 layers, 1)
    monkeypatch.setattr(measures, "word_vectors", lambda *_: torch.from_numpy(vectors))
    answers, layers = measures.sense_answers(bert, table)
    assert layers == {"x": 1, "y": 0}  # each the other's best, and for itself the worse
    assert answers[0].tolist()[:4] == [1.0] * 4
    assert answers["chosen"].tolist() == answers.loc[:3, 1].tolist() + answers.loc[4:, 0].tolist()


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

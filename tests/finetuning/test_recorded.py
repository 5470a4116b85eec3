"""The recorded runs of lesson 8: what is planned and measured, and the tables that ship."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bertlab
import record_finetuning as record
from bertlab import data

KEYS = ["model", "pairs", "epochs", "rate", "seed"]


def test_the_tables_that_ship_hold_what_is_planned_and_runs_on_fewer_pairs_have_as_many_steps():
    table, planned = data.read("finetuning_runs"), pd.DataFrame(record.plan("bertlab-mini", 3))
    assert table[KEYS].equals(planned[KEYS])
    mini = planned[planned["model"] == "bertlab-mini"]
    assert set(mini["pairs"] * mini["epochs"]) == {3600}
    assert (table["of"] == record.TESTED).all()
    assert table["right"].between(0, table["of"]).all()
    kinds, planned = data.read("finetuning_kinds"), pd.DataFrame(record.by_kind("bertlab-mini", 3))
    assert kinds[["model", "epochs", "seed"]].equals(planned[["model", "epochs", "seed"]])
    assert (kinds["both active, the same"] <= 100).all()
    table = data.read("finetuning_constructions")
    planned = [[name, place] for name in record.CONSTRUCTIONS for place in ("first", "second")]
    assert table[["construction", "place"]].to_numpy().tolist() == planned
    assert set(table["of"]) == {2 * record.TESTED}
    words = data.read("word_class_runs")
    assert len(words[["seed", "new_of"]].drop_duplicates()) == 3
    assert (words["new_right"] <= words["new_of"]).all()
    assert (words.query("model == 'untrained twin'")["learned"] > 0.95).all(), "trained to the end"


def test_a_new_construction_is_put_beside_both_known_ones_once_the_same_and_once_not():
    events = pd.DataFrame({"agent": ["cat"], "verb": ["blamed"], "patient": ["dog"]})
    pairs = record.beside_known(events, record.CONSTRUCTIONS["had often blamed"], new_first=False)
    assert pairs.to_numpy().tolist() == [
        ["The cat blamed the dog.", "The cat had often blamed the dog.", 1],
        ["The dog blamed the cat.", "The cat had often blamed the dog.", 0],
        ["The dog was blamed by the cat.", "The cat had often blamed the dog.", 1],
        ["The cat was blamed by the dog.", "The cat had often blamed the dog.", 0],
    ]


def test_a_run_counts_what_is_right_on_words_never_shown(tiny, monkeypatch):
    trained = []
    monkeypatch.setattr(record, "train", lambda classifier, *_, **options: trained.append((classifier, options)))
    settings = [record.Setting("x", 4, 1, 1e-3, 3), record.Setting(record.TWIN, 4, 2, 1e-3, 3, record.MIXED)]
    test = bertlab.finetuning.role_pairs(12, "test").iloc[::2]
    table = record.counted(tiny, settings, test)
    for (classifier, options), right, setting in zip(trained, table["right"], settings, strict=True):
        answers = bertlab.finetuning.predict(classifier, bertlab.finetuning.as_texts(test))
        assert right == (answers.numpy() == test["same"]).sum()
        assert options == {"epochs": setting.epochs, "rate": 1e-3, "group_size": 2, "seed": 3}
    assert table["model"].tolist() == ["x", record.TWIN]


def test_with_one_noun_a_pair_words_are_drawn_again_as_scipy_draws_pairs():
    values = np.random.default_rng(5).random(200)
    pairs = pd.DataFrame({"agent": [f"noun {i}" for i in range(200)], "patient": "cat", "verb": "saw"})
    expected = stats.bootstrap((values,), np.mean, method="percentile", rng=1).confidence_interval  # 95 %
    # Of a thousand draws, each end is known to a twelfth of a standard error; those of 90 % would be a third inside.
    assert record.by_words(pairs, values) == pytest.approx(tuple(expected), abs=0.2 * values.std() / 200**0.5)

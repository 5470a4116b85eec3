"""The recorded runs of lesson 8: what is planned and measured, and the table that ships."""

import pandas as pd
import pytest

import bertlab
import record_finetuning as record
import record_words
from bertlab import data

COUNTED = ["right", "of", "learned", "six_right", "six_of"]
KINDS = list(record.six_kinds(1))


@pytest.mark.parametrize(
    ("name", "planned", "columns"),
    [
        ("finetuning_runs", record.plan("bertlab-mini", 3), ["right", "of"]),
        ("finetuning_longer", record.longer(3), ["right", "of", "learned"]),
        ("finetuning_kinds", record.by_kind("bertlab-mini", 3), [*COUNTED, *KINDS]),
    ],
)
def test_the_tables_that_ship_hold_the_runs_that_are_planned_each_once(name, planned, columns):
    table, runs = data.read(name), pd.DataFrame(planned)
    keys = [key for key in runs if key in table]
    assert table.columns.tolist() == [*keys, *columns]
    assert table.sort_values(keys)[keys].to_numpy().tolist() == runs.sort_values(keys)[keys].to_numpy().tolist()
    assert not runs.duplicated().any()
    assert table["right"].between(0, record.TESTED).all()
    assert (table["of"] == record.TESTED).all()


def test_runs_on_fewer_pairs_have_as_many_steps_and_longer_twins_have_learned_their_own_pairs():
    assert {run.pairs * run.epochs for run in record.plan("bertlab-mini", 3)} == {3600}
    twins = data.read("finetuning_longer")
    assert (twins["learned"] > 0.98 * twins["pairs"]).all(), "trained to the end"


def test_the_runs_of_words_that_ship_are_those_planned():
    table, planned = data.read("word_class_runs"), pd.DataFrame(record_words.plan("bertlab-mini", 3))
    assert table[list(planned)].equals(planned)
    assert set(table["of"]) == {len(" ".join(data.read("news_words")["words"]).split())}
    assert len(table[["seed", "new_of"]].drop_duplicates()) == 3
    assert (table["new_right"] <= table["right"]).all()
    assert (table.query("model == 'untrained twin'")["learned"] > 0.95).all(), "trained to the end"


def test_the_constructions_that_ship_were_each_asked_in_both_places_of_all_events():
    table = data.read("finetuning_constructions")
    assert table.columns.tolist() == ["construction", "place", "seed 0", "seed 1", "seed 2", "of"]
    planned = [[name, place] for name in record.CONSTRUCTIONS for place in ("first", "second")]
    assert table[["construction", "place"]].to_numpy().tolist() == planned
    assert set(table["of"]) == {2 * record.TESTED}


def test_a_new_construction_is_put_beside_both_known_ones_once_the_same_and_once_not():
    events = pd.DataFrame({"agent": ["cat"], "verb": ["blamed"], "patient": ["dog"]})
    pairs = record.beside_known(events, record.CONSTRUCTIONS["had often blamed"], new_first=False)
    assert pairs.to_numpy().tolist() == [
        ["The cat blamed the dog.", "The cat had often blamed the dog.", 1],
        ["The dog blamed the cat.", "The cat had often blamed the dog.", 0],
        ["The dog was blamed by the cat.", "The cat had often blamed the dog.", 1],
        ["The cat was blamed by the dog.", "The cat had often blamed the dog.", 0],
    ]


def test_a_run_of_words_counts_all_words_and_those_that_training_never_showed(tiny):
    settings = [setting._replace(epochs=1) for setting in record_words.plan("tiny", 1)]
    table = record_words.measure(tiny, settings, learned=4, asked=slice(6)).set_index("model")
    assert (table["new_of"] < table["of"]).all()
    assert (table["new_right"] <= table["right"]).all()
    assert set(table["of"]) == {len(" ".join(data.read("news_words")["words"][:6]).split())}
    assert table.loc["the rule", "learned"] > 0.95


def test_a_run_counts_what_is_right_on_words_never_shown(tiny, monkeypatch):
    trained = []
    monkeypatch.setattr(record, "train", lambda classifier, *_, **options: trained.append((classifier, options)))
    settings = [record.Setting("x", 4, 1, 1e-3, 3), record.Setting(record.TWIN, 4, 2, 1e-3, 3, record.MIXED)]
    table = record.measure(tiny, settings, tested=6)
    test = bertlab.finetuning.role_pairs(12, "test").iloc[::2]
    for (classifier, options), right, setting in zip(trained, table["right"], settings, strict=True):
        answers = bertlab.finetuning.predict(classifier, bertlab.finetuning.as_texts(test))
        assert right == (answers.numpy() == test["same"]).sum()
        assert options == {"epochs": setting.epochs, "rate": 1e-3, "group_size": 2, "seed": 3}
    assert table[["of", "six_of"]].to_numpy().tolist() == [[6, 18]] * 2
    for counted in (table, data.read("finetuning_kinds")):
        assert counted.columns.tolist() == [*record.Setting._fields, *COUNTED, *KINDS]
        assert counted[KINDS].sum(axis=1).tolist() == counted["six_right"].tolist()

"""The recorded runs of lesson 8: what is planned and measured, and the table that ships."""

import pandas as pd

import bertlab
import record_finetuning as record
from bertlab import data

KEYS = ["model", "pairs", "epochs", "rate", "seed"]
OF_LONGER = [*KEYS, "voices", "right", "of", "learned", "six_right", "six_of"]


def test_the_table_that_ships_holds_what_is_planned_each_once_with_as_many_steps_on_fewer_pairs():
    table = data.read("finetuning_runs")
    planned = pd.DataFrame(record.plan("bertlab-mini", 3)).drop(columns="voices")
    assert table.columns.tolist() == [*KEYS, "right", "of"]
    assert table.sort_values(KEYS)[KEYS].to_numpy().tolist() == planned.sort_values(KEYS).to_numpy().tolist()
    assert not planned.duplicated().any()
    assert set(planned["pairs"] * planned["epochs"]) == {3600, 1800}
    assert (table["of"] == record.TESTED).all()
    assert table["right"].between(0, table["of"]).all()


def test_the_longer_runs_that_ship_are_those_planned_and_twins_have_learned_their_own_pairs():
    table, planned = data.read("finetuning_longer"), pd.DataFrame(record.longer("bertlab-mini", 3))
    keys = [*KEYS, "voices"]
    assert table.columns.tolist() == OF_LONGER
    assert table.sort_values(keys)[keys].to_numpy().tolist() == planned.sort_values(keys)[keys].to_numpy().tolist()
    twins = table[table["model"] == record.TWIN]
    assert (twins["learned"] > 0.98 * twins["pairs"]).all(), "trained to the end"
    assert (table["six_of"] == 3 * record.TESTED).all()


def test_a_run_counts_what_is_right_on_words_never_shown(tiny, monkeypatch):
    trained = []
    monkeypatch.setattr(record, "train", lambda classifier, *_, **options: trained.append((classifier, options)))
    settings = [record.Setting("x", 4, 1, 1e-3, 3), record.Setting(record.TWIN, 4, 2, 1e-3, 3, record.MIXED)]
    table = record.measure(tiny, settings, tested=6)
    test = bertlab.finetuning.role_pairs(12, "test").iloc[::2]
    for (classifier, options), right, setting in zip(trained, table["right"], settings, strict=True):
        answers = bertlab.finetuning.predict(classifier, bertlab.finetuning.as_texts(test))
        assert right == (answers.numpy() == test["same"]).sum()
        assert options == {"epochs": setting.epochs, "rate": 1e-3, "together": 2, "seed": 3}
    assert table["of"].tolist() == [6, 6]
    assert table["six_of"].tolist() == [18, 18]
    assert table.columns.tolist() == OF_LONGER
    assert table["model"].tolist() == ["x", record.TWIN]

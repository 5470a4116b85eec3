"""The recorded runs of lesson 8: what is planned and measured, and the table that ships."""

import pandas as pd

import bertlab
import record_finetuning as record
from bertlab import data

KEYS = ["model", "pairs", "epochs", "rate", "seed"]


def test_the_table_that_ships_holds_what_is_planned_each_once_with_as_many_steps_on_fewer_pairs():
    table = data.read("finetuning_runs")
    planned = pd.DataFrame(record.plan("bertlab-mini", 3))
    assert table.columns.tolist() == [*KEYS, "right", "of"]
    assert table.sort_values(KEYS)[KEYS].to_numpy().tolist() == planned.sort_values(KEYS).to_numpy().tolist()
    assert not planned.duplicated().any()
    assert set(planned["pairs"] * planned["epochs"]) == {3600, 1800}
    assert (table["of"] == record.TESTED).all()
    assert table["right"].between(0, table["of"]).all()


def test_a_run_counts_what_is_right_on_words_never_shown(tiny, monkeypatch):
    trained = []
    monkeypatch.setattr(record, "train", lambda classifier, *_, **options: trained.append((classifier, options)))
    settings = [record.Setting("x", 4, 1, 1e-3, 3), record.Setting(record.TWIN, 4, 2, 1e-3, 3)]
    table = record.measure(tiny, settings, tested=6)
    test = bertlab.finetuning.role_pairs(12, "test").iloc[::2]
    for (classifier, options), right, setting in zip(trained, table["right"], settings, strict=True):
        answers = bertlab.finetuning.predict(classifier, record.texts_of(test))
        assert right == (answers.numpy() == test["same"]).sum()
        assert options == {"epochs": setting.epochs, "rate": 1e-3, "together": 2, "seed": 3}
    assert table["of"].tolist() == [6, 6]
    assert table["model"].tolist() == ["x", record.TWIN]

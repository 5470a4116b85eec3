"""Many runs: what is planned, measured and written, and the table that ships."""

import pandas as pd
import pytest

import bertlab
from bertlab import data
from bertlab.finetuning import __main__ as command
from bertlab.finetuning import predict, role_pairs

COLUMNS = ["model", "pairs", "epochs", "rate", "seed", "right", "of"]


def test_runs_on_fewer_pairs_take_as_many_steps_and_none_stands_twice():
    runs = command.plan("mini", 2)
    assert len(set(runs)) == len(runs)
    usual = [run for run in runs if run.rate == command.RATE and run.epochs != command.EPOCHS // 2]
    assert {run.pairs * run.epochs for run in usual} == {command.EPOCHS * 600}
    assert {run.seed for run in runs} == {0, 1}
    assert sum(run.model == command.TWIN for run in runs) == 2


def test_the_table_that_ships_is_what_the_command_writes():
    table = data.read("finetuning_runs")
    assert table.columns.tolist() == COLUMNS
    seeds = table["seed"].nunique()
    assert seeds >= 3
    planned = pd.DataFrame(command.plan("bertlab-mini", seeds))
    keys = COLUMNS[:5]
    assert sorted(map(tuple, table[keys].to_numpy().tolist())) == sorted(map(tuple, planned[keys].to_numpy().tolist()))
    assert (table["of"] == command.TESTED).all()
    assert table["right"].between(0, table["of"]).all()


def test_a_run_counts_what_is_right_on_words_never_shown(tiny_folder, monkeypatch):
    bert = bertlab.load(tiny_folder)
    seen = []
    train = command.train
    monkeypatch.setattr(command, "TESTED", 6)

    def watched(classifier, *rest, **given):
        seen.append(classifier)
        return train(classifier, *rest, **given)

    monkeypatch.setattr(command, "train", watched)
    runs = [command.Run("x", 4, 1, 1e-3, 3), command.Run(command.TWIN, 4, 1, 1e-3, 3)]
    table = command.measure(bert, runs)
    test = role_pairs(12, "test").iloc[::2]
    said = [predict(each, list(zip(test["first"], test["second"], strict=True))).tolist() for each in seen]
    expected = [sum(a == b for a, b in zip(answers, test["same"], strict=True)) for answers in said]
    assert table["right"].tolist() == expected
    assert table["of"].tolist() == [6, 6]
    assert table["model"].tolist() == ["x", command.TWIN]


def test_the_command_writes_its_table(tiny_folder, tmp_path, monkeypatch, capsys):
    def plan(name, seeds):
        return [command.Run(name, 2, 1, 1e-3, seed) for seed in range(seeds)]

    monkeypatch.setattr(command, "plan", plan)
    path = tmp_path / "runs.csv"
    assert command.main([str(path), "--checkpoint", str(tiny_folder), "--seeds", "2"]) == 0
    assert "2 runs in" in capsys.readouterr().out
    assert pd.read_csv(path)["seed"].tolist() == [0, 1]


def test_what_cannot_be_written_is_said_before_anything_slow(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "load", lambda _: pytest.fail("it was loaded"))
    assert command.main([str(tmp_path / "no" / "runs.csv")]) == 1
    assert "There is no folder" in capsys.readouterr().err

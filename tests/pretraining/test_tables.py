"""What lesson 7 says of recorded runs is computed from them."""

import pandas as pd

import bertlab
import record
from bertlab.pretraining import tables


def test_a_run_that_only_touches_the_mark_has_not_learned_it_yet():
    shares = {0: 0.0, 25: 0.6, 50: 0.2, 75: 0.6, 100: 0.7}
    run = pd.DataFrame({"seed": 0, "step": shares.keys(), "agrees": shares.values(), "agrees_frequencies": 0.0})
    assert tables.reached(run, "agrees", 0.5).tolist() == [75]
    assert tables.reached(run, "agrees", 0.8).tolist() == [float("inf")]


def test_shares_of_ten_runs_stand_beside_ones_own_and_words_that_are_not_there_are_said():
    runs = bertlab.data.read("left_out_runs")
    yours = {"young cat": 0.7, "seen teacher": float("nan"), "seen girl": 0.9}
    table = tables.left_out(runs, yours)
    of = runs[runs["text"] == "whole"]["seen_girl"]
    assert table.loc["seen girl", "whole, ten runs"] == f"{of.mean():.2f} ({of.min():.2f} to {of.max():.2f})"
    assert table["without them, yours"].tolist() == ["0.70", "no such words", "0.90"]
    assert tables.left_out(runs.iloc[:0], yours).columns.tolist() == ["without them, yours"]


def test_recorded_runs_step_aside_for_another_text(capsys):
    runs, (_, text) = bertlab.data.read("left_out_runs"), record.draw()
    assert tables.of_this_text(runs, text) is runs
    other = [tuple("horse" if word == "dog" else word for word in sentence) for sentence in text]
    assert len(tables.of_this_text(runs, other)) == 0
    assert "learned another language" in capsys.readouterr().out

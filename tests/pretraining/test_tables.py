"""What lesson 7 says of recorded runs is computed from them, in all its branches."""

import pandas as pd
import pytest

import bertlab
import record
from bertlab.pretraining import tables

NAN = float("nan")


def recorded(*ends):
    """Return runs, one for each pair of ends, in which two things are learned from step 100 to these ends."""
    rows = []
    for seed, (agrees, fits) in enumerate(ends):
        for step in (0, 100, 100 + agrees, 100 + fits):
            shares = [0.9 if step >= 100 + end else 0.25 * (step > 0) for end in (agrees, fits)]
            rows.append((seed, step, *shares))
    runs = pd.DataFrame(rows, columns=["seed", "step", "agrees", "fits_alone"])
    return runs.assign(agrees_frequencies=0.0, fits_alone_frequencies=0.0, fits_object=1.0, fits_object_frequencies=0.0)


def test_what_comes_suddenly_is_said_of_the_median_run():
    runs = recorded((50, 300), (75, 400), (100, 500))
    answer, because = tables.what_comes_suddenly(runs)
    assert answer == "a"
    assert because == (
        "beyond word frequencies, ten runs have learned a tenth of agreement by step 100 and half by step 175; "
        "a tenth of who barks by step 100 and half by step 500 (medians)."
    )
    assert tables.what_comes_suddenly(runs.assign(agrees=0.05))[0] == "c"
    assert tables.what_comes_suddenly(runs.assign(fits_alone=runs["agrees"]))[0] == "a and b"


def test_when_so_much_was_learned_is_a_median():
    table = tables.when_learned(recorded((50, 300), (75, 400), (500, 450)))
    assert table.loc["75% learned"].tolist() == ["by step 175", "by step 0", "by step 500"]
    assert "left out" in tables.when_learned(recorded((50, 300)).iloc[:0])


@pytest.mark.parametrize(("cat", "teacher", "answer"), [(0.8, 0.1, "a"), (0.1, 0.8, "b"), (0.8, 0.5, "c"), (0, 0, "d")])
def test_what_is_expected_is_half_of_the_rules_probability_without_the_sentences(cat, teacher, answer):
    runs = pd.DataFrame({"young_cat": [cat, 2.0], "seen_teacher": [teacher, 2.0], "text": ["without them", "whole"]})
    letter, because = tables.what_is_expected(runs)
    assert letter == answer
    assert f"young cat gets {cat:.2f} ({cat:.2f} to {cat:.2f}) and seen teacher gets {teacher:.2f}" in because


def test_shares_of_ten_runs_stand_beside_ones_own_and_words_that_are_not_there_are_said():
    runs = bertlab.data.read("left_out_runs")
    yours = {"young cat": 0.7, "seen teacher": NAN, "seen girl": 0.9}
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


@pytest.mark.parametrize(("read", "unread", "answer"), [(0.4, 1.9, "a"), (0.4, 0.8, "b"), (0.9, 1.9, "c")])
def test_below_the_floor(read, unread, answer):
    assert tables.below_the_floor(read, unread, 0.89)[0] == answer


def test_the_lessons_answers_are_those_of_the_tables_that_ship():
    runs = bertlab.data.read("small_language_runs")
    assert tables.what_comes_suddenly(runs[runs["run"] == "lesson"])[0] == "a"
    assert tables.what_is_expected(bertlab.data.read("left_out_runs"))[0] == "a"

"""What lesson 7 says of recorded runs is computed from them, in all its branches."""

import pandas as pd
import pytest

import bertlab
from bertlab.pretraining import tables


def test_what_comes_at_once_is_said_of_the_middle_run():
    rows = []
    for seed, (agrees, fits) in enumerate([(50, 300), (75, 400), (100, 500)]):
        for step in (0, 100, 100 + agrees, 100 + fits):
            shares = [0.9 if step >= 100 + end else 0.25 * (step > 0) for end in (agrees, fits)]
            rows.append((seed, step, *shares))
    runs = pd.DataFrame(rows, columns=["seed", "step", "agrees", "fits"])
    runs = runs.assign(agrees_frequencies=0.0, fits_frequencies=0.0)
    answer, because = tables.what_comes_at_once(runs)
    assert answer == "agreement"
    assert because.endswith("agreement, 75 steps; who barks, 400 steps (middle one of ten runs).")
    assert tables.what_comes_at_once(runs.assign(agrees=0.1))[0] == "neither"


@pytest.mark.parametrize(
    ("cat", "teacher", "answer"), [(6, 6, "both"), (6, 5, "young cat"), (0, 10, "seen teacher"), (5, 5, "neither")]
)
def test_what_is_expected_counts_the_runs_without_the_sentences(cat, teacher, answer):
    shares = {"young_cat": [0.5] * cat + [0.4] * (10 - cat), "seen_teacher": [0.9] * teacher + [0.1] * (10 - teacher)}
    runs = pd.concat([pd.DataFrame(shares).assign(text="without them"), pd.DataFrame({"text": ["whole"]})])
    said = f"young cat in {cat}, seen teacher in {teacher} of 10 runs."
    assert tables.what_is_expected(runs) == (answer, said)


def test_the_lessons_answers_are_those_of_the_tables_that_ship():
    runs = bertlab.data.read("small_language_runs")
    assert tables.what_comes_at_once(runs[runs["run"] == "lesson"])[0] == "agreement"
    assert tables.what_is_expected(bertlab.data.read("left_out_runs"))[0] == "young cat"

"""Lesson 5's sentences follow from the numbers of its tables."""

import numpy as np
import pandas as pd
import pytest

from bertlab.paraphrase import verdicts
from bertlab.paraphrase.benchmark import Benchmark


@pytest.mark.parametrize(("accuracy", "says"), [(0.75, "known beforehand): ours. "), (0.7, "beforehand): none. ")])
def test_a_system_is_above_one_answer_where_its_whole_interval_is(accuracy, says):
    table = pd.DataFrame({"accuracy": {"ours": accuracy, "word overlap": 0.65}})
    sentence = verdicts.beside_one_answer(Benchmark(table, 120, 0.65, "word overlap"))
    assert sentence.startswith("One answer for all pairs has an accuracy of 0.65.")
    assert says in sentence


@pytest.mark.parametrize(
    ("noise", "says"), [(0.1, "go more with word"), (30, "are not shown to go"), (-1, "go less with word")]
)
def test_cosines_go_with_what_they_follow_more(noise, says):
    chance = np.random.default_rng(0)
    overlap, grades = chance.normal(size=(2, 200))
    cosines = grades if noise < 0 else overlap + noise * chance.normal(size=200)
    assert verdicts.with_overlap_or_grades(cosines, overlap, grades).startswith(f"The cosines {says}")


def test_p_values_are_written_as_they_are_read():
    table = pd.DataFrame({"ahead": [0.123, 0.5, 0.5, 0.5], "p": [1e-5, 0.0561, 0.222, 1.0]})
    shown = verdicts.rounded(table)
    assert shown["p"].tolist() == ["< 0.001", "0.056", "0.22", "1.00"]
    assert shown["ahead"].tolist() == [0.12, 0.5, 0.5, 0.5]

"""Lesson 5's sentences follow from the numbers that they are made of."""

import numpy as np
import pytest

from bertlab.paraphrase import verdicts


@pytest.mark.parametrize(
    ("noise", "says"),
    [
        (0.1, "(Spearman 0.99) more than the grades (-0.10)."),
        (30, "and neither is shown to be ahead."),
        (-1, "less than the grades (1.00)."),
    ],
)
def test_cosines_go_with_what_they_follow_more(noise, says):
    chance = np.random.default_rng(0)
    overlap, grades = chance.normal(size=(2, 200))
    cosines = grades if noise < 0 else overlap + noise * chance.normal(size=200)
    assert verdicts.with_overlap_or_grades(cosines, overlap, grades).endswith(says)


@pytest.mark.parametrize(
    ("noise", "says"), [(1, "1.00, ahead of other with 0."), (0, "1.00, not shown to be ahead of other with 1.00")]
)
def test_the_best_is_held_against_the_second_and_not_against_the_last(noise, says):
    grades = np.arange(100) % 6
    chance = np.random.default_rng(0).normal(size=(2, 100))
    systems = {"last": 9 * chance[0], "other": grades + noise * chance[1], "best": grades}
    assert says in verdicts.best_beside_second(dict(sorted(systems.items())), grades)

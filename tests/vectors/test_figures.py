"""Lesson 3's figure is tested on what it draws, and on its caption."""

import numpy as np
import pytest

from bertlab.vectors import figures
from rounding import assert_rounded_equal

APART = [[1, 0.9, 0.2, 0.1], [0.9, 1, 0.3, 0.2], [0.2, 0.3, 1, 0.8], [0.1, 0.2, 0.8, 1]]
MIXED = [[1, 0.9, 0.2, 0.1], [0.9, 1, 0.3, 0.2], [0.2, 0.3, 1, 0.1], [0.1, 0.2, 0.1, 1]]
TIED = np.where(np.eye(4), 1, 0.5)


@pytest.mark.parametrize(("cosines", "count"), [(APART, 4), (MIXED, 2), (TIED, 0)])
def test_one_word_has_a_table_for_each_layer_and_a_nearest_one_of_the_other_kind_does_not_count(cosines, count):
    names = ["money, a", "money, b", "river, c", "river, d"]
    shown = figures.one_word("bank", {"first": np.ones((4, 4)), "last": cosines}, names)
    left, right = (ax.collections[0] for ax in shown.axes.figure.axes)
    assert_rounded_equal(right.get_array(), cosines)
    assert left.get_clim() == right.get_clim() == (np.min(cosines), 1)
    assert shown.caption.endswith(f"First: all are 1. Last: {count} of 4 are nearest to one of their own kind.")


def test_names_without_a_kind_are_kinds_of_their_own():
    shown = figures.one_word("bank", {"last": APART}, ["a", "b", "c", "d"])
    assert shown.caption.endswith("Last: 0 of 4 are nearest to one of their own kind.")

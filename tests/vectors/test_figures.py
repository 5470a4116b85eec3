"""Lesson 3's figure is tested on what it draws, and on its caption."""

import pytest
import torch

from bertlab.vectors import figures
from rounding import assert_rounded_equal

APART = [[1, 0.9, 0.2, 0.1], [0.9, 1, 0.3, 0.2], [0.2, 0.3, 1, 0.8], [0.1, 0.2, 0.8, 1]]
MIXED = [[1, 0.9, 0.2, 0.1], [0.9, 1, 0.3, 0.2], [0.2, 0.3, 1, 0.1], [0.1, 0.2, 0.1, 1]]


@pytest.mark.parametrize(("cosines", "count"), [(APART, 4), (MIXED, 2)])
def test_one_word_has_a_table_for_each_layer_and_a_nearest_one_of_the_other_kind_does_not_count(cosines, count):
    names = ["money, a", "money, b", "river, c", "river, d"]
    shown = figures.one_word("bank", {"first": torch.ones(4, 4), "last": torch.tensor(cosines)}, names)
    left, right = (ax.collections[0] for ax in shown.axes.figure.axes)
    assert_rounded_equal(right.get_array(), cosines)
    assert_rounded_equal([left.get_clim(), right.get_clim()], [(0.1, 1)] * 2)
    assert shown.caption.endswith(f"First: all are 1. Last: {count} of 4 are nearest to one of their own kind.")

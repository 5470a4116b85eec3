"""Williams' test, against a published value and by how often it finds a difference."""

import numpy as np
import pytest
from scipy import stats

from bertlab.evidence import LEVEL
from bertlab.evidence.tests import williams, williams_t


def test_williams_t_is_the_published_one():
    # The example of r.test in R's psych (Revelle): 103 items, correlations .4 and .5, .1 between: t 0.89, p 0.37.
    t = williams_t(0.4, 0.5, 0.1, 103)
    assert t == pytest.approx(-0.89, abs=5e-3)
    assert 2 * stats.t.sf(abs(t), 100) == pytest.approx(0.37, abs=5e-3)


def test_williams_finds_a_difference_where_there_is_one_and_else_one_time_in_twenty():
    rng = np.random.default_rng(3)

    def shown(noise):
        target = rng.normal(size=80)
        one, other = (target + size * rng.normal(size=80) for size in (1, noise))
        p = williams(one, other, target)
        assert p == pytest.approx(williams(other, one, target))
        return p < LEVEL

    assert 0.02 < np.mean([shown(noise=1) for _ in range(600)]) < 0.08
    assert np.mean([shown(noise=5) for _ in range(100)]) > 0.9


def test_williams_of_the_same_order_and_of_no_order():
    assert williams(range(9), np.arange(9) ** 2, [3, 1, 2, 4, 5, 9, 8, 7, 6]) == 1
    assert np.isnan(williams(range(9), np.arange(9) ** 2 % 4, np.ones(9)))


def test_williams_has_no_answer_for_three_items_or_one_way_turned_round():
    assert np.isnan(williams([1, 2, 3], [1, 3, 2], [2, 1, 3]))
    assert np.isnan(williams(range(9), range(9, 0, -1), [3, 1, 2, 4, 5, 9, 8, 7, 6]))

"""Ways judged on the same items: against hand arithmetic, scipy's McNemar by the binomial, and published values."""

from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

from bertlab.evidence import beside_controls, holm, spread, verdict, wilson


def test_wilson_equals_its_formula():
    z, n, share = NormalDist().inv_cdf(0.975), 40, 34 / 40
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    assert wilson(34, 40) == pytest.approx((share, middle - half, middle + half))


@pytest.mark.parametrize(("successes", "low", "high"), [(0, 0.0, 0.278), (10, 0.722, 1.0)])
def test_wilson_is_no_point_at_the_edges(successes, low, high):
    assert wilson(successes, 10)[1:] == pytest.approx((low, high), abs=5e-4)  # Newcombe 1998, method 3: .2775


@pytest.mark.parametrize(("successes", "trials"), [(1, 0), (3, 2), (-1, 2)])
def test_wilson_refuses_what_cannot_be(successes, trials):
    with pytest.raises(ValueError):  # noqa: PT011, scipy words it
        wilson(successes, trials)


def test_holm_by_hand():
    assert holm([0.02, 0.01, 0.5, 0.03]) == pytest.approx([0.06, 0.04, 0.5, 0.06])
    assert holm([0.6, 0.9]) == pytest.approx([1.0, 1.0])


def ways():
    rng = np.random.default_rng(3)
    return {"BERT": rng.random(60) < 0.9, "twin": rng.random(60) < 0.5, "overlap": rng.random(60) < 0.85}


def test_a_paired_comparison_is_mcnemars():
    found = ways()
    table = beside_controls(found)
    assert table["share"].tolist() == pytest.approx([v.mean() for v in found.values()])
    raw = []
    for name in ("twin", "overlap"):
        only_first = int((found["BERT"] & ~found[name]).sum())
        only_other = int((~found["BERT"] & found[name]).sum())
        raw.append(2 * min(stats.binom.cdf(min(only_first, only_other), only_first + only_other, 0.5), 0.5))
    smaller = int(np.argmin(raw))
    corrected = [0.0, 0.0]
    corrected[smaller] = 2 * raw[smaller]
    corrected[1 - smaller] = max(raw[1 - smaller], corrected[smaller])
    assert table["p"].tolist()[1:] == pytest.approx(corrected)
    assert np.isnan(table["p"].iloc[0])


def test_items_of_a_group_count_together():
    # Ten sentences of six pieces: within one, all pieces are right or wrong at once. So there are ten facts, not sixty.
    groups = np.repeat(np.arange(10), 6)
    first, other = np.repeat([1] * 9 + [0], 6), np.repeat([0] * 5 + [1] * 5, 6)
    alone = beside_controls({"a": first, "b": other})
    together = beside_controls({"a": first, "b": other}, groups)
    assert together.attrs == {"items": 60, "groups": 10}
    assert together["share"].tolist() == alone["share"].tolist()
    assert together.loc["a", "high"] - together.loc["a", "low"] > alone.loc["a", "high"] - alone.loc["a", "low"]
    # Six groups differ, five of them one way: of 2**6 sign flips, 14 are as far out.
    assert together.loc["b", "p"] == pytest.approx(14 / 64)
    assert alone.loc["b", "p"] < 0.001


@pytest.mark.parametrize(
    ("found", "groups", "message"),
    [
        ({"a": [1, 0], "b": [1]}, None, "a 2, b 1"),
        ({"a": [], "b": []}, None, "same items"),
        ({"a": [1, 0.5], "b": [1, 0]}, None, "'a' is right"),
        ({"a": [1, 0], "b": [1, float("nan")]}, None, "'b' is right"),
        ({"a": [1, 0], "b": [1, 0]}, ["x"], "each item has one"),
    ],
)
def test_what_cannot_be_compared_is_refused(found, groups, message):
    with pytest.raises(ValueError, match=message):
        beside_controls(found, groups)


def test_the_verdict_says_what_is_shown_and_what_is_not():
    right = {"BERT": [1] * 18 + [0] * 2, "twin": [1] * 2 + [0] * 18, "rule": [1] * 17 + [0] * 3, "oracle": [1] * 20}
    said = verdict(beside_controls(right), "words")
    assert said.startswith("BERT is right in 0.90 [0.70, 0.97] of 20 words: more often than twin (0.10, p < 0.001).")
    assert said.endswith("Not shown: more often than rule (0.85), oracle (1.00).")
    worse = {"BERT": [0] * 12, "rule": [1] * 12}
    assert "Less often than rule (1.00, p < 0.001)." in verdict(beside_controls(worse), "words")


def test_a_spread_is_mean_and_range():
    assert spread([0.25, 0.75, 0.5]) == (0.5, 0.25, 0.75)
    assert str(spread([-0.001, 0.0])) == "0.00 (0.00 to 0.00)"
    with pytest.raises(ValueError, match="each seed"):
        spread([])

"""Ways judged on the same items: against hand arithmetic, scipy's McNemar by the binomial, and published values."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bertlab.evidence import beside_controls, holm, interval, lead, spread, verdict, wilson


@pytest.mark.parametrize(("right", "of", "low", "high"), [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605)])
def test_wilsons_interval_is_the_published_one(right, of, low, high):
    assert wilson(right, of) == pytest.approx((right / of, low, high), abs=5e-5)  # Newcombe 1998, table I, method 3


def test_a_spread_is_the_mean_and_the_range_of_runs():
    assert str(spread([3, 1, 2.5])) == "2.17 (1.00 to 3.00)"
    assert str(spread([-0.001, 0.0])) == "0.00 (0.00 to 0.00)"


def test_what_is_missing_is_told_and_not_dropped():
    for missing in (None, float("nan"), pd.NA):
        with pytest.raises(ValueError, match=r"^groups must name one for each item"):
            beside_controls({"a": [1, 0, 1], "b": [0, 0, 1]}, [missing, "a", "b"])


def test_holm_by_hand():
    assert holm([0.02, 0.01, 0.5, 0.03]) == pytest.approx([0.06, 0.04, 0.5, 0.06])
    assert holm([0.6, 0.9]) == pytest.approx([1.0, 1.0])


def test_a_paired_comparison_is_mcnemars():
    rng = np.random.default_rng(3)
    found = {"BERT": rng.random(60) < 0.9, "twin": rng.random(60) < 0.5, "overlap": rng.random(60) < 0.85}
    table = beside_controls(found).table
    assert table["share"].tolist() == pytest.approx([v.mean() for v in found.values()])
    raw = []
    for name in ("twin", "overlap"):
        only_first = int((found["BERT"] & ~found[name]).sum())
        only_other = int((~found["BERT"] & found[name]).sum())
        raw.append(2 * min(stats.binom.cdf(min(only_first, only_other), only_first + only_other, 0.5), 0.5))
    assert table["p"].tolist() == pytest.approx([np.nan, *holm(raw)], nan_ok=True)


def test_items_of_a_group_count_together():
    # Ten sentences of six pieces: within one, all pieces are right or wrong at once. So there are ten facts, not sixty.
    groups = np.repeat(np.arange(10), 6)
    first, other = np.repeat([1] * 9 + [0], 6), np.repeat([0] * 5 + [1] * 5, 6)
    alone = beside_controls({"a": first, "b": other}).table
    compared = beside_controls({"a": first, "b": other}, groups)
    assert (compared.items, compared.groups) == (60, 10)
    low, high = compared.table.loc["a", ["low", "high"]]
    assert high - low > alone.loc["a", "high"] - alone.loc["a", "low"]
    # Six groups differ, five of them one way: of 2**6 sign flips, 14 are as far out.
    assert compared.table.loc["b", "p"] == pytest.approx(14 / 64)
    assert alone.loc["b", "p"] < 0.001


def test_groups_that_are_all_right_or_all_wrong_have_wilsons_interval_of_so_many_items():
    groups = [text for text in range(10) for _ in range(4)]
    table = beside_controls({"all": [1] * 40, "none": [0] * 40}, groups).table
    assert table.loc["all", ["low", "high"]].tolist() == pytest.approx((0.722, 1), abs=5e-4)  # of 10, not of 40
    assert table.loc["none", ["low", "high"]].tolist() == pytest.approx((0, 0.278), abs=5e-4)


def test_groups_of_which_as_many_are_right_do_not_differ_and_one_that_does_says_nothing():
    compared = beside_controls({"ours": [1, 1, 1, 0, 0], "theirs": [0, 0, 0, 1, 0]}, ["a", "a", "b", "b", "c"])
    assert compared.table.loc["theirs", "p"] == 1


def test_groups_are_drawn_in_the_order_in_which_they_come():
    # So the same texts have the same interval here and in a cell that calls the bootstrap by itself.
    shares = [1.0, 0.0, 0.5, 0.25, 0.75, 1.0, 0.0]
    items = [k < 4 * share for share in shares for k in range(4)]
    table = beside_controls({"one": items}, np.repeat(list("gbdface"), 4)).table
    assert table.iloc[0, :3].tolist() == pytest.approx(list(interval(shares)))


@pytest.mark.parametrize(
    ("found", "groups", "message"),
    [
        ({"a": [1, 0], "b": [1]}, None, "a 2, b 1"),
        ({"a": [], "b": []}, None, "^items is 0"),
        ({"a": [1, 0], "b": [1, float("nan")]}, None, "'b' is right"),
        ({"a": [1, 0], "b": [1, 0]}, ["x", "x"], "at least two items"),
    ],
)
def test_what_cannot_be_compared_is_refused(found, groups, message):
    with pytest.raises(ValueError, match=message):
        beside_controls(found, groups)


def test_a_lead_has_the_interval_of_its_groups_differences_and_says_in_how_many_the_first_is_ahead():
    chance, sizes = np.random.default_rng(5), np.array([2, 4, 6] * 10)
    groups = np.repeat(np.arange(30), sizes)
    ours, theirs = chance.random(120) < 0.9, (chance.random(30) < 0.6)[groups]
    found = beside_controls({"ours": ours, "theirs": theirs}, groups).table.loc["theirs"]
    sums = np.array([(ours[groups == group] * 1 - theirs[groups == group]).sum() for group in range(30)])
    assert found["lead"] == pytest.approx(ours.mean() - theirs.mean())
    drawn = chance.integers(30, size=(20_000, 30))
    ends = np.quantile(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), [0.025, 0.975])
    assert found["lead_low":"lead_high"].tolist() == pytest.approx(ends, abs=0.02)
    assert (found["ahead"], found["behind"]) == ((sums > 0).sum(), (sums < 0).sum())


def test_where_no_group_differs_a_lead_in_few_of_them_is_not_excluded():
    table = beside_controls({"ours": [1, 0] * 20, "theirs": [1, 0] * 20}, [i // 4 for i in range(40)]).table
    assert table.loc["theirs", "lead":"lead_high"].tolist() == pytest.approx([0, -0.278, 0.278], abs=5e-4)


def test_counts_are_told_with_the_groups_in_which_the_first_is_ahead():
    ways = {"this BERT": [1, 1, 1, 0, 0, 0], "rows": [1, 0, 0, 0, 1, 0], "bag": [0] * 6}
    counts = "This BERT is right in 3 of 6 sentences, rows in 2 ({}, behind in 1), bag in 0 ({}, behind in 0)."
    by_words = verdict(beside_controls(ways, list("aabbcc")), "sentences", "words")
    assert by_words == counts.format("ahead in 2 of 3 words", "ahead in 2")
    alone = verdict(beside_controls(ways), "sentences", right="finds")
    assert alone == counts.replace("is right in", "finds").format("ahead in 2", "ahead in 3")


@pytest.mark.parametrize(
    ("only_first", "only_other", "of", "told"),
    [
        (40, 0, 100, "ahead of twin by 40 of 100 words, 31 to 49"),
        (0, 40, 100, "behind twin by 40 of 100 words, 31 to 49"),
        (100, 0, 100, "ahead of twin by 100 of 100 words, 100 to 100"),
        (9, 0, 1000, "ahead of twin by 0.9 of 100 words, 0.4 to 1.5"),
        (3, 3, 300, "level with twin: a lead above 1.7 of 100 words is excluded"),
        (5, 0, 20, "beside twin too few groups differ (5 of 20) to give p below 0.05"),
        (9, 4, 40, "not decided beside twin: from 5 of 100 words behind to 30 ahead"),
        (10, 3, 60, "not decided beside twin: from 0 of 100 words behind to 23 ahead"),
    ],
)
def test_a_lead_is_told_with_its_interval_and_a_tie_by_what_it_excludes(only_first, only_other, of, told):
    ours, twin = [1] * only_first + [0] * (of - only_first), [0] * (of - only_other) + [1] * only_other
    assert lead(beside_controls({"ours": ours, "twin": twin}), "words") == told


def test_six_groups_can_give_a_small_p_beside_one_control_and_not_beside_two():
    # Of 2**6 sign flips two are as far out as six of six: 0.031, and twice that where two controls are compared.
    ways = {"ours": [1] * 6, "twin": [0] * 6}
    assert lead(beside_controls(ways), "words").startswith("ahead of twin")
    assert "; beside id too few groups differ (6 of 6)" in lead(beside_controls(ways | {"id": [0] * 6}), "words")

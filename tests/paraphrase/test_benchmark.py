"""The benchmark's figures are scipy's and scikit-learn's, and its thresholds never see the pairs they are tested on."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from bertlab.evidence import interval, spearman
from bertlab.paraphrase import compare_systems
from bertlab.paraphrase.benchmark import best_threshold, held_out_accuracy
from rounding import assert_rounded_equal

CHANCE = np.random.default_rng(3)
SCORES = CHANCE.integers(0, 11, 120) / 2
VALUES = (SCORES + CHANCE.normal(0, 1.5, 120)).round(1)  # they follow the grades with noise and with ties


@pytest.mark.parametrize(
    ("values", "labels", "threshold"),
    [
        ([1, 2, 3, 4], [0, 0, 1, 1], 2.5),
        ([1, 2, 2, 4], [0, 0, 1, 1], 1.5),
        ([1, 2, 3], [1, 1, 1], -np.inf),
        ([1, 2, 3, 4], [1, 0, 0, 0], np.inf),
    ],
)
def test_a_threshold_lies_halfway_between_neighbours_or_gives_all_one_answer(values, labels, threshold):
    assert best_threshold(np.array(values), np.array(labels, dtype=bool)) == threshold


def test_accuracy_on_noise_is_not_above_chance():
    # Chosen and tested on the same pairs, a threshold is always at least as good as one answer for all.
    chance, labels = np.random.default_rng(0), np.arange(40) % 2 == 0
    shares = [held_out_accuracy(chance.normal(size=40), labels) for _ in range(60)]
    assert np.mean(shares) == pytest.approx(0.5, abs=0.03)  # a mean of 60 tries


def test_a_row_a_system_with_scipys_and_scikit_learns_measures_and_blanks_without_a_warning(recwarn):
    compared = compare_systems({"word overlap": VALUES.round(), "ours": VALUES, "flat": np.zeros(120)}, SCORES, cut=3)
    share = (SCORES >= 3).mean()
    assert (compared.pairs, compared.majority) == (120, max(share, 1 - share))
    ours = compared.table.loc["ours"]
    expected = [stats.spearmanr(VALUES, SCORES).statistic, stats.pearsonr(VALUES, SCORES).statistic]
    expected += [held_out_accuracy(VALUES, SCORES >= 3), roc_auc_score(SCORES >= 3, VALUES)]
    assert_rounded_equal(ours[["Spearman", "Pearson", "accuracy", "AUC"]].tolist(), expected, dtype="float64")
    assert [*ours[["low", "high"]]] == list(interval(VALUES, SCORES, statistic=spearman)[1:])
    assert compared.table.loc["flat", ["Spearman", "Pearson", "low", "high"]].isna().all()
    assert compared.table.loc["flat", "AUC"] == 0.5
    rare = compare_systems({"word overlap": range(12), "ours": range(12)}, [0] * 10 + [5] * 2).table
    assert rare.loc["ours", ["Spearman", "low"]].isna().tolist() == [False, True]
    assert not recwarn.list


def test_pairs_on_which_nothing_can_be_measured_are_refused():
    with pytest.raises(ValueError, match=r"Of 6 pairs 2 have a grade of 4 or more.* 10 of them are needed"):
        compare_systems({"word overlap": range(6)}, range(6))
    with pytest.raises(ValueError, match=r"Of 12 pairs 1 have a grade of 4 or more.* two of each"):
        compare_systems({"word overlap": range(12)}, [0] * 11 + [5])

"""The benchmark's figures are scipy's and scikit-learn's, and its thresholds never see the pairs they are tested on."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import accuracy_score, roc_auc_score

from bertlab.evidence import williams
from bertlab.paraphrase import benchmark
from bertlab.paraphrase.benchmark import ahead, best_threshold, compare_systems, held_out_accuracy, measure_system
from rounding import assert_rounded_equal


@pytest.fixture
def made():
    """Grades, and a system that follows them with noise and with ties."""
    chance = np.random.default_rng(3)
    scores = chance.integers(0, 11, 120) / 2
    return (scores + chance.normal(0, 1.5, 120)).round(1), scores


class TestMeasures:
    def test_equal_scipys_and_scikit_learns(self, made):
        values, scores = made
        found = measure_system(values, scores, cut=3)
        assert_rounded_equal(found["Spearman"], stats.spearmanr(values, scores).statistic, dtype="float64")
        assert_rounded_equal(found["Pearson"], stats.pearsonr(values, scores).statistic, dtype="float64")
        assert_rounded_equal(found["AUC"], roc_auc_score(scores >= 3, values), dtype="float64")
        assert found["accuracy"] == held_out_accuracy(values, scores >= 3)

    def test_the_cut_is_a_paraphrase_itself(self):
        assert measure_system([1, 2, 3, 4], [0, 3.5, 4, 5])["AUC"] == 1
        assert measure_system([1, 3, 2, 4], [0, 3.5, 4, 5])["AUC"] == 0.75

    def test_a_system_that_says_the_same_of_all_has_no_correlation(self, made, recwarn):
        found = measure_system(np.ones(120), made[1])
        assert np.isnan(found["Spearman"])
        assert np.isnan(found["Pearson"])
        assert found["AUC"] == 0.5
        assert not recwarn.list

    @pytest.mark.parametrize(
        ("values", "scores", "says"),
        [
            ([1, 2, 3], [0, 5], "shape"),
            ([[1, 2], [3, 4]], [[0, 5], [1, 4]], "shape"),
            ([1, 2, np.nan, 4], [0, 1, 4, 5], "nan or infinite"),
            ([1, 2, 3, 4], [0, 1, np.nan, 5], "nan or infinite"),
            ([1, 2, 3, 4], [3, 3, 3, 3], "All pairs have the same grade"),
            ([], [], "All pairs have the same grade"),
            ([1, 2, 3, 4], [0, 1, 2, 5], "Of 4 pairs 1 have a grade of 4 or more"),
            ([1, 2, 3, 4], [0, 4, 4, 5], "Of 4 pairs 3 have a grade of 4 or more"),
        ],
    )
    def test_bad_input_is_refused(self, values, scores, says):
        with pytest.raises(ValueError, match=says):
            measure_system(values, scores)


class TestThreshold:
    def test_no_other_threshold_is_better(self, made):
        values, scores = made
        labels = scores >= 3
        tried = np.unique(np.concatenate([values - 0.01, values + 0.01]))
        best = max(accuracy_score(labels, values >= threshold) for threshold in tried)
        assert accuracy_score(labels, values >= best_threshold(values, labels)) == best

    def test_lies_halfway_between_neighbours(self):
        assert best_threshold([1, 2, 3, 4], [0, 0, 1, 1]) == 2.5
        assert best_threshold([1, 2, 2, 4], [0, 0, 1, 1]) == 1.5

    def test_may_give_all_one_answer(self):
        assert best_threshold([1, 2, 3], [1, 1, 1]) == -np.inf
        assert best_threshold([1, 2, 3], [0, 0, 0]) == np.inf
        assert best_threshold([1, 2, 3, 4], [1, 0, 0, 0]) == np.inf

    def test_accuracy_on_noise_is_not_above_chance(self):
        # Chosen and tested on the same pairs, a threshold is always at least as good as one answer for all.
        chance = np.random.default_rng(0)
        found = []
        for _ in range(60):
            values, labels = chance.normal(size=40), np.arange(40) % 2 == 0
            found.append(held_out_accuracy(values, labels))
        assert np.mean(found) == pytest.approx(0.5, abs=0.03)  # a mean of 60 tries

    def test_accuracy_equals_two_halves_by_hand(self, made):
        from sklearn.model_selection import StratifiedKFold

        values, scores = made
        labels = scores >= 3
        said = np.empty(120, dtype=bool)
        for practice, test in StratifiedKFold(2, shuffle=True, random_state=0).split(values, labels):
            said[test] = values[test] >= best_threshold(values[practice], labels[practice])
        assert held_out_accuracy(values, labels) == accuracy_score(labels, said)

    def test_a_pair_on_the_threshold_counts_as_a_paraphrase(self):
        from sklearn.model_selection import StratifiedKFold

        labels = np.arange(8) >= 4
        one, other = next(StratifiedKFold(2, shuffle=True, random_state=0).split(labels, labels))
        values = np.empty(8)
        values[one] = np.where(labels[one], 3, 1)  # the threshold is 2
        values[other] = np.where(labels[other], 2, 1)
        assert held_out_accuracy(values, labels) == 1

    def test_the_seed_decides_the_halves(self, made):
        values, scores = made
        found = [held_out_accuracy(values, scores >= 3, seed) for seed in [*range(8)] * 2]
        assert found[:8] == found[8:]
        assert len(set(found)) > 1

    @pytest.mark.parametrize(
        ("values", "labels", "says"),
        [
            ([1, 2, 3], [True, False], "Give each pair one of both"),
            ([1, 2, np.nan, 4], [True, True, False, False], "A similarity is nan"),
            ([1, 2, 3, 4], ["yes", "yes", "no", "no"], "True or False"),
            ([1, 2, 3, 4], [0, 0, 1, np.nan], "True or False"),
            ([1, 2, 3, 4], [0, 2.5, 4, 5], "True or False, for example scores >= 4"),
        ],
    )
    def test_what_has_no_threshold_is_refused(self, values, labels, says):
        for function in (best_threshold, held_out_accuracy):
            with pytest.raises(ValueError, match=says):
                function(values, labels)

    def test_two_halves_need_both_kinds(self):
        with pytest.raises(ValueError, match="Of 4 pairs 1 are paraphrases"):
            held_out_accuracy([1, 2, 3, 4], [0, 0, 0, 1])

    def test_order_of_pairs_and_scale_of_similarities_do_not_matter_to_ranks(self, made):
        values, scores = made
        found = measure_system(values, scores, cut=3)
        scaled = measure_system(np.exp(values), scores, cut=3)
        for name in ("Spearman", "AUC"):
            assert_rounded_equal(scaled[name], found[name], dtype="float64")
        assert abs(scaled["Pearson"] - found["Pearson"]) > 0.01


class TestAhead:
    def test_is_the_difference_with_scipys_paired_bootstrap(self, made):
        values, scores = made
        other = np.random.default_rng(8).normal(size=120)

        def difference(a, b, grades):
            return stats.spearmanr(a, grades).statistic - stats.spearmanr(b, grades).statistic

        found = ahead(values, other, scores)
        theirs = stats.bootstrap(
            (values, other, scores),
            difference,
            paired=True,
            vectorized=False,
            n_resamples=1000,
            method="percentile",
            rng=np.random.default_rng(0),
        ).confidence_interval
        assert_rounded_equal(found.value, difference(values, other, scores), scale=1, dtype="float64")
        assert_rounded_equal([found.low, found.high], [theirs.low, theirs.high], scale=1, dtype="float64")
        assert found.excludes_zero

    def test_a_system_is_not_ahead_of_itself(self, made):
        assert ahead(made[0], made[0], made[1]) == (0, 0, 0)

    def test_pairing_narrows_the_interval_of_two_systems_that_agree(self, made):
        values, scores = made
        near = values + np.random.default_rng(5).normal(0, 0.05, 120)
        found = ahead(values, near, scores)
        alone = benchmark.interval(values, scores, statistic=benchmark.spearman)
        assert found.high - found.low < (alone.high - alone.low) / 3

    def test_few_pairs_are_refused(self):
        assert ahead(range(10), range(10), range(10)).value == 0
        with pytest.raises(ValueError, match="There are 9 pairs, and an interval over pairs takes 10 or more"):
            ahead(range(9), range(9), range(9))


class TestCompare:
    def test_few_pairs_are_refused(self):
        with pytest.raises(ValueError, match="There are 6 pairs, and an interval over pairs takes 10 or more"):
            compare_systems({"word overlap": range(6)}, [0, 1, 2, 3, 4, 5])

    def test_pairs_of_which_a_sample_may_hold_one_grade_alone_have_no_interval_and_no_warning(self, recwarn):
        table = compare_systems({"word overlap": range(12), "ours": range(12)}, [0] * 10 + [5] * 2)
        assert table.loc["ours", ["Spearman", "ahead"]].notna().all()
        assert table.loc["ours", ["low", "high", "ahead low", "ahead high"]].isna().all()
        assert not recwarn.list

    @pytest.fixture
    def table(self, made):
        values, scores = made
        return compare_systems({"word overlap": values.round(), "ours": values, "flat": np.zeros(120)}, scores, cut=3)

    def test_one_row_a_system_with_its_measures(self, made, table):
        values, scores = made
        assert table.index.tolist() == ["word overlap", "ours", "flat"]
        for name, value in measure_system(values, scores, 3).items():
            assert table.loc["ours", name] == value
        found = ahead(values, values.round(), scores)
        assert table.loc["ours", ["ahead", "ahead low", "ahead high"]].tolist() == list(found)
        assert table.loc["ours", "low"] < table.loc["ours", "Spearman"] < table.loc["ours", "high"]

    def test_each_difference_has_a_p_value_corrected_for_their_number(self, made):
        values, scores = made
        others = [values + np.random.default_rng(seed).normal(size=120) for seed in range(2)]
        table = compare_systems({"word overlap": values, "one": others[0], "other": others[1]}, scores, cut=3)
        smaller, larger = sorted(williams(other, values, scores) for other in others)
        assert np.isnan(table.loc["word overlap", "p"])
        assert sorted(table["p"].iloc[1:]) == [min(1, 2 * smaller), min(1, max(2 * smaller, larger))]

    def test_what_is_not_defined_is_blank(self, table):
        assert table.loc["flat", ["Spearman", "Pearson", "low", "high", "ahead"]].isna().all()
        assert table.loc["word overlap", ["ahead", "ahead low", "ahead high"]].isna().all()

    def test_nothing_is_ahead_of_a_reference_without_an_order(self, made, recwarn):
        table = compare_systems({"flat": np.zeros(120), "ours": made[0]}, made[1], reference="flat")
        assert table.loc["ours", ["ahead", "ahead low", "ahead high"]].isna().all()
        assert table.loc["ours", ["Spearman", "low", "high"]].notna().all()
        assert not recwarn.list

    def test_says_how_many_pairs_and_what_one_answer_would_reach(self, made, table):
        share = (made[1] >= 3).mean()
        assert table.attrs == {"pairs": 120, "majority": max(share, 1 - share), "reference": "word overlap"}

    def test_an_unknown_reference_is_refused(self, made):
        with pytest.raises(ValueError, match="no system 'word overlap' to compare with; there are ours"):
            compare_systems({"ours": made[0]}, made[1])

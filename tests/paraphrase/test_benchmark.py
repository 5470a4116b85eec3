"""The benchmark's figures are scipy's and scikit-learn's, and its thresholds never see the pairs they are tested on."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import accuracy_score, roc_auc_score

import bertlab
from bertlab.figures import plots
from bertlab.paraphrase import benchmark
from bertlab.paraphrase import figures as benchmark_plots
from bertlab.paraphrase import similarity as paraphrase
from bertlab.paraphrase.benchmark import ahead, best_threshold, compare_systems, held_out_accuracy, main, measure_system
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
        assert table.attrs == {"pairs": 120, "majority": max(share, 1 - share)}

    def test_an_unknown_reference_is_refused(self, made):
        with pytest.raises(ValueError, match="no system 'word overlap' to compare with; there are ours"):
            compare_systems({"ours": made[0]}, made[1])


class TestCommandLine:
    @pytest.fixture
    def file(self, tmp_path):
        pairs = paraphrase.read_pairs().iloc[::12]
        path = tmp_path / "pairs.csv"
        pairs.to_csv(path, index=False)
        return path

    def test_prints_a_table_writes_csv_and_figure_and_shows_progress(self, tiny_folder, file, tmp_path, capsys):
        glove = tmp_path / "glove.txt"
        glove.write_text("the 1 0.5\na 0.5 2\nis -1 1\n", encoding="utf-8")
        options = ["--layers", "--glove", glove, "--csv", tmp_path / "t.csv", "--figure", tmp_path / "t.png"]
        assert main([str(part) for part in (tiny_folder, file, *options)]) == 0
        said = capsys.readouterr()
        table = pd.read_csv(tmp_path / "t.csv", index_col="system")
        expected = ["[CLS]", "mean", "max", "static rows", "mean, layer 0", "mean, layer 1"]
        expected += [f"untrained twin, {name}" for name in expected[:4]] + ["word overlap", "TF-IDF", "GloVe"]
        assert table.index.tolist() == expected
        assert all(name in said.out for name in expected)
        assert "28 pairs" in said.out
        assert "batch" in said.err
        assert (tmp_path / "t.png").read_bytes()[:4] == b"\x89PNG"
        pairs = paraphrase.read_pairs(file)
        values = paraphrase.similarities(bertlab.load(tiny_folder), pairs)
        expected = stats.spearmanr(values, pairs["score"]).statistic
        assert_rounded_equal(table.loc["mean", "Spearman"], expected, dtype="float64")

    def test_without_a_file_it_takes_the_lessons_own_pairs_and_the_cut_is_that_of_the_command(
        self, tiny_folder, monkeypatch, capsys
    ):
        monkeypatch.setattr("bertlab.evidence.RESAMPLES", 10)  # this is not about the intervals
        assert main([str(tiny_folder), "--cut", "3"]) == 0
        raw = bertlab.data.read("graded_pairs")
        share = ((raw["grade_a"] + raw["grade_b"]) / 2 >= 3).mean()
        assert f"{len(raw)} pairs; " in (said := capsys.readouterr().out)
        assert f"an accuracy of {max(share, 1 - share):.3f}." in said

    def test_pairs_are_refused_before_a_checkpoint_is_loaded(self, tmp_path, capsys):
        path = tmp_path / "pairs.csv"
        path.write_text("a,b,1\nc,d,2\n", encoding="utf-8")
        assert main([str(tmp_path / "none"), str(path)]) == 1
        assert "Of 2 pairs 0 have a grade of 4 or more" in capsys.readouterr().err

    def test_few_pairs_are_refused_before_a_checkpoint_is_loaded(self, tmp_path, capsys):
        path = tmp_path / "pairs.csv"
        path.write_text("a,b,1\nc,d,2\ne,f,4\ng,h,5\n", encoding="utf-8")
        assert main([str(tmp_path / "none"), str(path)]) == 1
        assert "There are 4 pairs" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("text", "says"),
        [("a,b,7\n", "the score 7"), ("a,b\n", "2 columns"), ("a,b,1\nc,d,1\n", "same grade"), ("", "no rows")],
    )
    def test_bad_pairs_are_one_line_and_status_one(self, tiny_folder, tmp_path, capsys, text, says):
        path = tmp_path / "pairs.csv"
        path.write_text(text, encoding="utf-8")
        assert main([str(tiny_folder), str(path)]) == 1
        said = capsys.readouterr()
        assert says in said.err
        assert said.out == ""

    @pytest.mark.parametrize("option", ["--csv", "--figure"])
    def test_nothing_is_measured_for_a_file_that_cannot_be_written(self, file, tmp_path, monkeypatch, capsys, option):
        monkeypatch.setattr(benchmark, "_run", lambda options: pytest.fail("it was measured"))
        assert main(["bertlab-mini", str(file), option, str(tmp_path / "none" / "table")]) == 1
        assert f"There is no folder '{tmp_path / 'none'}'" in capsys.readouterr().err
        (tmp_path / "table").mkdir()
        assert main(["bertlab-mini", str(file), option, str(tmp_path / "table")]) == 1
        assert "is a folder" in capsys.readouterr().err

    def test_a_full_disk_leaves_the_old_table_and_the_new_one_is_printed(
        self, file, made, tmp_path, monkeypatch, full_disk, capsys
    ):
        values, scores = made
        table = compare_systems(
            {f"a long name, {i}": values for i in range(9)} | {"word overlap": values}, scores, cut=3
        )
        monkeypatch.setattr(benchmark, "_run", lambda options: table)
        (tmp_path / "t.csv").write_text("old", encoding="utf-8")
        with full_disk():
            assert main(["bertlab-mini", str(file), "--csv", str(tmp_path / "t.csv")]) == 1
        said = capsys.readouterr()
        assert "could not be written" in said.err
        assert "a long name, 8" in said.out
        assert (tmp_path / "t.csv").read_text(encoding="utf-8") == "old"

    def test_unknown_checkpoints_and_files_too(self, file, tmp_path, capsys):
        assert main([str(tmp_path / "none"), str(file)]) == 1
        assert main(["bertlab-mini", str(tmp_path / "none.csv")]) == 1
        assert "Traceback" not in capsys.readouterr().err


class TestPlots:
    @pytest.fixture
    def correlations(self, made):
        """A table of three systems, and the picture of it with its points and intervals, from top to bottom."""
        values, scores = made
        table = compare_systems({"ours": values, "word overlap": values.round(), "random": values[::-1]}, scores, cut=3)
        ax = benchmark_plots.correlations(table)
        points = [line for line in ax.lines if len(line.get_xdata()) == 1]
        spans = [line for line in ax.lines if line.get_linewidth() == 4]
        return table, ax, points, spans

    def test_correlations_draw_the_tables_numbers_row_by_row(self, correlations):
        table, ax, points, spans = correlations
        assert [line.get_xdata()[0] for line in points] == table["Spearman"].tolist()
        assert [list(line.get_xdata()) for line in spans] == table[["low", "high"]].to_numpy().tolist()
        assert [line.get_ydata()[0] for line in points] == [0, 1, 2]
        assert [set(line.get_ydata()) for line in spans] == [{0}, {1}, {2}]
        assert [label.get_text() for label in ax.get_yticklabels()] == ["ours", "word overlap", "random"]
        assert ax.yaxis_inverted(), "the first system is on top"
        assert ax.get_xlabel() == "Spearman correlation with the grades"

    def test_correlations_show_the_control_in_orange_and_in_another_shape(self, correlations):
        _, _, points, spans = correlations
        blue, orange = plots.PALETTE[:2]
        assert [line.get_color() for line in points] == [line.get_color() for line in spans] == [blue, orange, blue]
        assert points[0].get_marker() == points[2].get_marker() != points[1].get_marker()

    def test_correlations_have_a_line_at_zero(self, correlations):
        _, ax, *_ = correlations
        (zero,) = [line for line in ax.lines if line.get_linestyle() == "--"]
        assert list(zero.get_xdata()) == [0, 0]

    def test_roc_has_the_area_that_auc_names(self, made):
        values, scores = made
        ax = benchmark_plots.roc({"ours": values}, scores >= 3)
        curve = ax.lines[0]
        area = np.trapezoid(curve.get_ydata(), curve.get_xdata())
        assert_rounded_equal(area, measure_system(values, scores, 3)["AUC"], dtype="float64")
        # By hand: at the highest threshold that takes any, these pairs are found.
        first = values == values.max()
        assert curve.get_ydata()[1] == (first & (scores >= 3)).sum() / (scores >= 3).sum()
        assert ax.get_xlabel() == "share of the others taken for paraphrases"
        assert ax.get_ylabel() == "share of the paraphrases found"

    def test_roc_tells_systems_apart_and_from_guessing(self, made):
        values, scores = made
        ax = benchmark_plots.roc({"ours": values, "rounded": values.round()}, scores >= 3)
        assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ours", "rounded"]
        ours, rounded, guessing = ax.lines
        assert ours.get_color() != rounded.get_color()
        assert ours.get_linestyle() != rounded.get_linestyle()  # told apart without colours, too
        assert list(guessing.get_xdata()) == list(guessing.get_ydata()) == [0, 1]

    def test_strips_draw_every_point_in_its_row_and_the_mark(self):
        ax = benchmark_plots.strips({"low": [0.1, 0.2], "high": [0.8, 0.9, 0.9]}, mark=0.25, x="cosine")
        rows = [np.asarray(drawn.get_offsets()) for drawn in ax.collections]
        assert [row[:, 0].tolist() for row in rows] == [[0.1, 0.2], [0.8, 0.9, 0.9]]
        assert all(abs(row[:, 1] - place).max() < 0.5 for place, row in enumerate(rows))
        assert len({tuple(point) for point in rows[1]}) == 3
        assert list(ax.lines[0].get_xdata()) == [0.25, 0.25]
        assert [
            (tick, label.get_text()) for tick, label in zip(ax.get_yticks(), ax.get_yticklabels(), strict=True)
        ] == [
            (0, "low"),
            (1, "high"),
        ]
        assert ax.yaxis_inverted(), "the first group is on top"
        assert ax.get_xlabel() == "cosine"

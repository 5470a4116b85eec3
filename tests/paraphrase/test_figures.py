"""Each figure of lesson 5 draws the numbers it was given, and its caption says what they show."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.metrics import roc_auc_score

from bertlab.paraphrase import figures
from bertlab.paraphrase.benchmark import Benchmark

FIRST = SimpleNamespace(tokens=["[CLS]", "it", "rain", "##ed", "[SEP]"])
SECOND = SimpleNamespace(tokens=["[CLS]", "rain", "fell", "[SEP]"])


def texts(labels):
    return [label.get_text() for label in labels]


class TestTokenCosines:
    # it - fell .3, rain - rain .9, ##ed - rain .4: one of three pieces is nearest to itself.
    COSINES = torch.tensor(
        [[1.0, 0.1, 0.2, 0.9], [0, 0.2, 0.3, 0], [0, 0.9, 0.5, 0.95], [0, 0.4, -0.2, 0], [0.9, 0, 0, 1]]
    )

    def test_draws_the_cosines_with_the_tokens_beside_them_and_counts_the_same_pieces(self):
        figure = figures.token_cosines(FIRST, SECOND, self.COSINES)
        ax = figure.axes
        assert np.array_equal(ax.collections[0].get_array().reshape(5, 4), self.COSINES)
        assert ax.collections[0].get_clim() == (-1, 1)
        assert "For 1 of the 3 pieces of the first sentence" in figure.caption
        assert "All 20 cosines lie between -0.20 and 1.00." in figure.caption

    def test_a_cosine_just_below_zero_is_drawn_as_zero(self):
        figure = figures.token_cosines(FIRST, SECOND, self.COSINES.clamp(min=-0.001))
        assert figure.axes.collections[0].get_clim() == (0, 1)
        assert "All 20 cosines lie between 0.00 and 1.00." in figure.caption


def test_a_pair_is_drawn_through_the_others_and_those_as_high_are_counted():
    kinds = {"unrelated": [0.1, 0.2], "overlapping": torch.tensor([0.5, 0.25, 0.25])}
    figure = figures.beside_other_pairs(kinds, 0.25)
    rows = [np.asarray(drawn.get_offsets()) for drawn in figure.axes.collections]
    assert [row[:, 0].tolist() for row in rows] == [[0.1, 0.2], [0.5, 0.25, 0.25]]
    assert len({tuple(point) for point in rows[1]}) == 3, "equal cosines are drawn apart"
    assert list(figure.axes.lines[0].get_xdata()) == [0.25, 0.25]
    assert figure.caption.endswith("have as high a cosine: 3 of 5.")


class TestTokensAndPooled:
    TOKENS = np.array([[0, 0], [9, 0], [0, 9], [9, 9], [5, 5], [0, 0.01], [4, 8], [8, 4], [1, 5]])

    def figure(self, tokens=TOKENS):
        pooled = {"mean": [[4, 4], [3, 3]], "max": [[7, 7], [6, 6]]}
        return figures.tokens_and_pooled(FIRST, SECOND, tokens, pooled, 0.28)

    def test_draws_all_tokens_circles_the_pooled_vectors_and_says_how_near_they_are(self):
        figure = self.figure()
        points, circles = (np.asarray(drawn.get_offsets()) for drawn in figure.axes.collections)
        assert np.array_equal(points[:9], self.TOKENS)
        assert points[9:].tolist() == circles.tolist() == [[4, 4], [3, 3], [7, 7], [6, 6]]
        distances = [np.hypot(*(a - b)) for i, a in enumerate(self.TOKENS) for b in self.TOKENS[:i]]
        says = f"two tokens are {np.mean(distances):.1f} apart on average, the two of mean 1.4 and the two of max 1.4."
        assert says in figure.caption

    @pytest.mark.parametrize(
        ("tokens", "named"), [(TOKENS, {9}), (np.array([[i % 3 / 5, i // 3 / 5] for i in range(9)]), range(1, 9))]
    )
    def test_no_name_covers_another_or_a_point(self, tokens, named):
        ax = self.figure(tokens).axes
        ax.get_figure().draw_without_rendering()
        boxes = [text.get_window_extent() for text in ax.texts]
        assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
        points = ax.transData.transform(ax.collections[0].get_offsets())
        assert not any(box.contains(*point) for box in boxes for point in points)
        assert len(boxes) in named


def test_grades_are_rows_from_light_to_dark_with_their_medians():
    figure = figures.cosines_by_grade([0.9, 0.5, 0.1, 0.3], [5, 1, 0, 0], 0.4)
    ax = figure.axes
    assert [np.asarray(drawn.get_offsets())[:, 0].tolist() for drawn in ax.collections] == [[0.1, 0.3], [0.5], [0.9]]
    assert texts(ax.get_yticklabels()) == ["grade 0", "grade 1", "grade 5"]
    assert "Medians from grade 0 to grade 5: 0.20, 0.50, 0.90; the highest is that of grade 5" in figure.caption


@pytest.fixture
def benchmark():
    rows = {
        "ours": (0.4, 0.3, 0.5, 0.2, 0.01),
        "word overlap": (0.2, 0.1, 0.3, np.nan, np.nan),
        "random": (0.0, -0.1, 0.1, -0.2, 0.04),
        "unsure": (0.3, 0.2, 0.4, 0.1, 0.06),
    }
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["Spearman", "low", "high", "ahead", "p"])
    return Benchmark(table, pairs=120, majority=0.65, reference="word overlap")


class TestCorrelations:
    def test_the_caption_says_who_is_ahead_and_who_is_behind(self, benchmark):
        figure = figures.correlations(benchmark, ["word overlap", "random"])
        spans = [list(line.get_xdata()) for line in figure.axes.lines if line.get_linewidth() == 4]
        assert spans == benchmark.table[["low", "high"]].to_numpy().tolist()
        points = [line for line in figure.axes.lines if len(line.get_xdata()) == 1]
        assert [line.get_xdata()[0] for line in points] == benchmark.table["Spearman"].tolist()
        assert [line.get_marker() for line in points] == ["o", "D", "D", "o"]
        assert "(Williams' test, corrected after Holm): ours; to be behind it: random." in figure.caption
        nobody = replace(benchmark, table=benchmark.table.loc[["word overlap", "unsure"]])
        assert "Holm): none; to be behind it: none." in figures.correlations(nobody).caption


def test_the_area_under_the_curve_is_the_auc_that_the_caption_names():
    labels = np.array([False, True, False, True, True])
    ours, others = np.array([0.1, 0.2, 0.3, 0.4, 0.5]), np.array([5, 4, 3, 2, 1])
    figure = figures.roc({"ours": ours, "turned": others}, labels)
    lines = figure.axes.lines
    areas = [np.trapezoid(line.get_ydata(), line.get_xdata()) for line in lines[:2]]
    assert areas == pytest.approx([roc_auc_score(labels, values) for values in (ours, others)], abs=1e-12)
    # By hand: of 3 times 2 combinations, ours is right in 5.
    assert "Area under the curve: ours: 0.83; turned: 0.17." in figure.caption
    # Where none of the two others is taken yet: ours finds two of three paraphrases, the turned one none.
    assert figure.caption.endswith(
        "where 10% of the others are taken, guessing finds 0.10 of the paraphrases; ours 0.67, turned 0.00."
    )


def test_layers_are_drawn_with_the_twins_range_and_word_overlap():
    figure = figures.correlations_by_layer([0.1, 0.5, 0.3], [[0.0, 0.1, 0.2], [0.2, 0.1, 0.0]], 0.25)
    drawn = [line.get_ydata().tolist() for line in figure.axes.lines if len(line.get_xdata()) == 3]
    assert drawn == [[0.1, 0.5, 0.3], pytest.approx([0.1, 0.1, 0.1]), [0.25, 0.25, 0.25]]
    band = figure.axes.collections[-1].get_paths()[0].vertices
    assert {(0, 0.0), (0, 0.2), (1, 0.1), (2, 0.0), (2, 0.2)} <= {(int(x), float(y)) for x, y in band}
    assert "highest value, 0.50, after layer 1; the last has 0.30." in figure.caption
    assert "2 untrained twins have 0.00 to 0.20 (the band), word overlap 0.25." in figure.caption

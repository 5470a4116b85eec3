"""Each figure of lesson 8 draws the numbers it was given, and its caption says what they show, in words that hold."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from sklearn.metrics import roc_auc_score

from bertlab.evidence import Interval, wilson
from bertlab.figures import plots
from bertlab.finetuning import figures


def points(ax):
    return [line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 1]


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


class TestKindsOfPair:
    def test_a_row_for_each_kind(self):
        ax = figures.kinds_of_pair([0.1, 0.9, 0.3, 0.7], [1, 0, 1, 0]).axes
        rows = [np.asarray(drawn.get_offsets())[:, 0].tolist() for drawn in ax.collections]
        assert rows == [[0.1, 0.3], [0.9, 0.7]]
        assert labels(ax) == ["the same", "not the same"]

    @pytest.mark.parametrize(
        ("same", "says", "area"),
        [
            ([1, 0, 0, 1] * 3, "neither kind is shown to lie higher", "0.50"),
            ([0] * 6 + [1] * 6, "it is higher for the same", "1.00"),
            ([1] * 6 + [0] * 6, "it is higher for not the same", "0.00"),
        ],
    )
    def test_says_which_kind_lies_higher(self, same, says, area):
        caption = figures.kinds_of_pair(np.arange(12) / 12, same).caption
        assert says in caption
        assert "12 pairs, 6 of which" in caption
        assert caption.endswith(f"in a share of {area}.")


def test_losses_are_drawn_beside_guessing_and_told_in_words():
    figure = figures.losses({"one": [0.7, 0.1], "other": [0.7, 0.68]})
    lines = [list(line.get_ydata()) for line in figure.axes.lines]
    assert [0.7, 0.1] in lines
    assert [np.log(2)] * 2 in lines
    assert figure.axes.xaxis.get_major_formatter()(0, None) == "1", "the first epoch is the first"
    assert figure.caption.endswith("one falls far below it; other does not fall below half of it.")


def first(count, of=100):
    """Return who got the first so many of some items right."""
    return np.arange(of) < count


RUNS = {"a": first(95), "b": first(55), "c": first(90)}


class TestBesideControls:
    def test_draws_shares_and_intervals_controls_in_orange(self):
        ax = figures.beside_controls(RUNS, {"twin": first(50)}).axes
        assert points(ax) == [0.95, 0.55, 0.9, 0.5]
        spans = [list(line.get_xdata()) for line in ax.lines if line.get_linewidth() == 4]
        assert spans == [[wilson(n, 100).low, wilson(n, 100).high] for n in (95, 55, 90, 50)]
        colours = [line.get_color() for line in ax.lines if len(line.get_xdata()) == 1]
        assert colours == [plots.PALETTE[0]] * 3 + [plots.PALETTE[1]]

    @pytest.mark.parametrize(
        ("runs", "control", "says"),
        [
            (RUNS, first(50), "is right more often than each control"),
            (RUNS, first(89), "not shown to be ahead of twin"),
            ({**RUNS, "c": first(52)}, first(51), "not shown to be ahead of twin"),  # one good run is not enough
            # Every item of the twin's is the run's, and their intervals overlap: item by item, and not by overlap.
            ({"a": first(60)}, first(48), "more often than each control"),
            ({"a": first(60)}, first(48)[::-1], "not shown to be ahead of twin"),
        ],
    )
    def test_the_middle_run_is_held_against_each_control(self, runs, control, says):
        caption = figures.beside_controls(runs, {"low": first(10), "twin": control}).caption
        assert says in caption
        assert "100 held-out items" in caption


@pytest.fixture
def table():
    rows = [
        ("mini", 50, 6, 3e-4, 0, 100),
        ("mini", 50, 6, 3e-4, 1, 120),
        ("mini", 600, 6, 1e-3, 0, 190),
        ("twin", 600, 6, 3e-4, 0, 104),
    ]
    return pd.DataFrame(rows, columns=["model", "pairs", "epochs", "rate", "seed", "right"]).assign(of=200)


def test_runs_by_pairs(table):
    figure = figures.by_pairs(table)
    mini, twin = (np.asarray(drawn.get_offsets()) for drawn in figure.axes.collections)
    assert mini[:, 1].tolist() == [0.5, 0.6, 0.95]
    assert mini[:, 0].round().tolist() == [0, 0, 1]
    assert twin[:, 1].tolist() == [0.52]
    assert figure.caption.endswith(
        "of 2 seeds, by pairs trained on: mini, 50: 0.50 to 0.60, 600: 0.95; twin, 600: 0.52."
    )


def test_runs_by_setting_name_those_that_failed(table):
    figure = figures.by_setting(table)
    (drawn,) = figure.axes.collections
    places = np.asarray(drawn.get_offsets())
    assert places[:, 0].round().tolist() == [0, 0, 0, 1], "a column a setting"
    assert sorted(places[:3, 1]) == [0.5, 0.52, 0.6]
    # At 0.0003: 100, 120 and 104 of 200, none near 0.8. At 0.001 one seed alone, which succeeded.
    assert "4 runs" in figure.caption
    assert "farthest apart with 0.0003, 6 epochs: 0.50 to 0.60. Success" in figure.caption
    assert figure.caption.endswith("better than guessing: in no setting.")
    table.loc[1, "right"] = 190
    assert figures.by_setting(table).caption.endswith("better than guessing: 0.0003, 6 epochs.")


@pytest.mark.parametrize(
    ("largest", "says"), [(0.03, "less than 0.05 of it"), (0.07, "less than 0.1 of it"), (9, "up to 2 and more of it")]
)
def test_moved_draws_each_part_and_says_a_bound(largest, says):
    figure = figures.moved({"layer 1": 0.01, "layer 2": largest})
    assert [bar.get_width() for bar in figure.axes.patches] == [0.01, largest]
    assert figure.caption.endswith(f"Every part moved by {says}.")


def test_forgotten_says_where_the_loss_has_risen():
    figure = figures.forgotten({"risen": [0.5, 0.6, 0.7], "mixed": [-1.0, 0.0, 1.0], "fallen": [-0.1, -0.2, -0.3]})
    assert points(figure.axes) == pytest.approx([0.6, 0.0, -0.2])
    assert figure.caption.endswith("lies above it for: risen.")


def test_correlations_and_what_is_gained_over_each():
    found = {"before": Interval(0.3, 0.2, 0.4), "twin": Interval(0.1, 0.0, 0.2)}
    gains = {"a": Interval(0.1, 0.05, 0.2), "b": Interval(0.1, -0.05, 0.2), "c": Interval(-0.1, -0.2, -0.05)}
    figure = figures.correlations(found, ["twin"], gains)
    assert points(figure.axes) == [0.3, 0.1]
    assert figure.caption.endswith(
        "of: a, a gain, the whole interval above zero; b, not shown, the interval holds zero; c, a loss, the whole "
        "interval below zero."
    )


def test_change_of_attention_draws_a_cell_a_head():
    gain = np.array([[0.01, -0.02], [0.0, 0.04], [0.0, 0.0]])
    figure = figures.change_of_attention(gain)
    assert np.array_equal(figure.axes.collections[0].get_array().reshape(3, 2), gain)
    assert labels(figure.axes) == ["layer 1", "layer 2", "layer 3"]
    assert figure.axes.collections[0].get_clim() == (-0.5, 0.5), "a small change is pale"
    assert figure.caption.endswith("No head has changed by 0.1 or more of its attention.")


class TestAreas:
    def test_they_are_those_of_sklearn(self):
        chance = np.random.default_rng(0)
        same = np.arange(60) % 2
        scores = {"cosine": chance.normal(size=60).round(1), "together": same + chance.normal(size=60)}
        assert points(figures.areas(scores, same).axes) == pytest.approx(
            [roc_auc_score(same, values) for values in scores.values()]
        )

    @pytest.mark.parametrize(("noise", "says"), [(0.1, "reading is shown"), (30, "reading is not shown")])
    def test_one_reading_is_ahead_of_all_others_or_not_shown_to_be(self, noise, says):
        chance = np.random.default_rng(1)
        same = np.arange(80) % 2
        together = same + noise * chance.normal(size=80)
        scores = {"before": chance.normal(size=80), "after": chance.normal(size=80), "together": together}
        assert says in figures.areas(scores, same).caption


def test_a_shortcut_is_told_in_words():
    shares = {"its like": first(199, 200), "honest": first(101, 200), "exchanged": first(2, 200)}
    figure = figures.shortcut(shares, {"TF-IDF": first(150, 200)})
    assert points(figure.axes) == [0.995, 0.505, 0.01, 0.75]
    assert "its like, nearly all; honest, as by guessing; exchanged, nearly none" in figure.caption
    assert figure.caption.endswith("TF-IDF, more than by guessing.")


def test_the_rule_of_thumb():
    figure = figures.rule_of_thumb({"seed 1": [1] * 9 + [0], "seed 2": [0] * 10})
    assert points(figure.axes) == [0.9, 0.0]
    assert "How many of 10 pairs" in figure.caption
    assert figure.caption.endswith("as the rule has it: 1 of 2 runs.")


def test_pairs_asked_again():
    figure = figures.asked_again(["swapped", "said so"], {"before": [0.9, 0.7], "after": [0.6, 0.8]})
    assert [list(line.get_xdata()) for line in figure.axes.lines] == [[0.9, 0.7], [0.6, 0.8]]
    assert figure.caption.endswith("it is: before, the lowest of all; after, not the lowest of all.")


def test_all_letters_are_of_one_size(table):
    drawn = [
        figures.losses({"one": [0.7, 0.1]}),
        figures.by_pairs(table),
        figures.beside_controls(RUNS, {"twin": first(51)}),
        figures.asked_again(["swapped", "said so"], {"before": [0.9, 0.7], "after": [0.6, 0.8]}),
    ]
    for figure in drawn:
        texts = figure.axes.get_figure().findobj(Text)
        assert {text.get_fontsize() for text in texts if text.get_text()} == {plots.STYLE["font.size"]}


class TestProbes:
    GROUPS = np.arange(100) // 2

    def told(self, *counts):
        return [first(count) for count in counts]

    def test_it_says_after_which_layers_the_model_is_ahead_of_each_control(self):
        model, twin = self.told(50, 70, 95, 95), self.told(50, 69, 60, 60)
        figure = figures.probes({"BERT": model, "a twin": twin, "another": self.told(50, 40, 40, 94)}, self.GROUPS)
        drawn = [list(line.get_ydata()) for line in figure.axes.lines if len(line.get_xdata()) == 4]
        assert drawn == [[0.5, 0.7, 0.95, 0.95], [0.5, 0.69, 0.6, 0.6], [0.5, 0.4, 0.4, 0.94]]
        assert "ahead of each of 2 controls after layer 2 of 0 to 3 " in figure.caption

    def test_a_twin_that_tells_as_much_or_more_leaves_nothing_shown(self):
        found = {"BERT": self.told(95, 60), "a twin": self.told(95, 95)}
        assert "ahead of each of 1 controls after no layer" in figures.probes(found, self.GROUPS).caption

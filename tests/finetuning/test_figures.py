"""Each figure of lesson 8 draws the numbers it was given, and its caption says what they show, in words that hold."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from bertlab.evidence import Interval
from bertlab.finetuning import figures


def points(figure):
    return [line.get_xdata()[0] for line in figure.axes.lines if len(line.get_xdata()) == 1]


def first(count, of=100):
    """Return who got the first so many of some items right."""
    return np.arange(of) < count


RUNS = {"a": first(95), "b": first(55), "c": first(90)}


@pytest.mark.parametrize(
    ("same", "says", "area"),
    [
        ([1, 0, 0, 1] * 3, "neither kind is shown to lie higher", "0.50"),
        ([0] * 6 + [1] * 6, "it is higher for the same", "1.00"),
        ([1] * 6 + [0] * 6, "it is higher for not the same", "0.00"),
    ],
)
def test_kinds_of_pair_have_a_row_each_and_the_caption_says_which_lies_higher(same, says, area):
    cosines, truth = np.arange(12) / 12, np.array(same, dtype=bool)
    figure = figures.kinds_of_pair(cosines, same)
    rows = [np.asarray(drawn.get_offsets())[:, 0].tolist() for drawn in figure.axes.collections]
    assert rows == [cosines[truth].tolist(), cosines[~truth].tolist()]
    assert says in figure.caption
    assert figure.caption.endswith(f"in a share of {area}.")


def test_losses_are_drawn_beside_guessing_and_told_in_words():
    figure = figures.losses({"one": [0.7, 0.1], "other": [0.7, 0.68]})
    assert [np.log(2)] * 2 in [list(line.get_ydata()) for line in figure.axes.lines]
    assert figure.axes.xaxis.get_major_formatter()(0, None) == "1", "the first epoch is the first"
    assert figure.caption.endswith("one falls far below it; other does not fall below half of it.")


@pytest.mark.parametrize(
    ("runs", "control", "says"),
    [
        (RUNS, first(50), "is right more often than each control"),
        (RUNS, first(89), "not shown to be ahead of twin"),
        # Every item of the twin's is the run's, and their intervals overlap: item by item, and not by overlap.
        ({"a": first(60)}, first(48), "more often than each control"),
        ({"a": first(60)}, first(48)[::-1], "not shown to be ahead of twin"),
    ],
)
def test_the_middle_run_is_held_against_each_control(runs, control, says):
    figure = figures.beside_controls(runs, {"low": first(10), "twin": control})
    shares = [right.mean() for right in [*runs.values(), first(10), control]]
    assert points(figure) == shares
    assert says in figure.caption


@pytest.fixture
def table():
    rows = [
        ("mini", 50, 6, 3e-4, 0, 100),
        ("mini", 50, 6, 3e-4, 1, 120),
        ("mini", 600, 6, 1e-3, 0, 190),
        ("twin", 600, 6, 3e-4, 0, 104),
    ]
    return pd.DataFrame(rows, columns=["model", "pairs", "epochs", "rate", "seed", "right"]).assign(of=200)


def test_runs_by_pairs_and_by_setting_name_those_that_failed(table):
    mini, _ = (np.asarray(drawn.get_offsets()) for drawn in figures.by_pairs(table).axes.collections)
    assert mini[:, 1].tolist() == [0.5, 0.6, 0.95]
    assert mini[:, 0].round().tolist() == [0, 0, 1]
    figure = figures.by_setting(table)
    # At 0.0003: 100, 120 and 104 of 200, none near 0.8. At 0.001 one seed alone, which succeeded.
    assert "farthest apart with 0.0003, 6 epochs: 0.50 to 0.60. Success" in figure.caption
    assert figure.caption.endswith("better than guessing: in no setting.")
    table.loc[1, "right"] = 190
    assert figures.by_setting(table).caption.endswith("better than guessing: 0.0003, 6 epochs.")


@pytest.mark.parametrize(
    ("largest", "says"), [(0.03, "less than 0.05"), (0.07, "less than 0.1"), (9, "up to 2 and more")]
)
def test_moved_draws_each_part_and_says_a_bound(largest, says):
    figure = figures.moved({"layer 1": 0.01, "layer 2": largest})
    assert [bar.get_width() for bar in figure.axes.patches] == [0.01, largest]
    assert figure.caption.endswith(f"Every part moved by {says} of it.")


def test_forgotten_says_where_the_loss_has_risen():
    figure = figures.forgotten({"risen": [0.5, 0.6, 0.7], "mixed": [-1.0, 0.0, 1.0], "fallen": [-0.1, -0.2, -0.3]})
    assert points(figure) == pytest.approx([0.6, 0.0, -0.2])
    assert figure.caption.endswith("lies above it for: risen.")


def test_correlations_and_what_is_gained_over_each():
    gains = {"a": Interval(0.1, 0.05, 0.2), "b": Interval(0.1, -0.05, 0.2), "c": Interval(-0.1, -0.2, -0.05)}
    figure = figures.correlations({"before": Interval(0.3, 0.2, 0.4), "twin": Interval(0.1, 0, 0.2)}, ["twin"], gains)
    assert points(figure) == [0.3, 0.1]
    says = ["a, a gain, the whole interval above zero", "b, not shown, the interval holds zero"]
    assert figure.caption.endswith(f"of: {'; '.join(says)}; c, a loss, the whole interval below zero.")


def test_change_of_attention_draws_a_cell_a_head():
    gain = np.array([[0.01, -0.02], [0.0, 0.04], [0.0, 0.0]])
    figure = figures.change_of_attention(gain)
    assert np.array_equal(figure.axes.collections[0].get_array().reshape(3, 2), gain)
    assert figure.caption.endswith("No head has changed by 0.1 or more of its attention.")


@pytest.mark.parametrize(("noise", "says"), [(0.1, "reading is shown"), (30, "reading is not shown")])
def test_areas_are_those_of_sklearn_and_one_reading_is_ahead_or_not_shown_to_be(noise, says):
    chance, same = np.random.default_rng(1), np.arange(80) % 2
    scores = {"cosine": chance.normal(size=80).round(1), "together": same + noise * chance.normal(size=80)}
    figure = figures.areas(scores, same)
    assert points(figure) == pytest.approx([roc_auc_score(same, values) for values in scores.values()])
    assert says in figure.caption


def test_a_shortcut_is_told_in_words():
    shares = {"its like": first(199, 200), "honest": first(101, 200), "exchanged": first(2, 200)}
    figure = figures.shortcut(shares, {"TF-IDF": first(150, 200)})
    assert points(figure) == [0.995, 0.505, 0.01, 0.75]
    assert "its like, nearly all; honest, as by guessing; exchanged, nearly none" in figure.caption
    assert figure.caption.endswith("TF-IDF, more than by guessing.")


def test_the_rule_of_thumb():
    figure = figures.rule_of_thumb({"seed 1": [1] * 9 + [0], "seed 2": [0] * 10})
    assert points(figure) == [0.9, 0.0]
    assert "How many of 10 pairs" in figure.caption
    assert figure.caption.endswith("as the rule has it: 1 of 2 runs.")


def test_pairs_asked_again():
    figure = figures.asked_again(["swapped", "said so"], {"before": [0.9, 0.7], "after": [0.6, 0.8]})
    assert [list(line.get_xdata()) for line in figure.axes.lines] == [[0.9, 0.7], [0.6, 0.8]]
    assert figure.caption.endswith("it is: before, the lowest of all; after, not the lowest of all.")


@pytest.mark.parametrize(
    ("twin", "says"), [((50, 69, 60, 60), "after layer 2 of 0 to 3 "), ((95, 95, 95, 95), "after no layer")]
)
def test_probes_say_after_which_layers_the_model_is_ahead_of_each_control(twin, says):
    shares = {"BERT": (50, 70, 95, 95), "a twin": twin, "another": (50, 40, 40, 94)}
    told = {name: [first(count) for count in counts] for name, counts in shares.items()}
    figure = figures.probes(told, np.arange(100) // 2)
    drawn = [list(line.get_ydata()) for line in figure.axes.lines if len(line.get_xdata()) == 4]
    assert drawn == [[count / 100 for count in counts] for counts in shares.values()]
    assert f"ahead of each of 2 controls {says}" in figure.caption

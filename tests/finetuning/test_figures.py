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


def noisy(noise):
    """Return the scores of two systems, the second with some noise beside the truth, and the truth."""
    chance, same = np.random.default_rng(1), np.arange(80) % 2
    return {"cosine": chance.normal(size=80).round(1), "together": same + noise * chance.normal(size=80)}, same


COSINES = np.arange(12) / 12
RUNS = {"a": first(95), "b": first(55), "c": first(90)}
GAINS = {"a": Interval(0.1, 0.05, 0.2), "b": Interval(0.1, -0.05, 0.2), "c": Interval(-0.1, -0.2, -0.05)}
SHARES = {"its like": first(199, 200), "honest": first(101, 200), "exchanged": first(2, 200)}
CHANGES = {"risen": [0.5, 0.6, 0.7], "mixed": [-1.0, 0.0, 1.0], "fallen": [-0.1, -0.2, -0.3]}
MEASURED = {"before": Interval(0.3, 0.2, 0.4), "twin": Interval(0.1, 0, 0.2)}
ASKED = {"before": [0.9, 0.7], "after": [0.6, 0.8]}
# At 0.0003: 100, 120 and 104 of 200, none near 0.8. At 0.001 one seed alone, which succeeded.
ROWS = [
    ("mini", 50, 6, 3e-4, 0, 100),
    ("mini", 50, 6, 3e-4, 1, 120),
    ("mini", 600, 6, 1e-3, 0, 190),
    ("twin", 600, 6, 3e-4, 0, 104),
]
TABLE = pd.DataFrame(ROWS, columns=["model", "pairs", "epochs", "rate", "seed", "right"]).assign(of=200)


@pytest.mark.parametrize(
    ("draw", "given", "says"),
    [
        (figures.kinds_of_pair, (COSINES, [1, 0, 0, 1] * 3), "neither kind is shown to lie higher"),
        (figures.kinds_of_pair, (COSINES, [0] * 6 + [1] * 6), "it is higher for the same"),
        (figures.kinds_of_pair, (COSINES, [1] * 6 + [0] * 6), "it is higher for not the same"),
        (figures.losses, ({"a": [0.7, 0.1], "b": [0.7, 0.68]},), "a falls far below it; b does not fall below half"),
        # The middle one of three runs, c, has 90.
        (figures.beside_controls, (RUNS, {"low": first(10), "twin": first(89)}), "not shown to be ahead of twin"),
        # Every item of the twin's is the run's, and their intervals overlap: item by item, and not by overlap.
        (figures.beside_controls, ({"a": first(60)}, {"twin": first(48)}), "more often than each control"),
        (figures.beside_controls, ({"a": first(60)}, {"twin": first(48)[::-1]}), "not shown to be ahead of twin"),
        (figures.by_setting, (TABLE,), "farthest apart with 0.0003, 6 epochs: 0.50 to 0.60. Success"),
        (figures.by_setting, (TABLE,), "better than guessing: in no setting."),
        (figures.by_setting, (TABLE.replace(120, 190),), "better than guessing: 0.0003, 6 epochs."),
        (figures.moved, ({"layer 1": 0.01, "layer 2": 0.03},), "Every part moved by less than 0.05 of it."),
        (figures.moved, ({"layer 1": 0.01, "layer 2": 9},), "Every part moved by up to 2 and more of it."),
        (figures.forgotten, (CHANGES,), "lies above it for: risen."),
        (figures.correlations, (MEASURED, ["twin"], GAINS), "of: a, a gain, the whole interval above zero; b, not sh"),
        (figures.correlations, (MEASURED, ["twin"], GAINS), "; c, a loss, the whole interval below zero."),
        (figures.change_of_attention, ([[0.01, -0.15]],), "No head has changed by 0.2 or more of its attention."),
        (figures.asked_again, (["swapped", "said so"], ASKED), "before, the lowest of all; after, not the lowest"),
        (figures.areas, noisy(0.1), "reading is shown"),
        (figures.areas, noisy(30), "reading is not shown"),
        (figures.shortcut, (SHARES, {}), "its like, nearly all; honest, as by guessing; exchanged, nearly none"),
        (figures.shortcut, ({}, {"TF-IDF": first(150, 200)}), "TF-IDF, more than by guessing."),
        (figures.rule_of_thumb, ({"seed 1": [1] * 9 + [0], "seed 2": [0] * 10},), "as the rule has it: 1 of 2 runs."),
    ],
)
def test_captions_say_in_words_what_is_shown(draw, given, says):
    assert says in draw(*given).caption


def test_what_was_measured_is_drawn_as_a_point_each():
    assert points(figures.beside_controls(RUNS, {"low": first(10)})) == [0.95, 0.55, 0.9, 0.1]
    assert points(figures.forgotten(CHANGES)) == pytest.approx([0.6, 0.0, -0.2])
    assert points(figures.correlations(MEASURED, ["twin"], GAINS)) == [0.3, 0.1]
    assert points(figures.shortcut(SHARES, {"TF-IDF": first(150, 200)})) == [0.995, 0.505, 0.01, 0.75]
    assert points(figures.rule_of_thumb({"seed 1": [1] * 9 + [0], "seed 2": [0] * 10})) == [0.9, 0.0]
    scores, same = noisy(0.1)
    areas = [roc_auc_score(same, values) for values in scores.values()]
    assert points(figures.areas(scores, same)) == pytest.approx(areas)


def test_bars_cells_and_rows_are_drawn_from_what_was_given():
    truth = np.array([1, 0, 0, 1] * 3, dtype=bool)
    kinds = [drawn.get_offsets()[:, 0].tolist() for drawn in figures.kinds_of_pair(COSINES, truth).axes.collections]
    assert kinds == [COSINES[truth].tolist(), COSINES[~truth].tolist()]
    mini, _ = (drawn.get_offsets() for drawn in figures.by_pairs(TABLE).axes.collections)
    assert mini[:, 1].tolist() == [0.5, 0.6, 0.95]
    assert mini[:, 0].round().tolist() == [0, 0, 1]
    assert [bar.get_width() for bar in figures.moved({"layer 1": 0.01, "layer 2": 9}).axes.patches] == [0.01, 9]
    gain = [[0.01, -0.02], [0.0, 0.04], [0.0, 0.0]]
    assert figures.change_of_attention(gain).axes.collections[0].get_array().tolist() == gain
    losses = figures.losses({"one": [0.7, 0.1], "other": [0.7, 0.68]}).axes
    assert [np.log(2)] * 2 in [list(line.get_ydata()) for line in losses.lines]
    assert losses.xaxis.get_major_formatter()(0, None) == "1", "the first epoch is the first"
    asked = figures.asked_again(["swapped", "said so"], ASKED).axes
    assert [list(line.get_xdata()) for line in asked.lines] == list(ASKED.values())


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

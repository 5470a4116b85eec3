"""Each figure of lesson 8 draws the numbers it was given, and its caption says them."""

import numpy as np
import pandas as pd
import pytest
import torch
from matplotlib.colors import to_rgba

from bertlab.figures.plots import TWIN
from bertlab.finetuning import figures, role_pairs


def points(figure):
    return [line.get_xdata()[0] for line in figure.axes.lines if len(line.get_xdata()) == 1]


def first(count, of=100):
    """Return who got the first so many of some items right."""
    return np.arange(of) < count


COSINES = np.arange(12) / 12
PAIRS = role_pairs(200, "test").iloc[::2]
RUNS = {"mini": [0.9, 0.95, 0.7], "a twin": [0.5, 0.6]}
SHARES = {"its like": first(199, 200), "honest": first(101, 200), "exchanged": first(2, 200)}
CHANGES = {"risen": [0.5, 0.6, 0.7], "mixed": [-1.0, 0.0, 1.0], "fallen": [-0.1, -0.2, -0.3]}
ROWS = [("mini", 6, 0, 100), ("mini", 6, 1, 120), ("mini", 60, 0, 190), ("twin", 6, 0, 104)]
TABLE = pd.DataFrame(ROWS, columns=["model", "epochs", "seed", "six_right"]).assign(six_of=200)
COSINES_OF_TWO = torch.tensor([[0.9, 0.8], [0.95, 0.7]])


def test_points_lie_at_what_was_given_a_point_each():
    assert points(figures.forgotten(CHANGES)) == pytest.approx([0.6, 0.0, -0.2])
    controls = [line.get_marker() == "D" for line in figures.forgotten(CHANGES).axes.lines if line.get_marker() in "oD"]
    assert controls == [False, True, True]
    assert points(figures.shortcut(SHARES, {"TF-IDF": first(150, 200)})) == [0.995, 0.505, 0.01, 0.75]


def test_bars_cells_and_rows_are_drawn_from_what_was_given():
    truth = np.array([1, 0, 0, 1] * 3, dtype=bool)
    kinds = [drawn.get_offsets()[:, 0].tolist() for drawn in figures.kinds_of_pair(COSINES, truth).axes.collections]
    assert kinds == [COSINES[truth].tolist(), COSINES[~truth].tolist()]
    medians = [line.get_xdata().tolist() for line in figures.kinds_of_pair(COSINES, truth).axes.lines]
    assert medians == [[np.median(COSINES[truth])] * 2, [np.median(COSINES[~truth])] * 2]
    written = [text.get_text() for text in figures.to_judge("A.", {"B.": "the same", "C.": "?"}).axes.texts]
    assert written == ["A.", "B.", "the same", "A.", "C.", "?"]
    mini, _ = (drawn.get_offsets() for drawn in figures.mixed_voices(TABLE).axes.collections)
    assert mini[:, 1].tolist() == [0.5, 0.6, 0.95]
    assert mini[:, 0].round().tolist() == [0, 0, 1]
    cells = figures.partners(COSINES_OF_TWO, ["A.", "B."]).axes.texts
    assert [cell.get_text() for cell in cells] == ["0.90", "0.80", "0.95", "0.70"]
    losses = figures.losses([0.7, 0.1]).axes
    assert [np.log(2)] * 2 in [list(line.get_ydata()) for line in losses.lines]
    assert losses.xaxis.get_major_formatter()(0, None) == "1", "the first epoch is the first"
    assert list(figures.step_sizes([1e-4, 3e-4, 2e-4]).axes.lines[0].get_ydata()) == [1e-4, 3e-4, 2e-4]


def test_runs_are_points_in_rows_twins_in_grey_and_the_caption_says_the_rows_it_is_told():
    figure = figures.in_rows(RUNS, "100 pairs")
    assert [drawn.get_offsets()[:, 0].tolist() for drawn in figure.axes.collections] == list(RUNS.values())
    assert [drawn.get_facecolor()[0, 0] == to_rgba(TWIN)[0] for drawn in figure.axes.collections] == [False, True]
    assert figure.caption.endswith("mini: 0.70 to 0.95; a twin: 0.50 to 0.60.")
    assert figures.in_rows(RUNS, "100 pairs", ["a twin"]).caption.endswith("run: a twin: 0.50 to 0.60.")


def test_probes_are_a_line_for_the_model_and_each_control():
    shares = {"BERT": (50, 70, 95, 95), "a twin": (50, 69, 60, 60), "another": (50, 40, 40, 94)}
    told = {name: [first(count) for count in counts] for name, counts in shares.items()}
    figure = figures.probes(told, np.arange(100) // 2)
    drawn = [list(line.get_ydata()) for line in figure.axes.lines if len(line.get_xdata()) == 4]
    assert drawn == [[count / 100 for count in counts] for counts in shares.values()]
    assert "BERT 0.50, 0.70, 0.95, 0.95; the better twin" in figure.caption

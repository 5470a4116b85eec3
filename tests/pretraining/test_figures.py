"""Lesson 7's figures are tested on the data they draw, and a caption on values whose right words are known."""

import re
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.colors import same_color

import bertlab
from bertlab import lessons
from bertlab.figures import PALETTE
from bertlab.pretraining import figures
from rounding import assert_rounded_equal

LESSON = lessons.folder() / "07_pretraining.ipynb"
LEVELS = {"knowing nothing": 4.0, "word frequencies": 3.0, "the floor": 1.0}


def drawn(ax):
    return [line.get_xydata().tolist() for line in ax.lines if line.get_label()[0] != "_"]


def assert_what_is_written_lies_inside(ax):
    ax.figure.draw_without_rendering()
    extents = [text.get_window_extent() for text in ax.texts]
    assert extents
    assert all(ax.bbox.contains(*extent.min) and ax.bbox.contains(*extent.max) for extent in extents)


def test_first_words_stand_beside_their_loss_and_it_is_drawn_where_a_run_was_begun_again():
    copies = pd.DataFrame({"step": [0, 20, 50, 60, 95], "held_out_loss": [9, 6, 4, 4.5, 3.5], "the_mat": "the of"})
    told, untold = (figures.first_words(copies, 50, told=told) for told in (True, False))
    for shown, beside in ((told, "the of"), (untold, "?")):
        assert [bar.get_width() for bar in shown.axes.patches] == [9, 6, 4, 4.5, 3.5]
        assert shown.axes.lines[0].get_ydata()[0] == 2.5, "between 50 and 60"
        assert [text.get_text() for text in shown.axes.texts] == [*[beside] * 5, "begun again"]
    assert "loss falls from 9.00 to 3.50. At the dotted line a second run begins, and it rises from 4.00 to 4.50." in (
        untold.caption
    )
    assert told.caption == "Its words begin with 'the', 'of' and end with 'the', 'of'."


def test_lesson_7_says_that_it_was_begun_again_where_the_card_says_so():
    card = (Path(bertlab.__file__).parent / "bertlab-mini" / "README.md").read_text(encoding="utf-8")
    (step,) = re.findall(r"^\| (\d+) \(begun again\) \|", card, re.M)
    said = re.findall(r"first_words\(copies, begun_again=([\d_]+), told=", LESSON.read_text("utf-8"))
    assert said == [f"{int(step):_}"] * 2


def test_the_held_out_loss_is_drawn_between_its_levels_and_ten_runs_beside_ones_own():
    ax = figures.held_out_loss({0: 4.1, 50: 2.0, 100: 1.2}, LEVELS)
    assert drawn(ax) == [[[0, 4.1], [50, 2.0], [100, 1.2]]]
    assert [line.get_ydata()[0] for line in ax.lines if line.get_linestyle() == "--"] == [4, 3, 1]
    assert_what_is_written_lies_inside(ax)
    runs = pd.DataFrame({"seed": [0, 0, 1, 1], "step": [0, 50] * 2, "loss": [4, 2, 4, 3]})
    for table, recorded in ((runs, [[4, 2], [4, 3]]), (runs.iloc[:0], [])):
        lines = figures.beside_recorded(table, {0: 4.0, 50: 1.4}, 1.0).lines
        assert [list(line.get_ydata()) for line in lines] == [*recorded, [4.0, 1.4], [1.0, 1.0]]


def test_ways_to_train_are_bars_with_their_range():
    usual = [0.20, 0.21, 0.22, 0.23, 0.24, 0.26]
    above = pd.DataFrame({"as here": usual, "more": [x - 0.1 for x in usual], "less": [x + 0.04 for x in usual]})
    ax = figures.ranges(above, "nats")
    assert_what_is_written_lies_inside(ax)
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([1.36 / 6, 0.76 / 6, 1.6 / 6])
    errors = ax.containers[0].lines[2][0].get_segments()
    assert_rounded_equal([ends[:, 0] for ends in errors], [[0.2, 0.26], [0.1, 0.16], [0.24, 0.3]])
    usual, *changed = ax.patches
    assert same_color(usual.get_facecolor(), PALETTE[0])
    assert not any(same_color(bar.get_facecolor(), colour) for bar in changed for colour in PALETTE[:2])


def test_what_is_known_is_drawn_against_the_steps_in_colours_that_are_no_models_and_no_rules():
    ax = figures.against_steps(
        pd.DataFrame({"late": [0.8, 0.85, 0.95], "early": [0.1, 0.6, 0.4]}, [0, 25, 50]), "share"
    )
    assert drawn(ax) == [[[0, 0.8], [25, 0.85], [50, 0.95]], [[0, 0.1], [25, 0.6], [50, 0.4]]]
    assert not {*PALETTE[:2]} & {line.get_color() for line in ax.lines}

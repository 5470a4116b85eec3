"""Lesson 7's figures are tested on the data they draw, and their captions on values whose right words are known."""

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

LEVELS = {"knowing nothing": 4.0, "word frequencies": 3.0, "the floor": 1.0}
LOSSES = {0: 9.0, 10: 7.0, 15: 6.5, 20: 6.0, 30: 5.0, 50: 4.0, 55: 4.2, 60: 4.5, 70: 4.1, 80: 3.9, 90: 3.7, 95: 3.5}


def drawn(shown):
    return [line.get_xydata().tolist() for line in shown.axes.lines if line.get_label()[0] != "_"]


def levels(shown):
    return [line.get_ydata()[0] for line in shown.axes.lines if line.get_linestyle() == "--"]


def test_first_words_stand_beside_their_loss_and_it_is_drawn_where_a_run_was_begun_again():
    watched = pd.DataFrame({"step": LOSSES.keys(), "held_out_loss": LOSSES.values(), "the_mat": "the of"})
    shown = figures.first_words(watched, 50, told=False)
    # At the steps 0, 10, 20, 50, 60, 80 and 95.
    assert [bar.get_width() for bar in shown.axes.patches] == [9, 7, 6, 4, 4.5, 3.9, 3.5]
    assert shown.axes.lines[0].get_ydata()[0] == 3.5, "between 50 and 60"
    assert "The loss falls from 9.00 to 3.50" in shown.caption
    assert "it rises from 4.00 to 4.50" in shown.caption
    for told in (True, False):
        shown = figures.first_words(watched, 50, told=told)
        assert [text.get_text() for text in shown.axes.texts[:7]] == ["the of" if told else "?"] * 7


def test_lesson_7_says_that_it_was_begun_again_where_the_card_says_so():
    card = (Path(bertlab.__file__).parent / "bertlab-mini" / "README.md").read_text(encoding="utf-8")
    (step,) = re.findall(r"^\| (\d+) \(begun again\) \|", card, re.M)
    lesson = lessons.read(lessons.folder() / "07_pretraining.ipynb")
    cells = [cell.source for cell in lesson.cells if "figures.first_words(" in cell.source]
    assert all(f"begun_again={int(step):_}, told=" in cell for cell in cells)
    assert cells


@pytest.mark.parametrize(
    ("last", "end"),
    [
        (1.2, "is 1.20, 0.20 nats above the floor of 1.00."),
        (0.9, "is 0.90, 0.10 nats below, by luck, the floor of 1.00."),
    ],
)
def test_the_held_out_loss_is_drawn_between_its_levels_and_what_is_left_is_said(last, end):
    shown = figures.held_out_loss({0: 4.1, 50: 2.0, 100: last}, LEVELS)
    assert drawn(shown) == [[[0, 4.1], [50, 2.0], [100, last]]]
    assert levels(shown) == [4, 3, 1]
    assert end in shown.caption


def test_what_is_known_is_drawn_beside_word_frequencies():
    table = pd.DataFrame({"late": [0.8, 0.85, 0.95], "early": [0.1, 0.6, 0.4], "never": [0.1, 0.2, 0.3]}, [0, 25, 50])
    shown = figures.what_is_known(table, {"late": 0.8, "early": 0.1, "never": 0.1})
    assert drawn(shown)[0] == [[0, 0.8], [25, 0.85], [50, 0.95]]
    assert levels(shown) == [0.8, 0.1, 0.1]
    assert shown.caption.endswith("After 50 steps: late, 0.95; early, 0.40; never, 0.30.")


def test_runs_are_drawn_beside_ones_own():
    runs = pd.DataFrame({"seed": [0, 0, 1, 1], "step": [0, 50] * 2, "loss": [4, 2, 4, 3]})
    lines = figures.ten_runs(runs, {0: 4.0, 50: 1.4}, 1.0).axes.lines
    assert [line.get_ydata().tolist() for line in lines[:3]] == [[4, 2], [4, 3], [4.0, 1.4]]


def test_runs_of_another_language_are_not_drawn():
    none = pd.DataFrame({"seed": [], "step": [], "loss": []})
    shown = figures.ten_runs(none, {0: 4.0, 50: 1.4}, 1.0)
    assert [line.get_ydata().tolist() for line in shown.axes.lines[:1]] == [[4.0, 1.4]]
    assert "The recorded runs are left out" in shown.caption


def test_variants_are_bars_with_their_range():
    usual = [0.20, 0.21, 0.22, 0.23, 0.24, 0.26]
    above = pd.DataFrame({"as here": usual, "more": [x - 0.1 for x in usual], "less": [x + 0.04 for x in usual]})
    shown = figures.variants(above)
    assert [bar.get_width() for bar in shown.axes.patches] == pytest.approx([1.36 / 6, 0.76 / 6, 1.6 / 6])
    errors = shown.axes.containers[0].lines[2][0].get_segments()
    assert_rounded_equal([ends[:, 0] for ends in errors], [[0.2, 0.26], [0.1, 0.16], [0.24, 0.3]])
    assert "the mean of 6 runs" in shown.caption
    assert shown.caption.endswith("Nearest to it ends “more”, farthest from it “less”.")


def test_blue_is_the_model_and_orange_is_for_controls():
    blue, orange = PALETTE[:2]
    table = pd.DataFrame({name: [0.5, 0.6] for name in "ab"}, index=[0, 25])
    parts = {line.get_color() for line in figures.what_is_known(table, {"a": 0.5, "b": 0.1}).axes.lines}
    assert not {blue, orange} & parts
    read, unread, _ = figures.read_and_unread({0: 4, 50: 0.5}, {0: 4, 50: 1.5}, 0.9).axes.lines
    assert unread.get_color() == blue != read.get_color()
    usual, *changed = figures.variants(pd.DataFrame({"as here": [0.2, 0.3], "more": [0.1, 0.2]})).axes.patches
    assert same_color(usual.get_facecolor(), blue)
    assert not any(same_color(bar.get_facecolor(), colour) for bar in changed for colour in (blue, orange))


def test_read_and_unread_losses_are_drawn_and_said():
    read, unread = {0: 4, 50: 0.5, 100: 0.3}, {0: 4, 50: 1.5, 100: 2.0}
    shown = figures.read_and_unread(read, unread, 0.9)
    assert drawn(shown) == [[list(point) for point in losses.items()] for losses in (read, unread)]
    assert "0.30 on those that are read, and 2.00 on the others, whose floor (dashed) is 0.90" in shown.caption

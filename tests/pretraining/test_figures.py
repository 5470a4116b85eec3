"""Lesson 7's figures are tested on the data they draw, and their captions on values whose right words are known."""

import re
from pathlib import Path

import pandas as pd
import pytest

import bertlab
from bertlab.course import notebooks as lessons
from bertlab.evidence import beside_first
from bertlab.pretraining import figures

LEVELS = {"knowing nothing": 4.0, "word frequencies": 3.0, "the floor": 1.0}
LOSSES = {0: 9.0, 10: 7.0, 15: 6.5, 20: 6.0, 30: 5.0, 50: 4.0, 55: 4.2, 60: 4.5, 70: 4.1, 80: 3.9, 90: 3.7, 95: 3.5}
WATCHED = pd.DataFrame({"step": LOSSES.keys(), "held_out_loss": LOSSES.values(), "the_mat": "the of"})


def drawn(shown):
    return {line.get_label(): line.get_xydata().tolist() for line in shown.axes.lines if line.get_label()[0] != "_"}


def levels(shown):
    return [line.get_ydata()[0] for line in shown.axes.lines if line.get_linestyle() == "--"]


def widths(shown):
    return [bar.get_width() for bar in shown.axes.patches]


def test_first_words_stand_beside_their_loss_and_it_is_drawn_where_a_run_was_begun_again():
    shown = figures.first_words(WATCHED, 50)
    ticks = [label.get_text() for label in shown.axes.get_yticklabels()]
    assert ticks == ["0", "10", "20", "50", "60", "80", "95"]
    assert widths(shown) == [9, 7, 6, 4, 4.5, 3.9, 3.5]
    (border,) = [line.get_ydata()[0] for line in shown.axes.lines if line.get_linestyle() == ":"]
    assert ticks.index("50") < border < ticks.index("60")
    assert "the loss rises from 4.00 to 4.50, and is at 3.50" in shown.caption


def test_lesson_7_says_that_it_was_begun_again_where_the_card_says_so():
    card = (Path(bertlab.__file__).parent / "bertlab-mini" / "README.md").read_text(encoding="utf-8")
    (step,) = re.findall(r"^\| (\d+) \(begun again\) \|", card, re.M)
    lesson = lessons.read(next(path for path in lessons.paths() if path.stem == "07_pretraining"))
    (cell,) = [cell.source for cell in lesson.cells if "figures.first_words(" in cell.source]
    assert f"begun_again={int(step):_})" in cell


@pytest.mark.parametrize(
    ("last", "end"),
    [
        (1.2, "is below word frequencies, and above the floor; of its distance to it at the start, less than a tenth"),
        (3.5, "is above the floor; of its distance to it at the start, a quarter or more is left."),
        (0.9, "is below word frequencies, and not above the floor, which luck can bring about on a sample of gaps."),
    ],
)
def test_the_held_out_loss_is_drawn_between_its_levels_and_what_is_left_is_said(last, end):
    shown = figures.held_out_loss({0: 4.1, 50: 2.0, 100: last}, LEVELS)
    assert drawn(shown) == {"the model": [[0, 4.1], [50, 2.0], [100, last]]}
    assert levels(shown) == [4, 3, 1]
    assert end in shown.caption


def test_what_is_known_says_what_makes_half_of_its_own_way_first():
    table = pd.DataFrame({"late": [0.8, 0.85, 0.95], "early": [0.1, 0.6, 0.4], "never": [0.1, 0.2, 0.3]}, [0, 25, 50])
    shown = figures.what_is_known(table, {"late": 0.8, "early": 0.1, "never": 0.1})
    assert drawn(shown)["late"] == [[0, 0.8], [25, 0.85], [50, 0.95]]
    assert levels(shown) == [0.8, 0.1, 0.1]
    assert shown.caption.endswith("is made in this order: early, late. Not made: never.")


def test_variants_are_called_better_where_a_test_of_all_runs_shows_it():
    usual = [0.20, 0.21, 0.22, 0.23, 0.24, 0.25]
    runs = {"as here": usual, "more": [x - 0.1 for x in usual], "less": [x + 0.04 for x in usual]}
    shown = figures.variants(beside_first(runs | {"other": usual[::-1]}))
    assert widths(shown) == pytest.approx([0.225, 0.125, 0.265, 0.225])
    assert shown.caption.endswith("better: more; worse: less; not shown to differ: other.")


def test_read_and_unread_are_said_to_part_below_what_the_rules_allow():
    read, unread = {0: 4.0, 50: 0.5, 100: 0.3}, {0: 4.0, 50: 1.5, 100: 2.0}
    shown = figures.read_and_unread(read, unread, 0.9)
    assert [y for _, y in drawn(shown)["sentences that it learns from"]] == [*read.values()]
    assert [y for _, y in drawn(shown)["sentences that it never saw"]] == [*unread.values()]
    assert "the two have parted: on the read ones the loss is below the dashed line" in shown.caption
    assert "the two stay together: on the read ones" in figures.read_and_unread(unread, unread, 0.9).caption

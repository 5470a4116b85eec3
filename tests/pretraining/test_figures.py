"""Lesson 7's figures are tested on the data they draw, and their captions on values whose right words are known."""

import re
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.text import Text

import bertlab
from bertlab.course import notebooks as lessons
from bertlab.evidence import beside_first
from bertlab.figures import plots
from bertlab.pretraining import figures


def drawn(shown):
    return {line.get_label(): line.get_xydata().tolist() for line in shown.axes.lines if line.get_label()[0] != "_"}


def levels(shown):
    return [line.get_ydata()[0] for line in shown.axes.lines if line.get_linestyle() == "--"]


def test_first_words_stand_beside_the_loss_they_go_with():
    table = pd.DataFrame({"step": [0, 1000], "held_out_loss": [10.0, 3.5], "the_mat": ["fib smell", "the of"]})
    shown = figures.first_words(table)
    assert [bar.get_width() for bar in shown.axes.patches] == [10, 3.5]
    assert [text.get_text() for text in shown.axes.texts] == ["fib smell", "the of"]
    assert [label.get_text() for label in shown.axes.get_yticklabels()] == ["0", "1,000"]
    assert "With random numbers it says 'fib', 'smell', after 1,000 steps 'the', 'of'" in shown.caption
    assert shown.caption.endswith("the loss falls from 10.0 to 3.5.")


def watched(**losses):
    steps = [int(step.removeprefix("at_")) for step in losses]
    return pd.DataFrame({"step": steps, "held_out_loss": losses.values(), "the_mat": [f"w{step}" for step in steps]})


TWO_RUNS = {"at_0": 9.0, "at_10": 7.0, "at_15": 6.5, "at_20": 6.0, "at_30": 5.0, "at_50": 4.0}
TWO_RUNS |= {"at_55": 4.2, "at_60": 4.5, "at_70": 4.1, "at_80": 3.9, "at_90": 3.7, "at_95": 3.5}


def test_where_a_run_was_begun_again_is_drawn_and_the_rise_is_told():
    shown = figures.first_words(watched(**TWO_RUNS), 50)
    ticks = [label.get_text() for label in shown.axes.get_yticklabels()]
    assert ticks == ["0", "10", "20", "50", "60", "80", "95"]
    assert [bar.get_width() for bar in shown.axes.patches] == [9, 7, 6, 4, 4.5, 3.9, 3.5]
    (border,) = [line.get_ydata()[0] for line in shown.axes.lines if line.get_linestyle() == ":"]
    assert ticks.index("50") < border < ticks.index("60")
    assert "begun again" in [text.get_text() for text in shown.axes.texts]
    assert shown.caption.startswith("bertlab-mini at 7 of 12 recorded points of its own training")
    assert "after 50 steps, the training was begun again" in shown.caption
    assert shown.caption.endswith("rises from 4.00 to 4.50, and is at 3.50 when the step size has fallen again.")


def test_a_loss_that_does_not_rise_is_not_said_to():
    shown = figures.first_words(watched(at_0=9.0, at_10=7.0, at_15=6.0), 10)
    assert shown.caption.endswith("the loss goes from 7.00 to 6.00.")
    assert [bar.get_width() for bar in shown.axes.patches] == [9, 7, 6]


@pytest.mark.parametrize("begun_again", [95, 51])
def test_a_run_is_begun_again_at_a_point_of_the_table(begun_again):
    with pytest.raises(ValueError, match="give a step of the table that is not its last"):
        figures.first_words(watched(**TWO_RUNS), begun_again)


def test_lesson_7_says_that_it_was_begun_again_where_the_card_says_so():
    card = (Path(bertlab.__file__).parent / "bertlab-mini" / "README.md").read_text(encoding="utf-8")
    (step,) = re.findall(r"^\| (\d+) \(begun again\) \|", card, re.M)
    lesson = lessons.read(next(path for path in lessons.paths() if path.stem == "07_pretraining"))
    (cell,) = [cell.source for cell in lesson.cells if "figures.first_words(" in cell.source]
    assert f"begun_again={int(step):_})" in cell


def test_all_letters_are_of_one_size():
    few = watched(at_0=10.0, at_1000=3.5)
    runs = {"as here": [0.20, 0.21, 0.22], "more": [0.10, 0.11, 0.12]}
    drawn = [
        figures.first_words(few),
        figures.first_words(watched(**TWO_RUNS), 50),
        figures.held_out_loss({0: 4.1, 50: 1.2}, LEVELS),
        figures.variants(beside_first(runs)),
    ]
    for shown in drawn:
        texts = shown.axes.get_figure().findobj(Text)
        assert {text.get_fontsize() for text in texts if text.get_text()} == {plots.STYLE["font.size"]}


LEVELS = {"knowing nothing": 4.0, "word frequencies": 3.0, "the floor": 1.0}


class TestHeldOutLoss:
    def test_the_curve_and_its_levels(self):
        shown = figures.held_out_loss({0: 4.1, 50: 2.0, 100: 1.2}, LEVELS)
        assert drawn(shown) == {"the model": [[0, 4.1], [50, 2.0], [100, 1.2]]}
        assert levels(shown) == [4, 3, 1]
        assert shown.caption == (
            "The loss on sentences that are not in the text, on an axis of equal ratios. After 100 steps it is below "
            "word frequencies, and above the floor; of its distance to it at the start, less than a tenth is left."
        )

    @pytest.mark.parametrize(("last", "said"), [(1.5, "less than a quarter"), (3.5, "a quarter or more")])
    def test_what_is_left_is_said(self, last, said):
        caption = figures.held_out_loss({0: 4.1, 50: last}, LEVELS).caption
        assert caption.endswith(f"{said} is left.")
        assert ("below word frequencies" in caption) == (last < 3)

    def test_below_the_floor_is_called_luck(self):
        caption = figures.held_out_loss({0: 4.1, 50: 0.9}, LEVELS).caption
        assert caption.endswith("and not above the floor, which luck can bring about on a sample of gaps.")


def test_above_the_floor_names_the_kind_that_is_farthest():
    table = pd.DataFrame({"noun": [3.0, 1.0], "verb": [2.0, 0.1]}, index=[0, 50])
    shown = figures.above_the_floor(table)
    assert drawn(shown) == {"noun": [[0, 3], [50, 1]], "verb": [[0, 2], [50, 0.1]]}
    assert "it is highest for noun" in shown.caption
    assert shown.caption.endswith("Less than a quarter of the distance at the start is left for verb.")


def test_what_is_known_says_what_makes_half_of_its_own_way_first():
    table = pd.DataFrame({"late": [0.8, 0.85, 0.95], "early": [0.1, 0.6, 0.4], "never": [0.1, 0.2, 0.3]}, [0, 25, 50])
    shown = figures.what_is_known(table, {"late": 0.8, "early": 0.1, "never": 0.1})
    assert drawn(shown)["late"] == [[0, 0.8], [25, 0.85], [50, 0.95]]
    assert levels(shown) == [0.8, 0.1, 0.1]
    assert shown.caption.endswith("Half of the way from there is made in this order: early, late. Not made: never.")


def test_clearest_heads_are_set_beside_a_uniform_one_at_both_ends():
    table = pd.DataFrame({"a": [0.1, 0.5], "b": [0.1, 0.25], "c": [0.25, 0.15]}, [0, 50])
    shown = figures.clearest_heads(table, 0.1)
    assert levels(shown) == [0.1]
    start, end = shown.caption.split("At the start, ")[1].split(" At the end, ")
    assert start == "a: less than twice as much; b: less than twice as much; c: more than twice as much."
    assert end == "a: more than three times as much; b: more than twice as much; c: less than twice as much."


def test_ten_runs_are_thin_and_ones_own_is_thick():
    runs = pd.DataFrame({"seed": [0, 0, 0, 1, 1, 1], "step": [0, 50, 100] * 2, "loss": [4, 2, 1.5, 4, 3, 1.25]})
    shown = figures.ten_runs(runs, {0: 4.0, 100: 1.4}, 1.0)
    assert [line.get_ydata().tolist() for line in shown.axes.lines[:3]] == [[4, 2, 1.5], [4, 3, 1.25], [4.0, 1.4]]
    assert shown.axes.lines[2].get_linewidth() > shown.axes.lines[0].get_linewidth()
    assert "2 recorded runs" in shown.caption
    assert (
        "after 50 steps from 2.00 to 3.00 and after 100 steps from 1.25 to 1.50; the floor is at 1.00" in shown.caption
    )


def test_variants_are_called_better_where_a_test_of_all_runs_shows_it():
    here = [0.20, 0.21, 0.22, 0.23, 0.24, 0.25]
    runs = {"as here": here, "more": [x - 0.1 for x in here], "less": [x + 0.04 for x in here], "other": here[::-1]}
    table = beside_first(runs)
    assert table.loc["less", "lowest"] < table.loc["as here", "highest"], "their ranges overlap"
    shown = figures.variants(table)
    assert [bar.get_width() for bar in shown.axes.patches] == pytest.approx([0.225, 0.125, 0.265, 0.225])
    assert shown.caption.endswith("better: more; worse: less; not shown to differ: other.")


@pytest.mark.parametrize(
    ("read", "unread", "said"),
    [
        ([4, 0.5, 0.3], [4, 1.5, 2.0], "the two have parted: on the read ones the loss is below the dashed line"),
        ([4, 1.0, 0.95], [4, 1.1, 1.0], "the two stay together: on the read ones the loss is above the dashed line"),
    ],
)
def test_read_and_unread(read, unread, said):
    steps = [0, 50, 100]
    shown = figures.read_and_unread(dict(zip(steps, read, strict=True)), dict(zip(steps, unread, strict=True)), 0.9)
    assert [y for _, y in drawn(shown)["sentences that it learns from"]] == read
    assert [y for _, y in drawn(shown)["sentences that it never saw"]] == unread
    assert said in shown.caption

"""The captions and answers of lesson 7: what comes suddenly, what is left above the floor, and recorded runs."""

import numpy as np
import pandas as pd

import bertlab
from bertlab.pretraining import figures, tables

LEVELS = {"knowing nothing": 4.03, "word frequencies": 2.93, "the floor": 0.89}
ALONE = {"right number": 0.5, "subject does it": 0.77}


def curve(*values):
    return dict(zip((0, 600, 1200), values, strict=True))


def recorded(agrees, fits):
    """Return ten runs in which two things are learned between two steps each."""
    rows = []
    for seed in range(10):
        for step in range(0, 1400, 50):
            ways = [np.clip((step - start) / max(end - start, 1), 0, 1) for start, end in (agrees, fits)]
            rows.append((seed, step, *ways))
    table = pd.DataFrame(rows, columns=["seed", "step", "agrees", "fits_alone"])
    return table.assign(agrees_frequencies=0.0, fits_alone_frequencies=0.0)


def shares(cat, teacher):
    table = pd.DataFrame({"young_cat": [cat] * 9 + [1.2], "seen_teacher": [teacher] * 9 + [0.1], "seen_girl": 0.9})
    return table.assign(text="without them")


def said():
    watched = pd.DataFrame(
        {"step": [0, 250, 20_000, 21_000, 24_800], "the_mat": ["fib smell", "the of", *["boy man"] * 3]}
    )
    watched["held_out_loss"] = [10, 7, 3.38, 3.58, 3.19]
    yield "the diary, untold", figures.first_words(watched, 20_000, told=False).caption
    yield "the diary", figures.first_words(watched, 20_000, told=True).caption
    yield "the loss, above the floor", figures.held_out_loss(curve(4.1, 1.2, 0.97), LEVELS).caption
    yield "the loss, below the floor", figures.held_out_loss(curve(4.1, 1.2, 0.88), LEVELS).caption
    known = pd.DataFrame({name: curve(0.1, 0.9, 0.99) for name in ALONE})
    yield "at a verb", figures.what_is_known(known, ALONE).caption
    yield "read and unread", figures.read_and_unread({0: 4.0, 700: 0.4}, {0: 4.0, 700: 1.9}, 0.89).caption
    for where, (read, unread) in {"read": (0.4, 1.9), "both": (0.4, 0.8), "neither": (0.9, 1.9)}.items():
        yield f"below the floor: {where}", "{}: {}".format(*tables.below_the_floor(read, unread, 0.89))
    runs = bertlab.data.read("small_language_runs")
    ten = runs[runs["run"] == "lesson"]
    yield "ten runs", figures.ten_runs(ten, curve(4.1, 1.2, 0.97), 0.89).caption
    yield "ten runs of another language", figures.ten_runs(ten.iloc[:0], curve(4.1, 1.2, 0.97), 0.89).caption
    usual = [0.20, 0.21, 0.22, 0.23, 0.24, 0.26]
    ways = {"as here": usual, "more": [x - 0.1 for x in usual], "less": [x + 0.04 for x in usual]}
    yield "ways to train", figures.variants(pd.DataFrame(ways)).caption
    for which, (agrees, fits) in {
        "one suddenly": ((250, 350), (50, 1100)),
        "the other": ((50, 1100), (250, 350)),
        "both": ((250, 350), (300, 350)),
        "neither": ((0, 900), (50, 5000)),
    }.items():
        yield f"what comes: {which}", "{}: {}".format(*tables.what_comes_suddenly(recorded(agrees, fits)))
    for cat, teacher in ((0.8, 0.1), (0.1, 0.8), (0.8, 0.8), (0.1, 0.1)):
        yield "what is expected", "{}: {}".format(*tables.what_is_expected(shares(cat, teacher)))

"""The verdict on ways that were judged on the same items, and on shares beside one half."""

import pandas as pd

from bertlab.evidence import beside_controls, beside_half, verdict

ITEMS = 40


def compared(right, of=ITEMS, name="this BERT", **controls):
    """Compare a method with controls; each is right on its first so many items."""
    ways = {name: right} | {control.replace("_", " "): count for control, count in controls.items()}
    return beside_controls({way: [i < count for i in range(of)] for way, count in ways.items()})


def said():
    yield "ahead of its one control", verdict(compared(30, twin=10), "searches", right="finds the partner in")
    yield "ahead of both", verdict(compared(30, twin=10, guessing=8), "sentences")
    yield "ahead of all", verdict(compared(30, twin=10, guessing=8, words=12), "sentences")
    yield "ahead of one of two", verdict(compared(30, twin=10, words=28), "sentences")
    yield "not ahead of its one control", verdict(compared(30, twin=29), "sentences")
    yield "not ahead of either", verdict(compared(30, twin=29, words=30), "sentences")
    yield "not ahead of any", verdict(compared(30, twin=29, words=30, rows=31), "sentences")
    yield "behind", verdict(compared(10, words=30), "sentences")
    yield "ahead, behind, and neither", verdict(compared(20, twin=5, words=21, rows=40), "sentences")
    yield "always right", verdict(compared(ITEMS, twin=20), "sentences")
    yield "never right", verdict(compared(0, twin=20), "sentences")
    shares = pd.Series([0.9, 0.1, 0.6], index=["nouns", "verbs", "signs"])
    yield "above, below, and neither", beside_half(shares, pd.Series([0.01, 0.01, 0.5], index=shares.index))
    yield "all above", beside_half(shares[["nouns"]], pd.Series([0.01], index=["nouns"]))

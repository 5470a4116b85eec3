"""The captions of lesson 3."""

import numpy as np

from bertlab.vectors import figures

NAMES = ["money, account", "money, loan", "river, walk", "river, trees"]
APART = np.array([[1, 0.9, 0.2, 0.1], [0.9, 1, 0.3, 0.2], [0.2, 0.3, 1, 0.8], [0.1, 0.2, 0.8, 1]])


def said():
    both = {"word table": APART**0, "last layer": APART}
    yield "a word, the table and a layer", figures.one_word("bank", both, NAMES).caption
    yield "a word in two sentences", figures.one_word("bank", {"last layer": APART[:2, :2]}, NAMES[:2]).caption

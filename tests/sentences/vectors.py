"""The captions of lesson 3 that the package words."""

import torch

from bertlab.vectors import figures

NAMES = ["money, account", "money, loan", "river, walk", "river, trees"]
APART = torch.tensor([[1, 0.9, 0.2, 0.1], [0.9, 1, 0.3, 0.2], [0.2, 0.3, 1, 0.8], [0.1, 0.2, 0.8, 1]])


def said():
    both = {"word table": torch.ones(4, 4), "last layer": APART}
    yield "a word, the table and a layer", figures.one_word("bank", both, NAMES).caption

"""The captions of lesson 3."""

import numpy as np
import torch
from sklearn.decomposition import PCA

from bertlab.vectors import figures
from sentences.evidence import compared

NAMES = ["money, account", "money, loan", "river, walk", "river, trees"]
APART = np.array([[1, 0.9, 0.2, 0.1], [0.9, 1, 0.3, 0.2], [0.2, 0.3, 1, 0.8], [0.1, 0.2, 0.8, 1]])
PLACES = np.array([[0.0, 0.0], [1.0, 0.0], [9.0, 0.0], [10.0, 0.0]])
SENSES = ["money", "money", "river", "river"]


def said():
    both = {"word table": APART**0, "last layer": APART}
    yield "a word, the table and a layer", figures.one_word("bank", both, NAMES).caption
    yield "a word, of a twin", figures.one_word("bank", {"last layer of a twin": APART[::-1]}, NAMES).caption
    yield "a word in two sentences", figures.one_word("bank", {"last layer": APART[:2, :2]}, NAMES[:2]).caption
    layers = {"bertlab-mini": [0.5, 0.7], "twin 0": [0.5, 0.5], "twin 1": [0.4, 0.6]}
    yield "pairs by layer", figures.same_sense(layers, "bank").caption
    cloud = torch.tensor([[-2.0, -1.0], [-1.0, -0.4], [1.0, 0.5], [2.0, 1.0]])
    yield "two directions", figures.principal_directions(cloud, PCA(n_components=2).fit(cloud.numpy())).caption
    planes = {"bank": (PLACES, SENSES), "spring": (PLACES + 1, SENSES)}
    yield "a plane for each of two words", figures.senses_in_a_plane(planes, {"bank": 0.36, "spring": 0.31}, 3).caption
    yield "senses", figures.senses_found(compared(38, twin=20, bag=22, rows=36), 0.5).caption
    models = {"bertlab-mini": [[0.3, 0.22]], "untrained twins": [[0.4, 0.7], [0.2, 0.3]]}
    yield "blind pairs", figures.blind_pairs(models, pairs=2000).caption

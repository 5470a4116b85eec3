"""The captions of lesson 1."""

from types import SimpleNamespace

import torch

from bertlab.embedding import figures


def reading(*tokens, apart=0.0):
    """Return a reading in which the first and the last of like tokens lie so far apart."""
    vectors = torch.zeros(len(tokens), 256)
    vectors[-1] += apart
    ids = torch.tensor([tokens.index(token) for token in tokens])
    return SimpleNamespace(tokens=list(tokens), ids=ids, segments=ids * 0, hidden=vectors[None])


def said():
    yield "vectors, a token twice", figures.token_vectors(reading("the", "cat", "the", apart=1.5)).caption
    yield "vectors, a token twice, the same", figures.token_vectors(reading("the", "cat", "the")).caption
    yield "vectors, no token twice", figures.token_vectors(reading("a", "cat")).caption
    rows = torch.zeros(3, 256)
    yield "rows, a token twice", figures.lookup(reading("the", "cat", "the"), rows, place=1).caption
    yield "rows, no token twice", figures.lookup(reading("a", "cat", "sat"), rows, place=1).caption
    yield "the sum", figures.addition(reading("the", "cat"), 1, rows, rows[0]).caption
    counts = {"bertlab-mini": 32, "five untrained twins": "1 to 4"}
    yield "positions", figures.positions(dict.fromkeys(counts, torch.eye(32)), counts).caption
    right = {"bertlab-mini": [True] * 3 + [False], "spelling": [True] + [False] * 3}
    yield "words of a kind", figures.kinds(right, ["day", "day", "job", "job"], of_twins=[0, 1]).caption

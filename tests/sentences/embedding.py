"""The captions of lesson 1."""

from types import SimpleNamespace

import torch

from bertlab.embedding import figures
from sentences.evidence import compared


def reading(*tokens, apart=0.0):
    """Return a reading in which the first and the last of like tokens lie so far apart."""
    vectors = torch.zeros(len(tokens), 256)
    vectors[-1] += apart
    ids = torch.tensor([tokens.index(token) for token in tokens])
    return SimpleNamespace(tokens=list(tokens), ids=ids, hidden=vectors[None])


def said():
    yield "vectors, a token twice", figures.token_vectors(reading("the", "cat", "the", apart=1.5)).caption
    yield "vectors, a token twice, the same", figures.token_vectors(reading("the", "cat", "the")).caption
    yield "vectors, no token twice", figures.token_vectors(reading("a", "cat")).caption
    yield "one row", figures.table_row("cat", 2905, torch.zeros(256)).caption
    rows = torch.zeros(3, 256)
    yield "rows, a token twice", figures.lookup(reading("the", "cat", "the"), rows, place=1).caption
    yield "rows, no token twice", figures.lookup(reading("a", "cat", "sat"), rows, place=1).caption
    yield "the sum", figures.addition(4, {"word": rows[0], "position": rows[1]}, rows[0]).caption
    u, v = torch.tensor([2.0, -1, 3, 0]), torch.tensor([1.0, -2, 1, 4])
    yield "a dot product", figures.dot_product(u, v, u * v).caption
    yield "directions", figures.directions({"p": u[:2], "q": 2 * u[:2], "r": v[:2]}).caption
    counts = {"bertlab-mini": 32, "five untrained twins": "2.6 (1 to 4)"}
    yield "positions", figures.positions(dict.fromkeys(counts, torch.eye(32)), counts).caption
    sizes = [7, 7, 6]
    words = compared(19, 20, "bertlab-mini", spelling=8, nearest_id=7)
    yield "words of the same kind", figures.own_kind(words, sizes).caption

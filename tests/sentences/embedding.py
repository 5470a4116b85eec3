"""The captions of lesson 1, and what its checks say."""

from types import SimpleNamespace

import torch

from bertlab.checks import embedding as checks
from bertlab.checks import runner
from bertlab.checks.outcome import Outcome
from bertlab.embedding import figures
from bertlab.evidence import beside_controls

WORDS = 20


def reading(*tokens, apart=0.0):
    """Return a reading in which the first and the last of like tokens lie so far apart."""
    vectors = torch.zeros(len(tokens), 256)
    vectors[-1] += apart
    ids = torch.tensor([tokens.index(token) for token in tokens])
    return SimpleNamespace(tokens=list(tokens), ids=ids, hidden=vectors[None])


def compared(first, **controls):
    """Compare ways that are right on their first so many of 20 words."""
    return beside_controls(
        {name: [i < n for i in range(WORDS)] for name, n in {"bertlab-mini": first, **controls}.items()}
    )


def told(check, *arguments):
    """Return the sentence of each misconception that a check knows, and its praise."""
    said = []

    def collect(_answer, cases, truth, wrong, praise, **_options):
        with torch.no_grad():
            said.extend([*wrong(*cases[0]), praise])
        return Outcome("blank", "")

    checks.judge = collect
    try:
        check(*arguments, lambda *_: None)
    finally:
        checks.judge = runner.judge
    return said


def said():
    import bertlab

    bert = bertlab.load("bertlab-mini")
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
    yield "words, ahead of both", figures.own_group(compared(19, spelling=8, **{"nearest id": 7}), sizes).caption
    yield "words, ahead of one", figures.own_group(compared(19, spelling=18, **{"nearest id": 7}), sizes).caption
    yield "words, ahead of neither", figures.own_group(compared(3, spelling=8, **{"nearest id": 7}), sizes).caption
    for number, sentences in (
        ("1.1", told(checks.layer_norm)),
        ("1.2", told(checks.embed_pair, bert)),
        ("1.3", told(checks.neighbour_similarity, bert, bertlab.untrained(bert))),
    ):
        for sentence in sentences:
            yield number, sentence

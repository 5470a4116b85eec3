"""What lesson 4 says of heads: captions of its figures, and which head is needed most."""

from types import SimpleNamespace

import pandas as pd
import torch

import bertlab
from bertlab.attention import figures

TOKENS = ["[CLS]", "it", "rained", "[SEP]"]
CHANGE = pd.DataFrame([(0, 1, 0.77), (1, 3, 0.64), (1, 2, 0.36)], columns=["layer", "head", "change"])


def reading(tokens, weights):
    return SimpleNamespace(tokens=tokens, attention=weights.expand(2, 6, -1, -1))


def said():
    yield from captions()
    yield from verdicts()


def captions():
    bert = bertlab.load("bertlab-mini")
    before = reading(TOKENS, 0.8 * torch.eye(4).roll(-1, 1) + 0.05)
    yield "inside of a layer", figures.inside_of_a_layer(bert).caption
    yield "whose columns", figures.columns_of_heads(bert, 5).caption
    yield "the formula", figures.formula().caption
    yield "one head", figures.one_head(before, 1, 3).caption
    numbers = torch.arange(16.0).view(4, 4)
    vectors = dict.fromkeys(("query", "key", "value", "made"), numbers)
    weights = torch.tensor([[0.1, 0.4, 0.3, 0.2]] * 4)
    yield "query, key, value", figures.query_key_value(TOKENS, vectors, numbers, weights, looks=1).caption
    for place, name in ((-1, "next"), (0, "itself"), (1, "before")):
        drawn = reading(TOKENS, 0.8 * torch.eye(4).roll(-place, 1) + 0.05)
        yield f"heads of a layer, {name}", figures.heads_of_layer(drawn, 0).caption
    long = ["word"] * 30
    yield "heads of a layer, long text", figures.heads_of_layer(reading(long, torch.full((30, 30), 1 / 30)), 0).caption
    yield "where [MASK] looks", figures.where_one_looks(TOKENS, weights, "[MASK]").caption
    for lengths, name in (([1.0, 1.0, 4.0, 1.0], "from another"), ([1.0] * 4, "from the same")):
        given = figures.weight_times_given(TOKENS, weights[0], torch.tensor(lengths))
        yield f"weight times given, {name}", given.caption
    yield "without each head", figures.rise_of_loss(CHANGE, [(0, 1)], texts=100).caption


def verdicts():
    yield "needed most, and the second", figures.needed_in_words(CHANGE)
    yield "one head alone", figures.needed_in_words(CHANGE[:1])

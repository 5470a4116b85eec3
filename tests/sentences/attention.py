"""What lesson 4 says of heads: the captions of its drawings."""

import torch

import bertlab
from bertlab.attention import figures

TOKENS = ["[CLS]", "it", "rained", "[SEP]"]


def said():
    bert = bertlab.load("bertlab-mini")
    yield "inside of a layer", figures.inside_of_a_layer(bert).caption
    yield "whose columns", figures.columns_of_heads(bert, 5).caption
    yield "the formula", figures.formula().caption
    numbers = torch.arange(16.0).view(4, 4)
    vectors = dict.fromkeys(("query", "key", "value", "made"), numbers)
    weights = torch.tensor([[0.1, 0.4, 0.3, 0.2]] * 4)
    yield "query, key, value", figures.query_key_value(TOKENS, vectors, numbers, weights, looks=1).caption
    for lengths, name in (([1.0, 1.0, 4.0, 1.0], "from another"), ([1.0] * 4, "from the same")):
        given = figures.weight_times_given(TOKENS, weights[0], torch.tensor(lengths))
        yield f"weight times given, {name}", given.caption

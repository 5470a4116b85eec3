"""A small BERT in which a swapped head or vector makes a difference, and what lessons ask of the shipped one."""

import numpy as np
import pytest
import torch

import bertlab

FRAME = "The {} near the {} [MASK] very old."


@pytest.fixture(scope="session")
def spread(tiny_folder):
    """The small BERT of another shape, with weights so spread that every part makes a difference."""
    bert = bertlab.load(tiny_folder)
    with torch.no_grad():
        for values in bert.model.bert.encoder.parameters():
            values.mul_(6)
        bert.model.cls.predictions.transform.LayerNorm.weight.mul_(10)  # its logits would be as small as rounding
        for layer in bert.model.bert.encoder.layer:
            layer.attention.self.value.bias.normal_(generator=torch.Generator().manual_seed(1))
    return bert


@pytest.fixture(scope="session")
def pairs():
    """Pairs whose subjects differ in number, each with a near noun in the singular and in the plural."""
    nouns = bertlab.data.read("number_nouns").query("set == 'new'")[["singular", "plural"]].to_numpy()
    found = []
    for (singular, plural), near in zip(nouns, np.roll(nouns, 7, axis=0), strict=True):
        found += [(FRAME.format(singular, noun), FRAME.format(plural, noun)) for noun in near]
    return found

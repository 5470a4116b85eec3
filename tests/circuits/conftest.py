"""What lessons ask of the shipped BERT about heads and vectors."""

import numpy as np
import pytest

import bertlab

FRAME = "The {} near the {} [MASK] very old."


@pytest.fixture(scope="session")
def pairs():
    """Pairs whose subjects differ in number, each with a near noun in the singular and in the plural."""
    nouns = bertlab.data.read("number_nouns").query("set == 'new'")[["singular", "plural"]].to_numpy()
    found = []
    for (singular, plural), near in zip(nouns, np.roll(nouns, 7, axis=0), strict=True):
        found += [(FRAME.format(singular, noun), FRAME.format(plural, noun)) for noun in near]
    return found

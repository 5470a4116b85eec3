"""Weights between words are sums and means of those between their pieces."""

import numpy as np
import pytest
import torch

from bertlab.attention.syntax import to_words
from bertlab.bert.reading import Reading
from rounding import assert_rounded_equal


def reading(text, tokens, offsets, pair=None):
    """Return a reading that holds no more than the places of its tokens."""
    nothing = torch.zeros(len(tokens))
    return Reading(text, pair, tokens, nothing, nothing, offsets, nothing, str, 100, None, None)


SPLIT = reading("unseen cats", ["[CLS]", "un", "##seen", "cats", "[SEP]"], [(0, 0), (0, 2), (2, 6), (7, 11), (0, 0)])
WEIGHTS = torch.tensor(
    [
        [0.2, 0.2, 0.2, 0.2, 0.2],
        [0.1, 0.5, 0.1, 0.2, 0.1],
        [0.3, 0.0, 0.3, 0.4, 0.0],
        [0.1, 0.2, 0.3, 0.4, 0.0],
        [0.2, 0.2, 0.2, 0.2, 0.2],
    ]
)


def test_by_hand():
    # From "unseen": the mean of its pieces' rows; onto it: the sum of its pieces' columns.
    expected = [[(0.5 + 0.1 + 0.0 + 0.3) / 2, (0.2 + 0.4) / 2], [0.2 + 0.3, 0.4]]
    found = to_words(torch.stack([WEIGHTS, 2 * WEIGHTS]), SPLIT, [(0, 6), (7, 11)])
    assert_rounded_equal(found, torch.tensor([expected, (2 * np.array(expected)).tolist()]))


@pytest.mark.parametrize(
    "spans",
    [[(0, 6), (6, 7)], [(0, 3), (7, 11)], [(0, 6), (2, 6)]],  # the space, inside of ##seen, one piece in two words
)
def test_words_that_do_not_fit_the_tokens_are_refused(spans):
    with pytest.raises(ValueError, match="do not begin and end where tokens of 'unseen cats' do"):
        to_words(WEIGHTS, SPLIT, spans)


def test_a_pair_is_refused():
    with pytest.raises(ValueError, match=r"of a pair.*Read the sentence alone"):
        to_words(WEIGHTS, reading("a", ["[CLS]"] * 5, [(0, 0)] * 5, pair="b"), [(0, 1)])

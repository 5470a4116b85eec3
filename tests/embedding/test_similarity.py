"""The cosine equals other libraries' and refuses what has none."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cosine as scipy_distance
from sklearn.metrics.pairwise import cosine_similarity

from bertlab.embedding.layer import cosine
from rounding import assert_rounded_equal

VECTORS = arrays(np.float64, 5, elements=st.floats(-1e3, 1e3).filter(lambda value: abs(value) > 1e-3))


@settings.get_profile("ci")  # the same vectors on each machine, at any pace
@given(VECTORS, VECTORS)
def test_equals_scipy(a, b):
    found = cosine(torch.from_numpy(a), torch.from_numpy(b))
    assert_rounded_equal(found, 1 - scipy_distance(a, b), scale=1, dtype="float64")


def test_a_table_with_itself_equals_sklearn():
    table = torch.randn(7, 4, generator=torch.Generator().manual_seed(0))
    assert_rounded_equal(cosine(table[:, None], table[None]), cosine_similarity(table))


def test_a_vector_of_zeros_is_refused_since_its_cosine_would_be_no_number():
    with pytest.raises(ValueError, match="zeros has no direction"):
        cosine(torch.zeros(3), torch.ones(3))

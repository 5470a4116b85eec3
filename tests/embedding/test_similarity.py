"""The cosine equals other libraries' and refuses what has none."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cosine as scipy_distance
from sklearn.metrics.pairwise import cosine_similarity

from bertlab.embedding.similarity import cosine
from rounding import assert_rounded_equal

VECTORS = arrays(np.float64, 5, elements=st.floats(-1e3, 1e3).filter(lambda value: abs(value) > 1e-3))


@settings(deadline=None)  # a busy machine pauses now and then
@given(VECTORS, VECTORS)
def test_equals_scipy(a, b):
    found = cosine(torch.from_numpy(a), torch.from_numpy(b))
    assert_rounded_equal(found, 1 - scipy_distance(a, b), scale=1, dtype="float64")


def test_a_table_with_itself_equals_sklearn():
    table = torch.randn(7, 4, generator=torch.Generator().manual_seed(0))
    assert_rounded_equal(cosine(table[:, None], table[None]), cosine_similarity(table))


def test_the_seeds_example():
    # 0.47 / sqrt(0.78 * 0.30), worked out with pencil and paper.
    a, b = torch.tensor([0.5, 0.2, 0.7]), torch.tensor([0.2, 0.1, 0.5])
    assert_rounded_equal(cosine(a, b), 0.9716, decimals=4)


def test_length_does_not_count():
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, -1.0])
    assert_rounded_equal(cosine(a, b), cosine(10 * a, 0.1 * b))


def test_a_vector_of_zeros_is_refused():
    with pytest.raises(ValueError, match="zeros has no direction"):
        cosine(torch.zeros(3), torch.ones(3))


def test_vectors_of_two_spaces_are_refused():
    with pytest.raises(ValueError, match="3 and 4 features"):
        cosine(torch.ones(3), torch.ones(4))


@pytest.mark.parametrize(
    ("scale", "dtype"),
    [
        (2.0**-140, torch.float32),
        (1e-30, torch.float32),
        (1e37, torch.float32),
        (1e-200, torch.float64),
        (1e300, torch.float64),
    ],
)
def test_very_large_and_very_small_numbers_have_a_direction_as_others_do(scale, dtype):
    a, b = torch.tensor([3.0, -4.0, 0.0], dtype=dtype), torch.tensor([8.0, 6.0, -24.0], dtype=dtype)
    c = torch.tensor([6.0, 0.0, 8.0], dtype=dtype)
    for one, other, by_hand in ((a, a, 1), (a, -a, -1), (a, b, 0), (a, c, 18 / 50)):
        assert float(cosine(one * scale, other * scale)) == pytest.approx(by_hand, abs=1e-6)
        assert float(cosine(one * scale, other)) == pytest.approx(by_hand, abs=1e-6)


def test_not_a_bit_is_other_than_by_the_lessons_formula():
    a, b = torch.randn(2, 500, 64, generator=torch.Generator().manual_seed(1))
    assert torch.equal(cosine(a, b), (a * b).sum(dim=-1) / (a.norm(dim=-1) * b.norm(dim=-1)))


def test_what_is_no_number_stays_none():
    assert cosine(torch.tensor([float("nan"), 1.0]), torch.ones(2)).isnan()
    assert cosine(torch.tensor([float("inf"), 1.0]), torch.ones(2)).isnan()


@pytest.mark.parametrize(
    ("given", "kind"),
    [([1.0, 2.0], "list"), (np.ones(2), "ndarray"), ([torch.ones(2)], "list"), (torch.tensor([1, 2]), "torch.int64")],
)
def test_what_is_no_tensor_of_numbers_is_refused(given, kind):
    for arguments in ((given, torch.ones(2)), (torch.ones(2), given)):
        with pytest.raises(TypeError, match=f"this is {kind}. Make numbers a tensor with torch.tensor"):
            cosine(*arguments)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0)])
def test_a_vector_without_features_is_refused(shape):
    with pytest.raises(ValueError, match="one feature or more, and this has shape"):
        cosine(torch.ones(shape), torch.ones(shape))

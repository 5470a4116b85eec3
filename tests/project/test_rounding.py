"""The rule for "equal up to rounding" itself, with bounds worked out by hand."""

from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
import torch

from rounding import MARGIN, assert_rounded_equal

EPSILON = 2.0**-23  # of float32: from 1 to the next number
BOUND = MARGIN * EPSILON


def refused(found, expected, says=None, **options):
    with pytest.raises(AssertionError, match=says):
        assert_rounded_equal(found, expected, **options)


def test_the_bound_is_a_multiple_of_the_largest_expected_number():
    assert_rounded_equal([4.0, 0.99 * 4 * BOUND], [4.0, 0.0])
    refused([4.0, 1.01 * 4 * BOUND], [4.0, 0.0], r"1 of 2 values .* at \(1,\): found .* expected 0\..* is 1\.01 times")
    refused([4.0, 0.99 * 4 * BOUND], [1.0, 0.0])
    assert_rounded_equal([[-8.0], [8 * BOUND]], [[-8.0], [0.0]])  # the largest in size, and on the bound itself


def test_a_scale_takes_the_place_of_the_largest_expected_number():
    change = 0.99 * 100 * BOUND
    assert_rounded_equal(0.5 + change, 0.5, scale=100)
    assert_rounded_equal(0.5 + change, 0.5, scale=torch.tensor([[3.0, -100.0]]))
    refused(0.5 + 1.01 * 100 * BOUND, 0.5, scale=100)
    refused(0.5 + change, 0.5)


def test_zeros_alone_have_no_rounding():
    assert_rounded_equal([0.0, 0.0], [0, -0.0])
    refused([0.0, 1e-30], [0.0, 0.0], "inf times")


def test_float64_is_held_to_its_own_epsilon():
    assert_rounded_equal(1 + 0.99 * MARGIN * 2.0**-52, 1.0, dtype="float64")
    refused(1 + 1.01 * MARGIN * 2.0**-52, 1.0, dtype="float64")


def test_printed_numbers_may_lie_half_a_unit_of_their_last_digit_away():
    assert_rounded_equal([0.12345, 0.5], [0.1234, 0.5], decimals=4)
    assert_rounded_equal(0.1234 + 5e-5 + 0.99 * 0.1234 * BOUND, 0.1234, decimals=4)
    refused(0.1234 + 5e-5 + 1.01 * 0.1234 * BOUND, 0.1234, "half a unit of decimal 4", decimals=4)
    refused(0.12345, 0.1234)


@pytest.mark.parametrize(
    ("found", "expected"),
    [([1.0], 1.0), ([1.0], [1.0, 1.0]), (torch.ones(2, 1), torch.ones(1, 2)), (torch.ones(3), torch.ones(1, 3))],
)
def test_another_shape_is_refused_though_numpy_would_stretch_it(found, expected):
    refused(found, expected, "The shape is")


def test_nothing_is_no_comparison():
    refused([], [], "Nothing is compared")


NAN, INF = float("nan"), float("inf")


def test_nan_and_infinity_must_stand_in_the_same_places():
    assert_rounded_equal([NAN, 1.0, INF, -INF], [NAN, 1.0, INF, -INF])
    assert_rounded_equal([NAN], [NAN])
    for found, expected in (([NAN, 1.0], [1.0, 1.0]), ([1.0, 1.0], [NAN, 1.0]), ([INF, 1], [1, 1]), ([1, 1], [INF, 1])):
        refused(found, expected, r"1 of 2 values .* at \(0,\).* inf times")
    refused([INF], [-INF])
    refused([INF, 1 + 1.01 * BOUND], [INF, 1.0], r"at \(1,\)")  # an infinite number is no scale


def test_types_and_containers_do_not_count():
    values = [0.25, -0.5]
    kinds = (torch.tensor(values).half(), torch.tensor(values, requires_grad=True), np.array(values), pd.Series(values))
    for found in (*kinds, tuple(values), [torch.tensor(value) for value in values], [np.float32(v) for v in values]):
        assert_rounded_equal(found, values)
        refused(found, [0.25, -0.75], r"at \(1,\): found -0\.5, expected -0\.75")
    assert_rounded_equal(pd.Series(values, index=[7, 3]), pd.Series(values))
    assert_rounded_equal(torch.tensor([True, False]), [1, 0])


def test_ratios_are_recorded_where_one_asks_for_them(tmp_path, monkeypatch):
    monkeypatch.setenv("BERTLAB_ROUNDING_LOG", str(tmp_path / "log"))
    assert_rounded_equal(1 + BOUND / 4, 1.0)
    refused(1 + 3 * BOUND, 1.0)
    lines = [line.split("\t") for line in (tmp_path / "log").read_text("utf-8").splitlines()]
    assert [float(ratio) for _, ratio in lines] == [0.25, 3.0]
    assert all("test_rounding.py::test_ratios" in test for test, _ in lines)


def a_scale_off_by_one_percent(bert):
    bert.encoder.layer[-1].attention.self.scaling *= 1.01


def a_forgotten_bias(bert):
    bert.encoder.layer[-1].intermediate.dense.bias.data.zero_()


def a_layer_of_dropout(bert):
    bert.encoder.layer[-1].output.dropout = torch.nn.Dropout(0.01)  # as if left in training mode


def another_gelu(bert):
    for layer in bert.encoder.layer:
        layer.intermediate.intermediate_act_fn = torch.nn.GELU(approximate="tanh")


def an_epsilon_of_torchs_own(bert):
    for module in bert.modules():
        if isinstance(module, torch.nn.LayerNorm):
            module.eps = 1e-5  # BERT's is 1e-12


def half_precision(bert):
    dense = bert.encoder.layer[-1].output.dense
    dense.register_forward_hook(lambda module, inputs, output: output.half().float())


MISTAKES = [a_scale_off_by_one_percent, a_forgotten_bias, a_layer_of_dropout, another_gelu, an_epsilon_of_torchs_own]


@pytest.mark.parametrize("mistake", [*MISTAKES, half_precision])
def test_small_mistakes_in_the_shipped_bert_are_more_than_rounding(bert, mistake):
    inputs = bert.tokenizer("The cat sat on the mat.", return_tensors="pt")
    wrong = deepcopy(bert.model.bert)
    with torch.no_grad():
        expected = bert.model.bert(**inputs).last_hidden_state
        assert_rounded_equal(wrong(**inputs).last_hidden_state, expected)
        mistake(wrong)
        refused(wrong(**inputs).last_hidden_state, expected)

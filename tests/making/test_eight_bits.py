"""Eight bits a number: what comes back is near, and what is in the live page's folder is what was measured."""

import json

import numpy as np
import pandas as pd
from safetensors.numpy import load_file

import bertlab
from bertlab_teaching import live
from eight_bits import LAYOUT, change, expected, packed, rounded, unpacked


def test_numbers_come_back_to_half_a_step_of_the_largest_beside_them():
    tensors = load_file(live.MODEL / "model.safetensors")
    found = unpacked(packed(tensors))
    assert list(found) == [one["name"] for one in LAYOUT]
    for name, numbers in found.items():
        rows, back = (values.reshape(-1, 128).astype("f4") for values in (tensors[name], numbers.numpy()))
        step = np.abs(rows).max(1, keepdims=True) / 127
        assert (np.abs(back - rows) <= 0.51 * step).all(), name  # the step is rounded to 16 bits


def test_a_bert_in_eight_bits_expects_nearly_the_same():
    model = bertlab.load("bertlab-mini").model
    after = rounded(model, packed(load_file(live.MODEL / "model.safetensors")))
    moved = change(expected(model), expected(after))
    assert 0 < moved["mean"] < 0.01
    assert moved["largest"] < 0.05
    assert moved["same_first"] >= 0.95


def test_what_was_measured_is_of_the_copies_that_are_there():
    table = pd.read_csv(live.PROGRAMS / "learning" / "rounding.csv")
    assert table["step"].tolist() == [int(path.stem) for path in live.COPIES]
    assert (table["largest"] < 0.02).all()
    assert (table["same_first"] >= 0.98).all()
    known = json.loads((live.PROGRAMS / "known.json").read_text("utf-8"))
    assert list(known["copies"]) == [path.stem for path in live.COPIES]

"""Lesson 3's figures are tested on what they draw, and on their captions where the right words are known."""

import numpy as np
import pytest
import torch
from sklearn.decomposition import PCA

from bertlab.vectors import figures
from rounding import assert_rounded_equal


def places(ax):
    return np.concatenate([part.get_offsets() for part in ax.collections if len(part.get_offsets())])


def band(ax, layer):
    """Return from where to where each grey or coloured band goes at a layer."""
    paths = [path.vertices for part in ax.collections for path in part.get_paths()]
    at_layer = [path[path[:, 0] == layer][:, 1] for path in paths if len(path) > 4]
    return [[values.min(), values.max()] for values in at_layer]


class TestOneWord:
    NAMES, KINDS = ["a", "b", "c", "d"], ["money", "money", "river", "river"]
    APART = torch.tensor([[1, 0.9, 0.2, 0.1], [0.9, 1, 0.3, 0.2], [0.2, 0.3, 1, 0.8], [0.1, 0.2, 0.8, 1]])
    MIXED = torch.tensor([[1, 0.9, 0.2, 0.1], [0.9, 1, 0.3, 0.2], [0.2, 0.3, 1, 0.1], [0.1, 0.2, 0.1, 1]])

    def test_a_table_for_each_place_and_what_the_nearest_say(self):
        shown = figures.one_word("bank", {"first": torch.ones(4, 4), "last": self.APART}, self.NAMES, self.KINDS)
        left, right = shown.axes.figure.axes
        assert (left.get_title(), right.get_title()) == ("first", "last")
        assert_rounded_equal(np.asarray(right.collections[0].get_array()).ravel(), self.APART.flatten())
        rows = ["a (money)", "b (money)", "c (river)", "d (river)"]
        assert [label.get_text() for label in right.get_yticklabels()] == rows
        assert shown.caption.endswith(
            "0.10. First: all are 1. Last: the nearest other one is of the same kind for 4 of 4."
        )
        assert_rounded_equal([ax.collections[0].get_clim() for ax in (left, right)], [[0.1, 1], [0.1, 1]])

    @pytest.mark.parametrize(("cosines", "count"), [(MIXED, 2), (torch.full((4, 4), 0.5).fill_diagonal_(1), 0)])
    def test_a_nearest_of_the_other_kind_does_not_count_nor_one_of_two(self, cosines, count):
        assert f"for {count} of 4." in figures.one_word("bank", {"last": cosines}, self.NAMES, self.KINDS).caption


class TestSameSense:
    def test_the_twins_are_a_mean_and_a_band(self):
        shares = {"BERT": [0.95, 0.7, 0.9], "twin 0": [0.5, 0.4, 0.5], "twin 1": [0.5, 0.6, 0.8]}
        shown = figures.same_sense({name: torch.tensor(values) for name, values in shares.items()}, "bank")
        drawn = [line.get_ydata().tolist() for line in shown.axes.lines if len(line.get_ydata()) == 3]
        assert_rounded_equal(drawn[:2], [[0.95, 0.7, 0.9], [0.5, 0.5, 0.65]])
        assert_rounded_equal(band(shown.axes, layer=2), [[0.5, 0.8]])
        # Layer 0 knows no context: the best layer is one that does.
        assert "BERT has most after layer 2: 0.90. The 2 untrained twins have 0.65 (0.50 to 0.80)" in shown.caption
        assert shown.caption.endswith("Above it BERT lies at layers 0, 1, 2.")

    @pytest.mark.parametrize(("own", "said"), [([0.5, 0.5, 0.9], "layer 2"), ([0.5, 0.4, 0.8], "no layer")])
    def test_above_the_band_is_above_every_twin(self, own, said):
        shown = figures.same_sense({"BERT": own, "twin 0": [0.5, 0.6, 0.8], "twin 1": [0.6, 0.5, 0.7]}, "bank")
        assert shown.caption.endswith(f"Above it BERT lies at {said}.")


def test_the_directions_of_points_on_a_line():
    cloud = torch.tensor([[-2.0, -1.0], [-1.0, -0.5], [1.0, 0.5], [2.0, 1.0]])
    shown = figures.principal_directions(cloud, PCA(n_components=2).fit(cloud.numpy()))
    assert_rounded_equal(np.sort(places(shown.axes), axis=0), cloud)
    tips = {text.get_text(): text.xy for text in shown.axes.texts if text.get_text()}
    assert_rounded_equal(tips["first"][1] / tips["first"][0], 0.5)
    assert tips["first"][0] > 0
    # Two standard deviations: of a variance of (4 + 1 + 1 + 4) * 1.25 / 3.
    assert_rounded_equal(np.hypot(*tips["first"]), 2 * (12.5 / 3) ** 0.5)
    assert shown.caption.endswith("keep 100% of their variance.")


def test_a_plane_for_each_word_and_neighbours_of_the_same_sense_are_counted():
    points = np.array([[0.0, 0.0], [1.0, 0.0], [9.0, 0.0], [10.0, 0.0]])
    words = {"bank": (points, ["a", "a", "b", "b"]), "seal": (points, ["a", "b", "a", "b"])}
    shown = figures.senses_in_a_plane(words, {"bank": 0.25, "seal": 0.5}, layer=3)
    left, right = shown.axes.figure.axes
    assert (left.get_title(), right.get_title()) == ("bank", "seal")
    assert_rounded_equal(places(left), points)
    nearest = "of the variance, and the nearest other one is of the same kind for"
    assert (
        f"'bank': the plane keeps 25% {nearest} 4 of 4. 'seal': the plane keeps 50% {nearest} 0 of 4." in shown.caption
    )


def test_blind_pairs_are_a_line_for_each_kind_of_model_and_a_band_for_several():
    shown = figures.blind_pairs({"BERT": [[0.3, 0.2]], "twins": [[0.4, 0.7], [0.2, 0.3]]}, pairs=3881)
    assert_rounded_equal([line.get_ydata().tolist() for line in shown.axes.lines[:2]], [[0.3, 0.2], [0.3, 0.5]])
    assert_rounded_equal(band(shown.axes, layer=1), [[0.2, 0.2], [0.3, 0.7]])
    assert shown.caption.endswith("After the last layer: BERT 0.20; twins 0.50 (0.30 to 0.70).")

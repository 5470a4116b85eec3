"""Lesson 3's figures are tested on what they draw, and on their captions where the right words are known."""

import numpy as np
import pytest
import torch
from sklearn.decomposition import PCA

from bertlab.vectors import figures
from drawn import assert_reference_line
from rounding import assert_rounded_equal


def places(ax):
    return np.concatenate([part.get_offsets() for part in ax.collections if len(part.get_offsets())])


def band(ax, layer):
    """Return from where to where each grey or coloured band goes at a layer."""
    paths = [path.vertices for part in ax.collections for path in part.get_paths()]
    at_layer = [path[path[:, 0] == layer][:, 1] for path in paths if len(path) > 4]
    return [[values.min(), values.max()] for values in at_layer]


APART = [[1, 0.9, 0.2, 0.1], [0.9, 1, 0.3, 0.2], [0.2, 0.3, 1, 0.8], [0.1, 0.2, 0.8, 1]]
MIXED = [[1, 0.9, 0.2, 0.1], [0.9, 1, 0.3, 0.2], [0.2, 0.3, 1, 0.1], [0.1, 0.2, 0.1, 1]]
TIED = np.where(np.eye(4), 1, 0.5)


@pytest.mark.parametrize(("cosines", "count"), [(APART, 4), (MIXED, 2), (TIED, 0)])
def test_one_word_has_a_table_for_each_layer_and_a_nearest_one_of_the_other_kind_does_not_count(cosines, count):
    names = ["money, a", "money, b", "river, c", "river, d"]
    shown = figures.one_word("bank", {"first": np.ones((4, 4)), "last": cosines}, names)
    left, right = (ax.collections[0] for ax in shown.axes.figure.axes)
    assert_rounded_equal(right.get_array(), cosines)
    assert left.get_clim() == right.get_clim() == (np.min(cosines), 1)
    assert shown.caption.endswith(f"First: all are 1. Last: {count} of 4 are nearest to one of their own kind.")


def test_names_without_a_kind_are_kinds_of_their_own():
    shown = figures.one_word("bank", {"last": APART}, ["a", "b", "c", "d"])
    assert shown.caption.endswith("Last: 0 of 4 are nearest to one of their own kind.")


def test_the_same_sense_is_drawn_beside_the_mean_and_the_band_of_the_twins():
    own = [0.95, 0.7, 0.8]
    shown = figures.same_sense({"BERT": own, "twin 0": [0.5, 0.4, 0.5], "twin 1": [0.5, 0.6, 0.8]}, "bank")
    drawn = [line.get_ydata().tolist() for line in shown.axes.lines if len(line.get_ydata()) == 3]
    assert_rounded_equal(drawn[:2], [own, [0.5, 0.5, 0.65]])
    assert_rounded_equal(band(shown.axes, layer=2), [[0.5, 0.8]])
    assert_reference_line(shown.axes, 0.5)
    assert shown.caption.endswith("BERT gets 0.80, and its 2 untrained twins get 0.65 (0.50 to 0.80).")


def test_the_directions_of_points_on_a_line():
    cloud = torch.tensor([[-2.0, -1.0], [-1.0, -0.5], [1.0, 0.5], [2.0, 1.0]])
    shown = figures.principal_directions(cloud, PCA(n_components=2).fit(cloud.numpy()))
    assert_rounded_equal(np.sort(places(shown.axes), axis=0), cloud)
    tips = {text.get_text(): text.xy for text in shown.axes.texts if text.get_text()}
    # Two standard deviations: of a variance of (4 + 1 + 1 + 4) * 1.25 / 3. To the right, and half as far up.
    assert_rounded_equal(tips["first"], 2 * (12.5 / 3) ** 0.5 * np.array([2, 1]) / 5**0.5)
    assert shown.caption.endswith("The first alone keeps 100 % of the spread.")


def test_a_plane_for_each_word_and_neighbours_of_the_same_sense_are_counted():
    points = np.array([[0.0, 0.0], [1.0, 0.0], [9.0, 0.0], [10.0, 0.0]])
    words = {"bank": (points, ["a", "a", "b", "b"]), "seal": (points + 1, ["a", "b", "a", "b"])}
    shown = figures.senses_in_a_plane(words, {"bank": 0.25, "seal": 0.5}, layer=3)
    assert_rounded_equal([places(ax) for ax in shown.axes.figure.axes], [points, points + 1])
    assert "of their own sense: 'bank' 25 % and 4 of 4, 'seal' 50 % and 0 of 4." in shown.caption


def test_blind_pairs_are_a_line_for_each_kind_of_model_and_a_band_for_several():
    shown = figures.blind_pairs({"BERT": [[0.3, 0.2]], "twins": [[0.4, 0.7], [0.2, 0.3]]}, pairs=3881)
    assert_rounded_equal([line.get_ydata().tolist() for line in shown.axes.lines[:2]], [[0.3, 0.2], [0.3, 0.5]])
    assert_rounded_equal(band(shown.axes, layer=1), [[0.2, 0.2], [0.3, 0.7]])
    assert shown.caption.endswith("After the last layer: BERT 0.20, twins 0.50 (0.30 to 0.70).")

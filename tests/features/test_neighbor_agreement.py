"""The margin of a map follows how much neighbourhoods agree."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_swiss_roll
from sklearn.neighbors import NearestNeighbors

import ordinate as od
from ordinate.features.neighbor_agreement import (
    choose_margin,
    shared_neighbors,
    shuffle_components,
)


def neighbors(points, k=10):
    return NearestNeighbors(n_neighbors=k).fit(points).kneighbors(return_distance=False)


def test_shared_neighbours_are_counted_as_by_hand():
    near = np.array([[1, 2], [0, 2], [0, 3], [4, 5], [3, 5], [3, 4]])
    shares = [len(set(near[i]) & set(near[j])) / near.shape[1] for i in range(6) for j in near[i]]
    chance = 2 / 5
    expected = (np.mean(shares) - chance) / (1 - chance)
    assert shared_neighbors(near, np.random.default_rng(0)) == pytest.approx(expected)


def test_a_shuffled_table_has_the_same_covariance_and_no_structure():
    rng = np.random.default_rng([0])
    points = rng.normal(size=(4000, 3)) @ [[3, 1, 0], [0, 1, 0], [0, 0, 1e-3]]
    shuffled = shuffle_components(points, rng)
    spreads = np.linalg.svd(shuffled - shuffled.mean(axis=0), compute_uv=False)
    expected = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    np.testing.assert_allclose(spreads, expected, rtol=0.1)


@pytest.mark.parametrize("kind", ["normal", "uniform"])
@pytest.mark.parametrize("dimension", [20, 100])
def test_noise_gets_next_to_no_margin(kind, dimension):
    rng = np.random.default_rng(1)
    points = getattr(rng, kind)(size=(1000, dimension))
    assert choose_margin(points, neighbors(points), 4.0, 0) < 1.4


def test_structure_gets_the_whole_margin():
    digits, roll = load_digits().data, make_swiss_roll(1000, random_state=0)[0]
    for points in (digits, roll):
        assert choose_margin(points, neighbors(points), 4.0, 0) > 3.5
    # without coordinates the share of common neighbours alone decides
    assert 2 < choose_margin(None, neighbors(digits), 4.0, 0) < 4


def test_a_margin_that_is_given_is_taken():
    points = np.random.default_rng(2).normal(size=(60, 30))
    assert od.WeightedTETE(margin=2.5, max_iter=200).fit(points).margin_ == 2.5
    assert od.WeightedTETE(weights="published", max_iter=200).fit(points).margin_ == 1.0

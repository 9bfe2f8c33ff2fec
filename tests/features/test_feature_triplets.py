"""Triplets of a reduction: what they weigh and whom they hold."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from ordinate.features.feature_space import FeatureSpace
from ordinate.features.feature_triplets import (
    large_scale_triplets,
    paper_triplets,
    rank_triplets,
)
from ordinate.features.weighted_triplets import OFFSET, local_scales


@pytest.fixture
def space():
    return FeatureSpace(np.random.default_rng(0).normal(size=(300, 3)), "euclidean", 0)


def test_ranks_weigh_their_inverse():
    triplets = rank_triplets(np.array([[1, 2, 3]], dtype=np.int32))
    np.testing.assert_allclose(triplets.near_weights, [[1, 1 / 2, 1 / 3]])
    assert triplets.outliers is None


def test_the_paper_has_as_many_outliers_as_neighbours(space):
    near = space.search.among(20)
    triplets = paper_triplets(space, near, local_scales(near[1]), 0)
    assert triplets.outliers.shape == near[0].shape
    assert not (triplets.outliers[:, :, None] == near[0][:, None, :]).any()
    largest = triplets.near_weights[:, :, None] * triplets.far_weights[:, None, :]
    assert largest.max() == pytest.approx(1)
    assert triplets.offset == OFFSET


def test_the_nearer_half_of_a_large_triplet_is_nearer(space):
    triplets, mean_weight = large_scale_triplets(space)
    distances = cdist(space.points, space.points)
    nearer = np.take_along_axis(distances, triplets.neighbors, axis=1)
    farther = np.take_along_axis(distances, triplets.outliers, axis=1)
    assert (nearer.max(axis=1) <= farther.min(axis=1) + 1e-5).all()
    contrast = 1 - np.square(nearer).mean(axis=1) / np.square(farther).mean(axis=1)
    np.testing.assert_allclose(triplets.near_weights[:, 0], contrast**3, atol=1e-4)
    assert mean_weight == pytest.approx(float((contrast**3).mean()), rel=1e-4)


def test_many_dimensions_have_little_contrast():
    X = np.random.default_rng(0).normal(size=(300, 90))
    assert large_scale_triplets(FeatureSpace(X, "euclidean", 0))[1] < 0.05

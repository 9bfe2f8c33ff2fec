"""Weights of triplets: the paper's formula beside a direct one, ranks and local scales."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from ordinate import InputError
from ordinate.features.feature_space import FeatureSpace
from ordinate.features.triplets import (
    OFFSET,
    large_scale_triplets,
    local_scales,
    neighbors_of_classes,
    paper_triplets,
    paper_weights,
    rank_triplets,
    rank_weights,
    ranked_neighbors,
    split_by_distance,
)

RNG = np.random.default_rng(0)
INDICES = np.array([[1, 2], [0, 2], [3, 1], [2, 0]], dtype=np.int32)
DISTANCES = np.sort(RNG.random((4, 2)), axis=1).astype(np.float32)
OUTLIERS = np.array([[3], [3], [0], [1]], dtype=np.int32)
FAR = (2 + RNG.random((4, 1))).astype(np.float32)


def test_paper_weights_are_equation_13_over_the_largest_plus_an_offset():
    scales = np.array([0.5, 1.0, 2.0, 0.7], dtype=np.float32)
    near_weights, far_weights = paper_weights((INDICES, DISTANCES), OUTLIERS, FAR, scales)
    weights = np.exp(
        (FAR**2 / (scales[:, None] * scales[OUTLIERS]))[:, None, :]
        - (DISTANCES**2 / (scales[:, None] * scales[INDICES]))[:, :, None]
    )
    product = near_weights[:, :, None] * far_weights[:, None, :]
    np.testing.assert_allclose(product + OFFSET, weights / weights.max() + 0.01, rtol=1e-5)


def test_exponents_of_thousands_do_not_overflow():
    near, far = paper_weights((INDICES, DISTANCES), OUTLIERS, 100 * FAR, np.ones(4, np.float32))
    product = near[:, :, None] * far[:, None, :]
    assert product.max() == pytest.approx(1)
    assert np.isfinite(product).all()


def test_infinite_distances_are_refused():
    with pytest.raises(InputError, match=r"are not finite\. Rescale the features"):
        paper_weights((INDICES, DISTANCES), OUTLIERS, np.inf * FAR, np.ones(4, np.float32))


def test_neighbours_are_ordered_by_distance_in_local_scales():
    found = np.array([[1, 2, 3]], dtype=np.int32), np.array([[1.0, 2.0, 3.0]], dtype=np.float32)
    scales = np.array([1.0, 1.0, 8.0, 1.0], dtype=np.float32)
    indices, distances = ranked_neighbors(found, 2, scales)
    assert indices.tolist() == [[2, 1]]
    assert distances.tolist() == [[2.0, 1.0]]


def test_scales_are_positive_even_among_duplicates():
    distances = np.tile(np.arange(1.0, 13.0, dtype=np.float32), (3, 1))
    distances[1] = 0
    assert local_scales(distances).tolist() == [10.0, 10.0, 10.0]
    assert local_scales(np.zeros((3, 4), np.float32)).tolist() == [1.0, 1.0, 1.0]
    assert local_scales(distances[:, :4])[0] == 4


def test_rank_weights_fall_as_one_over_the_rank():
    np.testing.assert_allclose(rank_weights(INDICES), [[1, 0.5]] * 4)


def test_draws_are_split_by_distance_and_their_contrast_is_reported():
    drawn = np.array([[5, 6, 7, 8], [1, 2, 3, 4]], dtype=np.int32)
    distances = np.array([[2, 0, 3, 1], [0, 0, 0, 0]], dtype=np.float32)
    nearer, farther, contrasts = split_by_distance(drawn, distances)
    assert nearer.tolist() == [[6, 8], [1, 2]]
    assert farther.tolist() == [[5, 7], [3, 4]]
    np.testing.assert_allclose(contrasts, [1 - 0.5 / 6.5, 0])


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


def test_a_share_of_neighbours_is_of_the_objects_class():
    indices = np.array([[1, 2, 3, 4, 5]] * 6, dtype=np.int32)
    found = indices, np.tile(np.arange(1, 6, dtype=np.float32), (6, 1))
    scales, classes = np.ones(6, np.float32), np.array([0, 1, 1, 0, -1, 0])
    for share, expected in ((0, [1, 2, 3, 4]), (0.1, [1, 2, 3, 4]), (0.4, [1, 2, 3, 5])):
        chosen = neighbors_of_classes(found, 4, scales, classes, share)
        assert chosen[0].tolist() == expected
    assert chosen[4].tolist() == [1, 2, 3, 4]  # whose class is not known
    assert neighbors_of_classes(found, 2, scales, classes, 1)[0].tolist() == [3, 5]

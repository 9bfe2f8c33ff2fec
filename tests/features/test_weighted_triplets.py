import numpy as np
import pytest
from scipy.spatial.distance import cdist

import ordinate as od

POINTS = np.random.default_rng([5]).normal(size=(40, 3))


def test_rows_and_weights_are_those_of_algorithm_1():
    triplets = od.sample_weighted_triplets(POINTS, 4, gamma=0.03, random_state=0)
    distances = cdist(POINTS, POINTS)
    ordered = np.sort(distances, axis=1)
    anchor, near, far = triplets.rows.T
    assert len(triplets) == 40 * 16
    assert (distances[anchor, near] <= ordered[anchor, 4]).all()
    assert (distances[anchor, far] > ordered[anchor, 4]).all()
    scale = ordered[:, 10]  # the first is the object itself
    exponent = distances[anchor, far] ** 2 / (scale[anchor] * scale[far])
    exponent -= distances[anchor, near] ** 2 / (scale[anchor] * scale[near])
    expected = np.exp(exponent - exponent.max()) + 0.03
    np.testing.assert_allclose(triplets.weights, expected, rtol=1e-4)


def test_distances_give_the_same_triplets():
    from_points = od.sample_weighted_triplets(POINTS, 4, random_state=1)
    distances = cdist(POINTS, POINTS)
    given = od.sample_weighted_triplets(distances, 4, metric="precomputed", random_state=1)
    np.testing.assert_array_equal(from_points.rows, given.rows)
    np.testing.assert_allclose(from_points.weights, given.weights, rtol=1e-4)


def test_any_temperatures_can_be_fitted():
    triplets = od.sample_weighted_triplets(POINTS, 6, random_state=0)
    losses = [
        od.TETE(2, t=t, t_prime=t_prime, random_state=0).fit(triplets).loss_
        for t, t_prime in [(2, 2), (1.5, 2), (2, 1.5)]
    ]
    assert len(set(np.round(losses, 3))) == 3


def test_another_seed_draws_others():
    one, again, other = (
        od.sample_weighted_triplets(POINTS, 4, random_state=seed) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one.rows, again.rows)
    assert (one.rows[:, 2] != other.rows[:, 2]).any()


def test_bad_input_is_refused():
    with pytest.raises(od.InputError, match="gamma must be"):
        od.sample_weighted_triplets(POINTS, gamma=-1)
    with pytest.raises(od.InputError, match="n_neighbors must be"):
        od.sample_weighted_triplets(POINTS, 0)

import numpy as np
import pytest

import ordinate as od

MAKERS = {
    od.datasets.make_gaussian: (100, 10),
    od.datasets.make_two_squares: (500, 2),
    od.datasets.make_mixture: (90, 5),
    od.datasets.make_sphere: (1000, 3),
    od.datasets.make_swiss_roll: (3000, 3),
}

every_maker = pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)


@every_maker
def test_default_size_is_the_papers(make):
    assert make(random_state=0).points.shape == MAKERS[make]


@every_maker
def test_same_seed_same_points(make):
    np.testing.assert_array_equal(make(random_state=3).points, make(random_state=3).points)
    assert not np.array_equal(make(random_state=3).points, make(random_state=4).points)


@every_maker
def test_number_of_objects(make):
    dataset = make(7, random_state=0)
    assert len(dataset.points) == 7
    assert dataset.labels is None or dataset.labels.shape == (7,)
    with pytest.raises(od.InputError, match="n_objects must be an integer >= 1; got 0"):
        make(0)


def test_gaussian_has_covariance_one_twentieth():
    points = od.datasets.make_gaussian(20_000, 3, random_state=0).points
    np.testing.assert_allclose(np.cov(points.T), np.eye(3) / 20, atol=0.002)
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=0.01)


@pytest.mark.usual_data
def test_two_squares_have_the_stated_densities():
    dataset = od.datasets.make_two_squares(50_000, random_state=0)
    x, y = dataset.points.T
    assert np.abs(x).max() <= 2
    assert np.abs(y).max() <= 1
    counts = np.bincount(dataset.labels) / len(dataset.labels)
    # per unit of area: 0.8/2 + 0.2/8 in the squares, 0.2/8 elsewhere
    np.testing.assert_allclose(counts, [6 * 0.025, 0.425, 0.425], atol=0.01)
    left = dataset.points[dataset.labels == 1]
    assert left[:, 0].min() >= -1.5
    assert left[:, 0].max() <= -0.5
    assert np.abs(left[:, 1]).max() <= 0.5


def test_share_in_the_squares():
    assert 0 not in od.datasets.make_two_squares(1000, dense=1, random_state=0).labels
    uniform = od.datasets.make_two_squares(50_000, dense=0, random_state=0).labels
    assert np.mean(uniform == 0) == pytest.approx(6 / 8, abs=0.01)
    with pytest.raises(od.InputError, match=r"dense must be a number in \[0, 1\]; got 2"):
        od.datasets.make_two_squares(dense=2)


def test_mixture_is_a_triangle_of_standard_clouds():
    dataset = od.datasets.make_mixture(60_000, random_state=0)
    centres = np.array([dataset.points[dataset.labels == k].mean(axis=0) for k in range(3)])
    sides = np.linalg.norm(centres - np.roll(centres, 1, axis=0), axis=1)
    np.testing.assert_allclose(sides, 4, atol=0.05)
    np.testing.assert_allclose(np.bincount(dataset.labels) / 60_000, 1 / 3, atol=0.01)
    residuals = dataset.points - centres[dataset.labels]
    np.testing.assert_allclose(np.cov(residuals.T), np.eye(5), atol=0.03)


def test_mixture_needs_a_plane():
    with pytest.raises(od.InputError, match="n_features must be an integer >= 2; got 1"):
        od.datasets.make_mixture(n_features=1)


def test_sphere_is_uniform_on_the_surface():
    points = od.datasets.make_sphere(20_000, random_state=0).points
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1)
    # Archimedes: each coordinate of a uniform point on the sphere is uniform on [-1, 1]
    for coordinate in points.T:
        np.testing.assert_allclose(
            np.quantile(coordinate, [0.25, 0.5, 0.75]), [-0.5, 0, 0.5], atol=0.03
        )


def test_swiss_roll_winds_with_its_position():
    dataset = od.datasets.make_swiss_roll(500, random_state=0)
    radius = np.hypot(dataset.points[:, 0], dataset.points[:, 2])
    np.testing.assert_allclose(radius, dataset.attributes["position"])

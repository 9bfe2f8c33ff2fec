"""Objects that stay at given coordinates: by any similarity, and what is refused."""

import numpy as np
import pytest

from ordinate import InputError
from ordinate.features.pins import Pins


@pytest.fixture
def points():
    return np.random.default_rng(0).normal(size=(20, 2)).astype(np.float32)


def fixed(points, rows):
    places = np.full(points.shape, np.nan)
    places[rows] = points[rows]
    return places


@pytest.mark.parametrize("flip", [1, -1])
def test_a_map_that_suits_the_coordinates_stays_but_for_its_frame(points, flip):
    turn = np.array([[0.6, -0.8], [0.8 * flip, 0.6 * flip]])
    elsewhere = 50 * points @ turn + [100, -7]
    pins = Pins(fixed(elsewhere, [1, 4, 9]), points.shape)
    np.testing.assert_allclose(pins.fix(points), points, atol=1e-5)
    assert pins.length == pytest.approx(50, rel=1e-5)
    np.testing.assert_allclose(pins.in_their_frame(points), elsewhere, atol=1e-3)
    assert np.flatnonzero(pins.free[:, 0] == 0).tolist() == [1, 4, 9]


def test_others_are_moved_as_little_as_can_be(points):
    elsewhere = points.copy()
    elsewhere[0] += 1
    pins = Pins(fixed(elsewhere, np.arange(10)), points.shape)
    placed = pins.fix(points)
    assert (placed[10:] == points[10:]).all()
    assert 0.1 < np.linalg.norm(placed[0] - points[0]) < 1.5
    np.testing.assert_array_equal(pins.in_their_frame(placed)[:10], elsewhere[:10])


@pytest.mark.parametrize("rows", [[], [3], [3, 3]])
def test_one_place_decides_no_size(points, rows):
    pins = Pins(fixed(points + 10, rows), points.shape)
    with np.errstate(all="raise"):
        placed = pins.fix(points)
    assert pins.length == 1
    np.testing.assert_allclose(np.diff(placed, axis=0), np.diff(points, axis=0), atol=1e-5)


@pytest.mark.parametrize(
    ("places", "message"),
    [
        (np.zeros((3, 2)), r"fixed must have the shape \(20, 2\).*got \(3, 2\)"),
        (np.full((20, 2), np.inf), "finite coordinates, or NaN in all columns"),
        (np.array([[np.nan, 0.0]] * 20), "finite coordinates, or NaN in all columns"),
    ],
)
def test_mistakes_are_explained(places, message):
    with pytest.raises(InputError, match=message):
        Pins(places, (20, 2))

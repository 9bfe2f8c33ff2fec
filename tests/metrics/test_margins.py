import numpy as np
import pytest

import ordinate as od
from ordinate.metrics import triplet_margins
from ordinate.metrics._margins import relative_distances

LINE = np.array([[0.0], [1.0], [3.0]])
RADIUS = np.sqrt(np.square(LINE - LINE.mean()).mean())


def test_margins_by_hand():
    near, far = relative_distances([[0, 1, 2], [1, 2, 0]], LINE)
    np.testing.assert_allclose(near, np.array([1, 2]) / RADIUS)
    np.testing.assert_allclose(far, np.array([3, 1]) / RADIUS)
    margins = triplet_margins([[0, 1, 2], [1, 2, 0]], LINE)
    np.testing.assert_allclose(margins, np.array([2, -1]) / RADIUS)


def test_quadruplets():
    np.testing.assert_allclose(triplet_margins([[0, 1, 1, 2]], LINE), [1 / RADIUS])


def test_size_place_and_direction_of_the_map_do_not_matter():
    points = np.random.default_rng(0).normal(size=(20, 2))
    answers = od.sources.random_triplets(points, 100, random_state=0)
    turned = 7 * points[:, ::-1] - 3
    np.testing.assert_allclose(triplet_margins(answers, turned), triplet_margins(answers, points))


def test_a_map_of_one_place_has_no_margins():
    np.testing.assert_array_equal(triplet_margins([[0, 1, 2]], np.ones((3, 2))), [0])


def test_refuses():
    answers = od.Comparisons([[0, 1, 2]], n_objects=5)
    with pytest.raises(od.InputError, match=r"embedding has 3 rows; .* about 5 objects"):
        triplet_margins(answers, LINE)

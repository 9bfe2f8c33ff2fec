"""Adam: it descends, at any scale of the gradient, and tells how far it is."""

import numpy as np
import pytest

from ordinate.solvers.adam import adam

START = np.array([[3.0, -2.0], [1.0, 5.0]], dtype=np.float32)


def bowl(points):
    return float((points**2).sum()), 2 * points


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_scale_of_the_objective_does_not_matter(scale):
    def scaled(points):
        value, gradient = bowl(points)
        return value, np.float32(scale) * gradient

    points, history = adam(scaled, START, max_iter=300, step=0.2)
    np.testing.assert_allclose(points, 0, atol=1e-2)
    assert len(history) == 300
    assert history[0] == pytest.approx(39)


def test_the_first_step_has_the_length_asked_for_and_the_start_stays():
    start = START.copy()
    points, _ = adam(bowl, start, max_iter=1, step=0.25)
    np.testing.assert_allclose(start - points, 0.25 * np.sign(START), rtol=1e-5)
    np.testing.assert_array_equal(start, START)


def test_coordinates_without_gradient_stay():
    points, _ = adam(lambda p: (0.0, np.zeros_like(p)), START, max_iter=5, step=1.0)
    np.testing.assert_array_equal(points, START)


def test_values_are_told_as_they_come():
    seen = []
    _, history = adam(bowl, START, max_iter=5, step=0.1, after=seen.append)
    assert seen == list(history)


def test_coordinates_may_be_changed_before_a_step():
    def before(number, points):
        if number == 3:
            points[:] = 7

    points, _ = adam(lambda p: (0.0, np.zeros_like(p)), START, max_iter=5, step=1.0, before=before)
    assert (points == 7).all()

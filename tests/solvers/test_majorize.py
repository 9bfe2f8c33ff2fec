import numpy as np

from ordinate.solvers.majorize import majorize


def halve(points):
    return float(np.sum(points**2)), points / 2


def test_every_iteration_takes_the_improved_points():
    result = majorize(halve, np.ones((2, 1)), max_iter=3, tol=0.0)
    np.testing.assert_allclose(result.points, np.full((2, 1), 1 / 8))
    np.testing.assert_allclose(result.history, [2, 1 / 2, 1 / 8, 1 / 32])
    assert not result.converged


def test_a_start_that_is_good_enough_stays():
    result = majorize(halve, np.ones((2, 1)), max_iter=3, tol=0.0, floor=2.0)
    assert result.n_iter == 0
    assert result.converged


def test_a_rise_ends_the_run_at_the_point_before_it():
    def worsen(points):
        return float(np.sum(points**2)), points * (0.5 if abs(points[0, 0]) > 0.3 else 3)

    result = majorize(worsen, np.ones((1, 1)), max_iter=50, tol=0.0)
    np.testing.assert_allclose(result.points, [[0.25]])
    assert result.value == result.history[-1] == 0.0625
    assert not result.converged

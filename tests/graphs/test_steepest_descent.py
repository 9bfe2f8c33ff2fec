import numpy as np

from ordinate.graphs.loe import steepest


def valley(points):
    slopes = np.array([[1.0, 25.0]])
    return float(np.sum(slopes * points**2)), 2 * slopes * points


def test_it_goes_down_all_the_way():
    result = steepest(valley, np.ones((3, 2)), max_iter=500, tol=0.0, floor=1e-12)
    assert result.converged
    assert (np.diff(result.history) < 0).all()
    np.testing.assert_allclose(result.points, 0, atol=1e-5)


def test_steps_are_halved_from_one_half():
    # along a parabola of curvature c the step t is accepted when t <= 1 / c
    for curvature, step in [(0.5, 0.5), (3.0, 0.25), (20.0, 1 / 32)]:
        result = steepest(
            lambda x, c=curvature: (float(np.sum(c * x**2) / 2), c * x),
            np.ones((1, 1)),
            max_iter=1,
            tol=0.0,
        )
        np.testing.assert_allclose(result.points, 1 - step * curvature)


def test_a_place_without_a_way_down_is_not_a_minimum_unless_it_is_flat():
    def flat(points):
        return 1.0, np.ones_like(points)  # the gradient promises what never comes

    result = steepest(flat, np.ones((1, 1)), max_iter=9, tol=0.0)
    assert not result.converged
    assert result.n_iter == 0
    assert steepest(flat, np.ones((1, 1)), max_iter=9, tol=1.0).converged

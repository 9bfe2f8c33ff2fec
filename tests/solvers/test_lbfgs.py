import numpy as np
import pytest

from ordinate.solvers.lbfgs import lbfgs


def valley(points):
    """A curved valley whose floor is at (1, 1)."""
    x, y = points[:, 0], points[:, 1]
    value = np.sum((1 - x) ** 2 + 100 * (y - x**2) ** 2)
    slope_x = -2 * (1 - x) - 400 * x * (y - x**2)
    return float(value), np.stack([slope_x, 200 * (y - x**2)], axis=1)


def test_it_finds_the_bottom_of_a_curved_valley():
    result = lbfgs(valley, np.array([[-1.2, 1.0], [0.0, 0.0]]), max_iter=500, tol=1e-12)
    np.testing.assert_allclose(result.points, 1, atol=1e-4)
    assert result.converged
    assert result.history[0] == valley(np.array([[-1.2, 1.0], [0.0, 0.0]]))[0]


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_scale_of_the_loss_does_not_decide_when_to_stop(scale):
    def scaled(points):
        value, gradient = valley(points)
        return scale * value, scale * gradient

    result = lbfgs(scaled, np.array([[-1.2, 1.0]]), max_iter=500, tol=1e-12)
    np.testing.assert_allclose(result.points, 1, atol=1e-3)


def test_a_floor_and_a_limit_end_the_run():
    start = np.array([[-1.2, 1.0]])
    early = lbfgs(valley, start, max_iter=500, tol=0.0, floor=1.0)
    assert early.value <= 1.0 < early.history[-2]
    cut = lbfgs(valley, start, max_iter=3, tol=0.0)
    assert cut.n_iter == 3
    assert not cut.converged


def test_the_callback_may_stop():
    result = lbfgs(
        valley,
        np.array([[-1.2, 1.0]]),
        max_iter=500,
        tol=0.0,
        callback=lambda number, value, points: number == 4,
    )
    assert result.n_iter == 4
    assert result.converged


def uphill(points):
    """A loss whose gradient points the wrong way, so that no step goes down."""
    value, gradient = valley(points)
    return value, -gradient


def test_a_run_without_a_way_down_has_not_converged():
    result = lbfgs(uphill, np.array([[-1.2, 1.0]]), max_iter=50, tol=1e-4)
    assert not result.converged
    assert result.value == result.history[-1] == valley(np.array([[-1.2, 1.0]]))[0]


def test_it_goes_on_past_a_kink_and_counts_on():
    def kinked(points):
        x, y = points[0]
        return 10 * abs(x) + abs(y) + y**2, np.array([[10 * np.sign(x), np.sign(y) + 2 * y]])

    seen = []
    result = lbfgs(
        kinked,
        np.array([[3.0, 2.0]]),
        max_iter=200,
        tol=1e-9,
        floor=1e-3,
        callback=lambda number, value, points: seen.append(number),
    )
    assert result.value < 1e-2
    assert seen == list(range(1, result.n_iter + 1))
    assert (np.diff(result.history) <= 0).all()

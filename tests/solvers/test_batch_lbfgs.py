"""L-BFGS on tensors: known minima, the stopping rule, and starts that end at different times."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from ordinate.solvers.batch_lbfgs import batch_lbfgs  # noqa: E402
from ordinate.solvers.lbfgs import lbfgs  # noqa: E402


def rosenbrock(points):
    """Banana-shaped valley in (x, y), with its minimum 0 at (1, 1), for each row."""
    x, y = points[..., 0], points[..., 1]
    values = (100 * (y - x**2) ** 2 + (1 - x) ** 2).sum(dim=-1)
    slope_x = -400 * x * (y - x**2) - 2 * (1 - x)
    return values, torch.stack([slope_x, 200 * (y - x**2)], dim=-1)


def alone(objective):
    def evaluate(points):
        values, gradients = objective(torch.as_tensor(points)[None])
        return float(values[0]), gradients[0].numpy()

    return evaluate


STARTS = torch.tensor([[[-1.2, 1.0]], [[2.0, -3.0]], [[1.0, 1.1]]], dtype=torch.float64)


def test_finds_the_end_of_a_curved_valley_from_every_start():
    results = batch_lbfgs(rosenbrock, STARTS, max_iter=200, tol=1e-12, floor=1e-20)
    for result in results:
        assert result.converged
        np.testing.assert_allclose(result.points, [[1.0, 1.0]], atol=1e-6)
    assert len({result.n_iter for result in results}) > 1


def test_needs_no_more_iterations_than_scipy_by_half():
    (ours, *_) = batch_lbfgs(rosenbrock, STARTS, max_iter=200, tol=1e-12, floor=1e-12)
    theirs = lbfgs(alone(rosenbrock), STARTS[0].numpy(), max_iter=200, tol=1e-12, floor=1e-12)
    assert ours.n_iter <= 1.5 * theirs.n_iter


def test_the_loss_never_rises_and_the_history_is_complete():
    (result,) = batch_lbfgs(rosenbrock, STARTS[:1], max_iter=12, tol=0.0)
    assert not result.converged
    assert result.n_iter == 12
    assert result.value == result.history[-1]
    assert (np.diff(result.history) < 0).all()


def test_a_kink_does_not_stop_it():
    def absolute(points):
        return points.abs().sum(dim=(1, 2)), points.sign()

    (result,) = batch_lbfgs(
        absolute, torch.tensor([[[3.0, -0.7]]], dtype=torch.float64), max_iter=100, tol=1e-9
    )
    assert result.value < 1e-3


def test_a_start_at_the_minimum_ends_at_once():
    (result,) = batch_lbfgs(rosenbrock, torch.ones(1, 1, 2, dtype=torch.float64), max_iter=9, tol=0)
    assert result.converged
    np.testing.assert_array_equal(result.points, [[1.0, 1.0]])


def test_the_callback_sees_each_start_and_can_end_it():
    seen = []

    def callback(number, value, points):
        assert isinstance(points, np.ndarray)
        seen.append((number, value))
        return number == 3

    results = batch_lbfgs(rosenbrock, STARTS[:2], max_iter=50, tol=0.0, callback=callback)
    assert [result.n_iter for result in results] == [3, 3]
    assert all(result.converged for result in results)
    assert [number for number, _ in seen] == [1, 1, 2, 2, 3, 3]


def test_steps_into_nowhere_are_taken_back():
    def barrier(points):
        return (points - points.log()).sum(dim=(1, 2)), 1 - 1 / points

    (result,) = batch_lbfgs(
        barrier, torch.full((1, 2, 1), 1e-3, dtype=torch.float64), max_iter=100, tol=1e-12
    )
    np.testing.assert_allclose(result.points, 1.0, atol=1e-4)

import numpy as np
import pytest

from ordinate.gram.gram_embedding import projected_gradient


def quadratic(matrix, target):
    def objective(x):
        gap = matrix @ (x - target)
        return 0.5 * float(np.sum(gap**2)), matrix.T @ gap

    return objective


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    return quadratic(rng.standard_normal((6, 5)), rng.standard_normal((5, 1)))


def test_solves_non_negative_least_squares(problem):
    result = projected_gradient(
        problem, lambda x: np.maximum(x, 0), np.zeros((5, 1)), max_iter=5000, tol=1e-12
    )
    gradient = problem(result.points)[1]
    assert result.converged
    assert (result.points >= 0).all()
    assert gradient.min() > -1e-4  # no coordinate can gain by growing
    np.testing.assert_allclose(gradient * result.points, 0, atol=1e-4)


def test_the_objective_never_rises(problem):
    result = projected_gradient(problem, np.abs, np.ones((5, 1)), max_iter=50, tol=1e-9, step=1e6)
    assert (np.diff(result.history) <= 0).all()


def test_ends_where_no_step_leads_down():
    result = projected_gradient(
        lambda x: (float(np.abs(x).sum()), np.sign(x)),
        lambda x: x,
        np.full((1, 1), 0.5),
        max_iter=10_000,
        tol=1e-300,
    )
    assert result.converged
    assert abs(result.value) < 1e-6


def test_says_when_iterations_ran_out(problem):
    assert not projected_gradient(
        problem, lambda x: x, np.zeros((5, 1)), max_iter=2, tol=1e-9
    ).converged


def test_a_callback_ends_the_run(problem):
    result = projected_gradient(
        problem,
        lambda x: x,
        np.zeros((5, 1)),
        max_iter=50,
        tol=0.0,
        callback=lambda number, value, point: number == 3,
    )
    assert result.n_iter == 3

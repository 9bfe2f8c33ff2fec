import json
from pathlib import Path

import numpy as np
import pytest

import ordinate as od
from ordinate.gram.admm import admm
from ordinate.gram.dmoe import two_sided_proximal
from ordinate.gram.objective import MarginOperator

FIXTURE = json.loads((Path(__file__).parents[1] / "data" / "dmoe.json").read_text())
OPERATOR = MarginOperator(od.Comparisons(np.array(FIXTURE["triplets_1based"]) - 1, n_objects=12))


def objective(gram, problem):
    slack = problem["gamma0"] - OPERATOR.margins(gram)
    power = problem["p"]
    short, long = np.maximum(slack, 0) ** power, np.maximum(-slack, 0) ** power
    return np.sum(short + problem["nu"] * long) + problem["lam"] * np.trace(gram)


def solve(problem, **options):
    settings = {"max_iter": 20_000, "tol": 1e-6} | options
    return admm(
        OPERATOR,
        two_sided_proximal(problem["p"], problem["nu"]),
        margin=problem["gamma0"],
        penalty=problem["lam"],
        **settings,
    )


@pytest.mark.parametrize(
    "problem", FIXTURE["optima"], ids=lambda o: f"p{o['p']}-nu{o['nu']}-lambda{o['lam']}"
)
def test_reaches_the_optimum_of_an_interior_point_solver(problem):
    result = solve(problem)
    assert result.converged
    assert result.residuals[-1].max() <= 1e-6
    assert objective(result.gram, problem) == pytest.approx(problem["optimum"], rel=1e-4)
    assert np.trace(result.gram) == pytest.approx(problem["trace"], rel=2e-2)
    assert np.linalg.eigvalsh(result.gram).min() > -1e-10


def test_a_warm_start_needs_fewer_iterations():
    problem = FIXTURE["optima"][0]
    cold = solve(problem)
    warm = solve(problem | {"lam": 1.05 * problem["lam"]}, start=cold)
    again = solve(problem | {"lam": 1.05 * problem["lam"]})
    assert len(warm.residuals) < len(again.residuals)


def test_says_when_iterations_ran_out():
    result = solve(FIXTURE["optima"][0], max_iter=3)
    assert not result.converged
    assert result.residuals.shape == (3, 2)


def test_a_callback_ends_the_run():
    result = solve(FIXTURE["optima"][0], callback=lambda number, residual, gram: number == 4)
    assert len(result.residuals) == 4


def test_zero_is_the_optimum_from_the_void_penalty_on():
    pull = np.zeros((12, 12))
    OPERATOR.add_adjoint(pull, np.ones(80))
    void = np.linalg.eigvalsh(pull)[-1]
    problem = FIXTURE["optima"][0]
    above, below = (solve(problem | {"lam": share * void}) for share in (1.02, 0.98))
    assert np.trace(above.gram) < 1e-4 < np.trace(below.gram)


def test_objects_without_comparisons_cost_nothing_and_change_nothing():
    problem = FIXTURE["optima"][0]
    sparse = np.array(FIXTURE["triplets_1based"]) * 3  # objects 3, 6, … of 50
    operator = MarginOperator(od.Comparisons(sparse, n_objects=50))
    settings = {"margin": problem["gamma0"], "penalty": problem["lam"], "tol": 1e-6}
    proximal = two_sided_proximal(problem["p"], problem["nu"])
    among_others = admm(operator, proximal, max_iter=20_000, **settings).gram
    compared = 3 * np.arange(1, 13)
    np.testing.assert_allclose(
        among_others[np.ix_(compared, compared)], solve(problem).gram, atol=1e-8
    )
    assert np.count_nonzero(among_others.any(axis=0)) <= 12

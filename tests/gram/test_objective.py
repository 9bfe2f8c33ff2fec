import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import polar, sqrtm

import ordinate as od
from ordinate.gram.objective import (
    ComparedPairs,
    GramObjective,
    MarginOperator,
    project_psd,
    psd_factor,
)

FORTE = json.loads((Path(__file__).parents[1] / "data" / "forte_gram.json").read_text())


def random_comparisons(seed, n_columns=3, n_objects=8, size=30):
    points = np.random.default_rng(seed).standard_normal((n_objects, 3))
    source = od.sources.random_triplets if n_columns == 3 else od.sources.random_quadruplets
    return source(points, size, random_state=seed)


def random_symmetric(seed, n=8):
    matrix = np.random.default_rng(seed).standard_normal((n, n))
    return matrix + matrix.T


def dense_operator(comparisons):
    """Each comparison's matrix of signs, from its definition."""
    n = comparisons.n_objects
    rows = []
    for i, j, k, l in comparisons.to_quadruplets().rows:  # noqa: E741
        matrix = np.zeros((n, n))
        for a, b, sign in ((k, l, 1), (i, j, -1)):
            matrix[a, a] += sign
            matrix[b, b] += sign
            matrix[a, b] -= sign
            matrix[b, a] -= sign
        rows.append(matrix)
    return np.array(rows)


@pytest.mark.parametrize("n_columns", [3, 4])
@given(seed=st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_operator_agrees_with_its_definition(seed, n_columns):
    comparisons = random_comparisons(seed, n_columns)
    operator, dense = MarginOperator(comparisons), dense_operator(comparisons)
    gram, values = random_symmetric(seed), np.random.default_rng(seed).standard_normal(30)
    np.testing.assert_allclose(operator.margins(gram), np.einsum("tij,ij", dense, gram), atol=1e-12)
    adjoint = np.zeros_like(gram)
    operator.add_adjoint(adjoint, values)
    np.testing.assert_allclose(adjoint, np.einsum("tij,t->ij", dense, values), atol=1e-12)
    flat = dense.reshape(30, -1)
    expected = np.linalg.solve(np.eye(30) + flat @ flat.T, values)
    solution = operator.solve_normal(values, np.zeros(30), tol=1e-12)
    np.testing.assert_allclose(solution, expected, atol=1e-9)


def test_many_comparisons_are_solved_without_a_factor():
    comparisons = random_comparisons(0, size=600)
    flat = dense_operator(comparisons).reshape(600, -1)
    values = np.random.default_rng(0).standard_normal(600)
    expected = np.linalg.solve(np.eye(600) + flat @ flat.T, values)
    solution = MarginOperator(comparisons).solve_normal(values, np.zeros(600), tol=1e-12)
    np.testing.assert_allclose(solution, expected, atol=1e-9)


def test_margins_do_not_change_when_all_distances_grow_alike():
    comparisons = random_comparisons(0)
    gram = random_symmetric(0)
    operator = MarginOperator(comparisons)
    np.testing.assert_allclose(operator.margins(gram + 5 * np.eye(8)), operator.margins(gram))


@pytest.mark.parametrize(
    ("loss", "value", "gradient"),
    [
        (od.losses.ste, "logistic_loss", "logistic_grad_M"),
        (od.losses.gnmds, "hinge_loss", "hinge_grad_M_correct"),
    ],
)
def test_objectives_agree_with_forte(loss, value, gradient):
    points = np.array(FORTE["points"])
    comparisons = od.Comparisons(FORTE["triplets"], n_objects=len(points))
    found, slope = GramObjective(comparisons, loss)(points @ points.T)
    assert found / len(comparisons) == pytest.approx(FORTE[value], rel=1e-12)
    np.testing.assert_allclose(slope / len(comparisons), FORTE[gradient], atol=1e-12)


@pytest.mark.parametrize("loss", [od.losses.gnmds, od.losses.ste, od.losses.tste])
def test_gradient_is_symmetric_and_agrees_with_finite_differences(loss):
    comparisons = od.Comparisons(random_comparisons(1, 4).rows, weights=np.arange(30.0))
    points = np.random.default_rng(2).standard_normal((8, 4))
    direction = random_symmetric(3)
    objective = GramObjective(comparisons, loss)
    gram, h = points @ points.T, 1e-6
    gradient = objective(gram)[1]
    np.testing.assert_array_equal(gradient, gradient.T)
    slope = (objective(gram + h * direction)[0] - objective(gram - h * direction)[0]) / (2 * h)
    assert np.sum(gradient * direction) == pytest.approx(slope, rel=1e-5)


def test_pairs_are_counted_once_whatever_their_order():
    pairs = ComparedPairs(od.Comparisons([[0, 1, 2], [1, 0, 2], [2, 0, 1]]))
    assert len(pairs) == 3


@pytest.mark.parametrize("n", [12, 220])
def test_projection_keeps_the_largest_positive_eigenvalues(n):
    matrix = random_symmetric(4, n)
    values, vectors = np.linalg.eigh(matrix)
    for rank, kept in ((None, values > 0), (3, np.arange(n) >= n - 3)):
        expected = (vectors * np.where(kept & (values > 0), values, 0)) @ vectors.T
        np.testing.assert_allclose(project_psd(matrix, rank=rank), expected, atol=1e-8)


@pytest.mark.parametrize("n_positive", [0, 7, 180])
def test_how_many_positive_eigenvalues_are_expected_is_not_a_limit(n_positive):
    axes = np.linalg.qr(random_symmetric(5, 220))[0]
    values = np.where(np.arange(220) < n_positive, 2.0, -1.0)
    factor = psd_factor((axes * values) @ axes.T, expected=5)
    assert factor.shape == (220, n_positive)
    expected = (axes * np.maximum(values, 0)) @ axes.T
    np.testing.assert_allclose(factor @ factor.T, expected, atol=1e-10)


def test_negative_eigenvalues_are_not_kept_for_their_size():
    np.testing.assert_allclose(project_psd(np.diag([-9.0, 1.0, -5.0]), rank=2), np.diag([0, 1, 0]))


def test_the_projection_is_that_of_theorem_2_of_the_dmoe_paper():
    """Half of the symmetric part and its polar factor; (32) forgets to take the symmetric part."""
    matrix = np.random.default_rng(0).normal(size=(9, 9))
    symmetric = (matrix + matrix.T) / 2
    polar_factor = polar(symmetric)[1]
    found = project_psd(symmetric)
    np.testing.assert_allclose(found, (symmetric + polar_factor) / 2, atol=1e-12)
    as_printed = (matrix + matrix.T) / 4 + sqrtm(matrix.T @ matrix).real / 4
    assert np.linalg.norm(as_printed - found) > 0.1 * np.linalg.norm(found)
    assert psd_factor(-np.eye(3)).shape == (3, 0)

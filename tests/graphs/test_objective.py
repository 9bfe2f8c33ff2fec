import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordinate.graphs.loe import steepest
from ordinate.graphs.objective import LocalObjective, _sort
from ordinate.solvers.majorize import majorize

R = json.loads((Path(__file__).parents[1] / "data" / "loe_iterates.json").read_text())
START = np.array(R["X0"])


def csr(adjacency):
    """Arrays of a graph given as a boolean matrix."""
    heads, tails = np.nonzero(adjacency)
    return np.searchsorted(heads, np.arange(len(adjacency) + 1)), tails.astype(np.int32)


def brute_force(adjacency, points, delta):
    """Sum the stress and its gradient term by term."""
    n = len(points)
    value, gradient = 0.0, np.zeros_like(points)
    for i in range(n):
        for j in np.flatnonzero(adjacency[i]):
            for l in np.flatnonzero(~adjacency[i]):  # noqa: E741
                near, far = points[i] - points[j], points[i] - points[l]
                a, b = np.linalg.norm(near), np.linalg.norm(far)
                z = a + delta - b
                if l == i or z <= 0:
                    continue
                value += z**2
                u = 2 * z * near / a if a > 0 else 0
                v = 2 * z * far / b if b > 0 else 0
                gradient[i] += u - v
                gradient[j] -= u
                gradient[l] += v
    return value, gradient


@st.composite
def problems(draw):
    n, d = draw(st.integers(3, 14)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    adjacency = rng.random((n, n)) < draw(st.floats(0.05, 0.95))
    np.fill_diagonal(adjacency, False)
    adjacency[0] = draw(st.booleans())  # someone with no neighbour or with all
    adjacency[0, 0] = False
    points = rng.normal(size=(n, d)) * 10.0 ** draw(st.integers(-3, 3))
    if draw(st.booleans()):
        points[-1] = points[0]  # two objects in one place
    return adjacency, points, 10.0 ** draw(st.integers(-2, 2))


@settings(deadline=None, max_examples=50)
@given(problems())
def test_value_and_gradient_are_those_of_brute_force(problem):
    adjacency, points, delta = problem
    value, gradient = LocalObjective(*csr(adjacency), delta)(points)
    expected, expected_gradient = brute_force(adjacency, points, delta)
    np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-13)
    scale = np.abs(expected_gradient).max(initial=1e-300)
    np.testing.assert_allclose(gradient / scale, expected_gradient / scale, atol=1e-12)


def knn_graph(points, k):
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1)[:, :k].astype(np.int32)
    return k * np.arange(len(points) + 1), nearest.ravel()


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_hubs_and_many_cells_change_nothing(d):
    # far more objects than fit a cell, and one vertex with over a hundred neighbours
    rng = np.random.default_rng(0)
    points = rng.normal(size=(400, d))
    adjacency = np.zeros((400, 400), dtype=bool)
    _, indices = knn_graph(points, 5)
    adjacency[np.repeat(np.arange(400), 5), indices] = True
    adjacency[7, :150] = True
    adjacency[7, 7] = False
    near = points + 0.05 * rng.normal(size=points.shape)
    value, gradient = LocalObjective(*csr(adjacency), 0.01)(near)
    distances = np.linalg.norm(near[:, None] - near, axis=2)
    expected = 0.0
    for i in range(400):
        others = ~adjacency[i]
        others[i] = False
        z = distances[i, adjacency[i]][:, None] + 0.01 - distances[i, others]
        expected += np.sum(np.maximum(z, 0) ** 2)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    step = 1e-6 * rng.normal(size=points.shape)
    objective = LocalObjective(*csr(adjacency), 0.01)
    difference = objective(near + step)[0] - objective(near - step)[0]
    np.testing.assert_allclose(difference, 2 * np.sum(gradient * step), rtol=1e-3)


@pytest.mark.compiled
def test_the_number_of_threads_changes_no_bit():
    points = np.random.default_rng(0).uniform(size=(1200, 2)) * 30
    indptr, indices = knn_graph(points, 8)
    moved = points + np.random.default_rng(1).normal(size=points.shape)
    results = [
        LocalObjective(indptr, indices, 1.0, n_threads=threads).improve(moved)
        + LocalObjective(indptr, indices, 1.0, n_threads=threads)(moved)
        for threads in (1, 2, 5)
    ]
    for other in results[1:]:
        for one, two in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("case", R["cases"], ids=lambda case: f"delta={case['delta']}")
def test_objective_and_iterates_equal_those_of_r(case):
    heads, tails = np.array(R["edges"]).T
    indptr = np.searchsorted(heads, np.arange(len(START) + 1))
    objective = LocalObjective(indptr, tails, case["delta"])
    value, gradient = objective(START)
    np.testing.assert_allclose(value, case["objective"], rtol=1e-13)
    np.testing.assert_allclose(gradient, case["gradient"], rtol=1e-9, atol=1e-9)
    for n_iter, points in case["majorize"].items():
        result = majorize(objective.improve, START, max_iter=int(n_iter), tol=0.0)
        np.testing.assert_allclose(result.points, points, atol=1e-12)
    for n_iter, points in case["steepest"].items():
        result = steepest(objective, START, max_iter=int(n_iter), tol=0.0)
        np.testing.assert_allclose(result.points, points, atol=1e-12)


@settings(deadline=None, max_examples=50)
@given(problems())
def test_a_majorising_sweep_never_raises_the_stress(problem):
    adjacency, points, delta = problem
    points = points + 1e-3 * np.random.default_rng(0).normal(size=points.shape)
    objective = LocalObjective(*csr(adjacency), delta)
    for _ in range(3):
        before, points = objective.improve(points)
        after = objective(points)[0]
        assert after <= before * (1 + 1e-12)


def test_the_callers_arrays_stay_as_they_are():
    indptr, indices = knn_graph(START, 4)
    copies = START.copy(), indptr.copy(), indices.copy()
    LocalObjective(indptr, indices).improve(START)
    for now, before in zip((START, indptr, indices), copies, strict=True):
        np.testing.assert_array_equal(now, before)
        assert now.flags.writeable


def test_objects_without_answers_stay():
    objective = LocalObjective(np.zeros(4, dtype=np.int64), np.empty(0, dtype=np.int32))
    points = np.arange(6.0).reshape(3, 2)
    value, moved = objective.improve(points)
    assert value == 0
    np.testing.assert_array_equal(moved, points)


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), max_size=300))
def test_keys_are_sorted_and_their_origins_known(values):
    keys = np.array(values, dtype=np.float64)
    rank = np.empty(len(keys) + 3, dtype=np.int64)
    given_keys = keys.copy()
    _sort(keys, rank)
    np.testing.assert_array_equal(keys, np.sort(given_keys))
    np.testing.assert_array_equal(given_keys[rank[: len(keys)]], keys)

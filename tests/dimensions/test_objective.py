"""The compiled cost of trials, beside the formula written out and finite differences."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.special import logsumexp

from ordinate.comparisons.choices import share_right
from ordinate.dimensions.answers import PAIRS
from ordinate.dimensions.objective import TrialObjective
from ordinate.engine.choices import alike


def some_trials(n_objects=12, n_trials=200, seed=0):
    rng = np.random.default_rng(seed)
    rows = np.array([rng.choice(n_objects, 3, replace=False) for _ in range(n_trials)], np.int32)
    return rows, rng.uniform(0, 2, n_trials), rng.uniform(0, 1, (n_objects, 5))


def reference(loadings, rows, weights, has_anchor):
    """Return the cost and the gradient by matrices, without a loop over trials."""
    similar = loadings @ loadings.T
    i, j, k = rows.T
    options = [similar[i, j], similar[i, k]] + ([] if has_anchor else [similar[j, k]])
    probability = np.exp(options - logsumexp(options, axis=0))
    cost = float(weights @ -np.log(probability[0]))
    slope = np.zeros_like(similar)
    pairs = [(i, j), (i, k), (j, k)]
    for option, (pair, chosen) in enumerate(zip(pairs, (1, 0, 0), strict=True)):
        if option < len(options):
            np.add.at(slope, pair, weights * (probability[option] - chosen))
    return cost, (slope + slope.T) @ loadings


@pytest.mark.parametrize("has_anchor", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_to_numpy(has_anchor, dtype):
    rows, weights, loadings = some_trials()
    expected = reference(loadings, rows, weights, has_anchor)
    objective = TrialObjective(rows, weights, has_anchor=has_anchor, dtype=dtype)
    cost, gradient = objective(loadings)
    tolerance = 1e-5 if dtype is np.float32 else 1e-12
    np.testing.assert_allclose(cost, expected[0], rtol=tolerance)
    np.testing.assert_allclose(gradient, expected[1], rtol=0, atol=30 * tolerance)


@pytest.mark.parametrize("has_anchor", [False, True])
def test_torch_sums_the_same_in_parts(has_anchor, monkeypatch):
    pytest.importorskip("torch")
    from ordinate.dimensions import torch_objective

    monkeypatch.setattr(torch_objective, "_ENTRIES", 3 * 5 * 64)  # 64 trials at once
    rows, weights, loadings = some_trials()
    expected = reference(loadings, rows, weights, has_anchor)
    objective = torch_objective.TorchTrialObjective(
        rows, weights, has_anchor=has_anchor, device="cpu"
    )
    cost, gradient = objective(loadings)
    np.testing.assert_allclose(cost, expected[0], rtol=1e-5)
    np.testing.assert_allclose(gradient, expected[1], rtol=0, atol=3e-4)


@pytest.mark.parametrize("has_anchor", [False, True])
def test_gradient_by_finite_differences(has_anchor):
    rows, weights, loadings = some_trials(n_objects=6, n_trials=40)
    objective = TrialObjective(rows, weights, has_anchor=has_anchor, dtype=np.float64)

    def part(index):
        return lambda x: objective(x.reshape(loadings.shape))[index]

    error = check_grad(part(0), lambda x: part(1)(x).ravel(), loadings.ravel())
    assert error < 1e-4 * np.linalg.norm(part(1)(loadings))


def test_large_similarities_do_not_overflow():
    rows, _, loadings = some_trials()
    cost, gradient = TrialObjective(rows, None)(300 * loadings)
    assert np.isfinite(cost)
    assert np.isfinite(gradient).all()


def test_same_bits_for_any_number_of_threads():
    rows, _, loadings = some_trials(n_trials=1000)
    rows = np.tile(rows, (60, 1))
    one, three = (TrialObjective(rows, None, n_threads=n)(loadings) for n in (1, 3))
    assert one[0] == three[0]
    np.testing.assert_array_equal(one[1], three[1])


def test_a_tie_counts_its_share():
    similar = np.array([[2.0, 1, 1], [1, 1, 0], [0, 0, 0], [0, 1, 0]])
    np.testing.assert_allclose(share_right(similar), [1, 1 / 2, 1 / 3, 0])


def test_similarities_of_the_three_pairs():
    rows, _, loadings = some_trials()
    gram = loadings @ loadings.T
    i, j, k = rows.T
    expected = np.column_stack([gram[i, j], gram[i, k], gram[j, k]])
    np.testing.assert_allclose(alike(loadings, rows[:, PAIRS], "dot"), expected)

"""The majoriser touches the loss, lies above it, and its sweeps never raise the loss."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordinate as od
from ordinate import losses
from ordinate.engine.cpu import CPUObjective
from ordinate.triplets.majorizer import _coefficients, soe_majorizer


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 10**6), delta=st.floats(0.01, 5), scale=st.floats(0.05, 5))
def test_quadratic_lies_above_and_touches(seed, delta, scale):
    rng = np.random.default_rng(seed)
    y = scale * rng.normal(size=(2, 3))
    x = scale * rng.normal(size=(2, 3))
    a0, b0 = np.linalg.norm(y, axis=1)
    a, b = np.linalg.norm(x, axis=1)
    (alpha, alpha_far), (beta, beta_far) = _coefficients(np.array(a0), np.array(b0), delta)

    def quadratic(p):
        return (
            alpha * p[0] @ p[0] + alpha_far * p[1] @ p[1]
            - 2 * beta * p[0] @ y[0] - 2 * beta_far * p[1] @ y[1]
        )  # fmt: skip

    at_y = max(0.0, a0 + delta - b0) ** 2
    at_x = max(0.0, a + delta - b) ** 2
    assert at_x <= at_y + quadratic(x) - quadratic(y) + 1e-9 * (1 + at_y + abs(quadratic(x)))


@pytest.mark.parametrize("n_columns", [3, 4])
def test_sweeps_descend(n_columns):
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(12, 2))
    rows = np.array([rng.permutation(12)[:n_columns] for _ in range(150)])
    pairs = rows[:, [0, 1, 0, 2]] if n_columns == 3 else rows
    near = np.linalg.norm(truth[pairs[:, 0]] - truth[pairs[:, 1]], axis=1)
    far = np.linalg.norm(truth[pairs[:, 2]] - truth[pairs[:, 3]], axis=1)
    comparisons = od.Comparisons(rows, near < far, weights=rng.random(150))
    improve = soe_majorizer(comparisons, 1.0)
    objective = CPUObjective(comparisons, losses.soe, [1.0])
    points = rng.normal(size=(12, 2))
    values = []
    for _ in range(300):
        value, better = improve(points)
        assert value == pytest.approx(objective(points)[0], rel=1e-10, abs=1e-12)
        values.append(value)
        points = better
    assert (np.diff(values) <= 1e-9 * values[0]).all()
    assert values[-1] < 0.3 * values[0]

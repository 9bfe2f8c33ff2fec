"""Several starts: one after the other, or as a batch."""

import numpy as np
import pytest

import ordinate as od
from ordinate.solvers.lbfgs import lbfgs_from
from ordinate.sources import random_triplets


def test_starts_on_the_cpu_are_solved_in_order():
    def squares(x):
        return float(np.sum((x - 1) ** 2)), 2 * (x - 1)

    squares.is_batched = False
    starts = [np.zeros((2, 1)), np.full((2, 1), 5.0)]
    results = lbfgs_from(squares, starts, max_iter=20, tol=1e-9)
    assert [result.history[0] for result in results] == [2.0, 32.0]
    assert all(result.value < 1e-12 for result in results)


def test_a_batch_does_not_mix_its_starts():
    pytest.importorskip("torch")
    from ordinate.engine.torch_objective import TorchObjective

    points = np.random.default_rng(9).normal(size=(12, 2))
    triplets = random_triplets(points, 300, random_state=0)
    objective = TorchObjective(triplets, od.losses.ste, device="cpu", precision="float64")
    starts = [np.random.default_rng(seed).normal(size=points.shape) for seed in range(3)]
    settings = {"max_iter": 40, "tol": 1e-3}
    together = lbfgs_from(objective, starts, **settings)
    for start, result in zip(starts, together, strict=True):
        (alone,) = lbfgs_from(objective, [start], **settings)
        assert result.n_iter == alone.n_iter
        np.testing.assert_allclose(result.points, alone.points, rtol=1e-6, atol=1e-9)

"""Maps that cannot grow without end: the gradient is that of the shape, for one map or many."""

import numpy as np
import pytest

from ordinate.solvers.bounded_size import BoundedSize
from ordinate.solvers.lbfgs import lbfgs


def growing(points):
    """Falls for ever with the size, and depends on the shape, too."""
    size2 = np.sum(points**2, axis=(-2, -1))
    first = points[..., 0, 0]
    value = 1 / (1 + size2) + np.tanh(first)
    gradient = -2 * points / ((1 + size2) ** 2)[..., None, None]
    gradient[..., 0, 0] += 1 / np.cosh(first) ** 2
    return value, gradient


@pytest.mark.parametrize("factor", [0.1, 3.0])
def test_gradient_inside_and_outside(factor):
    start = np.random.default_rng(0).normal(size=(5, 2))
    start -= start.mean(axis=0)
    start *= factor / np.sqrt(np.mean(np.sum(start**2, axis=1)))

    def centred(points):  # what a loss of distances is: blind to where the map lies
        value, gradient = growing(points - points.mean(axis=0))
        return value, gradient - gradient.mean(axis=0)

    bounded = BoundedSize(1.0).around(centred)
    _, gradient = bounded(start)
    for at in np.ndindex(start.shape):
        step = np.zeros_like(start)
        step[at] = 1e-6
        slope = (bounded(start + step)[0] - bounded(start - step)[0]) / 2e-6
        assert gradient[at] == pytest.approx(slope, abs=1e-7)


def test_a_batch_is_bounded_map_by_map():
    maps = (
        np.random.default_rng(1).normal(size=(3, 4, 2)) * np.array([0.1, 1.0, 50.0])[:, None, None]
    )
    bound = BoundedSize(0.5)
    for together, alone in zip(bound.inside(maps), maps, strict=True):
        np.testing.assert_allclose(together, bound.inside(alone))
        assert np.sqrt(np.mean(np.sum(together**2, axis=1))) <= 0.5 + 1e-12


def test_a_loss_that_falls_for_ever_is_minimised_at_the_bound():
    bound = BoundedSize(100.0)

    def ratio(points):
        size2 = np.sum(points**2)
        return 1 / size2, -2 * points / size2**2

    start = np.array([[1.0, 0.0], [-1.0, 0.0]])
    found = lbfgs(bound.around(ratio), start, max_iter=100, tol=1e-6)
    assert found.converged
    assert found.value == pytest.approx(1 / (2 * 100.0**2))
    assert np.abs(bound.inside(found.points)).max() <= 100.0 + 1e-9

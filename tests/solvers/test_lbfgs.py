import numpy as np
import pytest

import ordinate as od
from ordinate.solvers.batch_lbfgs import batch_lbfgs
from ordinate.solvers.lbfgs import lbfgs

FLIPS = od.sources.FlippedAnswers(0.1)


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


def test_it_continues_past_a_kink_and_counts_on():
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


def pyramid(points, slopes=(10.0, 1.0)):
    """Ridges that cross at (0, 0), where the loss is 1: along each gradient it soon rises again."""
    return 1 + float(np.abs(points[0]) @ slopes), np.sign(points) * slopes


@pytest.mark.parametrize("seed", [60, 63, 79, 91, 105, 112, 125, 167])
def test_a_step_that_gains_nothing_beside_a_kink_is_not_a_minimum(seed):
    """SciPy's run ends on the side of these pyramids, up to three times as high as the middle."""
    rng = np.random.default_rng([seed])
    slopes = 10 ** rng.uniform(-1, 1, 2)
    start = rng.normal(size=(1, 2))
    result = lbfgs(lambda points: pyramid(points, slopes), start, max_iter=500, tol=1e-9)
    assert result.converged
    assert result.value < 1.001


@pytest.mark.parametrize("seed", range(20))
def test_a_minimum_between_kinks_is_found_and_called_one(seed):
    def together(batch):
        value, gradient = pyramid(batch[0])
        return np.array([value]), gradient[None]

    start = np.random.default_rng(seed).normal(size=(1, 1, 2))
    (result,) = batch_lbfgs(together, start, max_iter=500, tol=1e-9)
    assert result.converged
    assert result.value < 1.001
    assert (np.diff(result.history) <= 0).all()


@pytest.mark.parametrize(("method", "d"), [(od.SOE, 1), (od.GNMDS, 1), (od.GNMDS, 3)])
def test_no_fit_gives_up_beside_a_kink(method, d):
    for seed in range(60):
        points = np.random.default_rng(seed).normal(size=(20, d))
        answers = od.sources.random_triplets(points, 300, noise=FLIPS, random_state=seed)
        assert method(d, random_state=0).fit(answers).converged_

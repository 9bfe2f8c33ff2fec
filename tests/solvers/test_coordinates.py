import numpy as np
import pytest

import ordinate as od
from ordinate import losses
from ordinate.engine.distances import squared_distances
from ordinate.engine.likelihoods import LIKELIHOODS
from ordinate.engine.likelihoods import likelihood as likelihood_of
from ordinate.solvers.coordinates import (
    LAPSE_PRIOR,
    sample_coordinates,
    scale_prior,
)

ANSWERS = od.Comparisons([[0, 1, 2], [0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 2, 1], [2, 1, 0]])


def quantities(points, lapse):
    """Distances as shares of the sum, the logarithm of the size, and the lapse rate."""
    gaps = points[..., [0, 0, 1], :] - points[..., [1, 2, 2], :]
    distances = np.sqrt(np.sum(gaps**2, axis=-1))
    total = distances.sum(axis=-1, keepdims=True)
    return np.concatenate([distances / total, np.log(total), lapse[..., None]], axis=-1)


def by_importance(likelihood, n=150_000):
    """The posterior mean of a tiny problem: draws from the prior, weighted by the likelihood."""
    loss, parameters = likelihood_of(likelihood, 1)
    rng = np.random.default_rng(0)
    prior = scale_prior(loss, 1)
    variance = prior.rate / rng.gamma(prior.shape, size=n)
    points = rng.standard_normal((n, 3, 1)) * np.sqrt(variance)[:, None, None]
    lapse = rng.beta(*LAPSE_PRIOR, size=n)
    log_weight = np.zeros(n)
    for i, j, k in ANSWERS.rows:
        near2 = (points[:, i, 0] - points[:, j, 0]) ** 2
        far2 = (points[:, i, 0] - points[:, k, 0]) ** 2
        log_weight -= losses.with_lapses(*loss(near2, far2, *parameters), lapse)[0]
    weight = np.exp(log_weight)
    found = quantities(points, lapse)
    mean = np.average(found, axis=0, weights=weight)
    return mean, np.sqrt(np.average((found - mean) ** 2, axis=0, weights=weight))


@pytest.mark.parametrize("likelihood", list(LIKELIHOODS))
def test_moments_are_those_of_the_posterior(likelihood):
    found = sample_coordinates(
        ANSWERS, 1, likelihood=likelihood, n_draws=700, random_state=0, n_jobs=1
    )
    drawn = quantities(found.draws, found.lapse).reshape(-1, 5)
    mean, spread = by_importance(likelihood)
    np.testing.assert_array_less(np.abs(drawn.mean(axis=0) - mean), 0.12 * spread)
    np.testing.assert_allclose(drawn.std(axis=0), spread, rtol=0.15)
    assert found.rhat < 1.03
    assert found.ess > 300


@pytest.fixture(scope="module")
def observer():
    """Points, and answers, 30 % of which are random."""
    rng = np.random.default_rng(1)
    points = rng.standard_normal((15, 2))
    rows = np.array([rng.choice(15, 3, replace=False) for _ in range(600)])
    near2, far2 = squared_distances(points, rows)
    chance = 0.15 + 0.7 / (1 + np.exp(2 * (near2 - far2)))
    return points, od.Comparisons(rows, rng.random(600) < chance)


def test_lapse_and_scale_are_learned(observer):
    points, answers = observer
    found = sample_coordinates(answers, 2, random_state=0)
    low, high = np.quantile(found.lapse, [0.005, 0.995])
    assert low < 0.3 < high
    assert high - low < 0.5
    low, high = np.quantile(found.scale, [0.005, 0.995])
    assert low < np.sqrt(2) * (points - points.mean(axis=0)).std() < high
    distance = od.metrics.procrustes_distance(found.draws[0, -1], points)
    assert distance < 0.2
    np.testing.assert_allclose(found.draws.mean(axis=2), 0, atol=1e-12)


def test_same_bits_for_any_number_of_jobs(observer):
    one, two = (
        sample_coordinates(observer[1], 2, n_draws=5, n_warm_up=20, random_state=0, n_jobs=jobs)
        for jobs in (1, 3)
    )
    np.testing.assert_array_equal(one.draws, two.draws)
    np.testing.assert_array_equal(one.lapse, two.lapse)
    other = sample_coordinates(observer[1], 2, n_draws=5, n_warm_up=20, random_state=1)
    assert not np.array_equal(one.draws, other.draws)


def test_a_known_lapse_rate_stays(observer):
    settings = {"n_draws": 5, "n_warm_up": 20, "random_state": 0, "init": observer[0]}
    np.testing.assert_array_equal(
        sample_coordinates(observer[1], 2, lapse=0.25, **settings).lapse, 0.25
    )
    np.testing.assert_array_equal(
        sample_coordinates(observer[1], 2, lapse=0, **settings).lapse, 0.0
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"likelihood": "GNMDS"}, "likelihood must be one of"),
        ({"n_draws": 3}, "n_draws must be an integer >= 4"),
        ({"lapse": 1.0}, "lapse must be"),
        ({"init": np.zeros((2, 2))}, r"init has shape \(2, 2\); expected \(3, 1\)"),
    ],
)
def test_bad_input_is_refused(settings, message):
    with pytest.raises(od.InputError, match=message):
        sample_coordinates(ANSWERS, 1, **settings)

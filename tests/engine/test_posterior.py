import numpy as np
import pytest

import ordinate as od
from ordinate import losses
from ordinate.engine.distances import squared_distances
from ordinate.engine.posterior import CoordinatePosterior, ScalePrior

RNG = np.random.default_rng(0)
POINTS = RNG.standard_normal((7, 2))
TRIPLETS = od.sources.random_triplets(RNG.standard_normal((7, 2)), 40, random_state=0)
QUADRUPLETS = od.sources.random_quadruplets(RNG.standard_normal((7, 2)), 40, random_state=0)
LEARNED, KNOWN = ScalePrior(2.0, 3.0), ScalePrior(np.inf, 3.0)


def expected_potential(comparisons, loss, prior, lapse, points):
    parts = loss(*squared_distances(points, comparisons.rows))
    value = (parts if lapse is None else losses.with_lapses(*parts, lapse))[0]
    weights = 1.0 if comparisons.weights is None else comparisons.weights
    half = np.sum(points**2) / 2
    if np.isinf(prior.shape):
        return np.sum(weights * value) + half / prior.rate
    return np.sum(weights * value) + (prior.shape + points.size / 2) * np.log(prior.rate + half)


@pytest.mark.parametrize("prior", [LEARNED, KNOWN], ids=["learned", "known"])
@pytest.mark.parametrize(
    ("comparisons", "loss", "lapse"),
    [
        (QUADRUPLETS, losses.ste, None),
        (TRIPLETS, losses.ste, 0.2),
        (TRIPLETS, losses.logistic, 0.2),
    ],
    ids=["quadruplets", "triplets", "other loss"],
)
def test_potential_and_gradient(comparisons, prior, loss, lapse):
    posterior = CoordinatePosterior(comparisons, loss, (), prior, lapse)
    value, gradient = posterior(POINTS)
    assert value == pytest.approx(
        expected_potential(comparisons, loss, prior, lapse, POINTS), rel=1e-12
    )
    numeric = np.empty_like(POINTS)
    for at in np.ndindex(POINTS.shape):
        step = np.zeros_like(POINTS)
        step[at] = 1e-6
        numeric[at] = (posterior(POINTS + step)[0] - posterior(POINTS - step)[0]) / 2e-6
    np.testing.assert_allclose(gradient, numeric, atol=1e-6)


def test_losses_with_parameters_lapse_too():
    posterior = CoordinatePosterior(TRIPLETS, losses.tste, (1.5,), KNOWN, 0.3)
    near2, far2 = squared_distances(POINTS, TRIPLETS.rows)
    value = losses.with_lapses(*losses.tste(near2, far2, 1.5), 0.3)[0]
    expected = value.sum() + np.sum(POINTS**2) / 6
    assert posterior(POINTS)[0] == pytest.approx(expected, rel=1e-12)


def test_a_weight_counts_as_so_many_answers():
    weighted = od.Comparisons(TRIPLETS.rows, weights=np.arange(40) % 3)
    repeated = TRIPLETS[np.repeat(np.arange(40), np.arange(40) % 3)]
    values = [
        CoordinatePosterior(record, losses.ste, (), LEARNED, 0.1)(POINTS)[0]
        for record in (weighted, repeated)
    ]
    assert values[0] == pytest.approx(values[1], rel=1e-12)


def test_a_trajectory_keeps_the_energy_and_can_be_run_backwards():
    posterior = CoordinatePosterior(TRIPLETS, losses.ste, (), LEARNED, 0.1)
    value, gradient = posterior(POINTS)
    points, momentum = POINTS.copy(), RNG.standard_normal(POINTS.shape)
    before = value + np.sum(momentum**2) / 2
    value = posterior.leapfrog(points, momentum, gradient, 0.01, 50)
    assert value + np.sum(momentum**2) / 2 == pytest.approx(before, abs=1e-2)
    assert value == pytest.approx(posterior(points)[0], rel=1e-12)
    momentum *= -1
    posterior.leapfrog(points, momentum, gradient, 0.01, 50)
    np.testing.assert_allclose(points, POINTS, atol=1e-10)


@pytest.mark.parametrize("prior", [LEARNED, KNOWN], ids=["learned", "known"])
def test_whitened_coordinates_have_the_prior_and_their_map_the_likelihood(prior):
    root = np.linalg.cholesky(np.eye(7) + np.ones((7, 7)))
    posterior = CoordinatePosterior(TRIPLETS, losses.ste, (), prior, 0.2, root)
    white = posterior.whiten(POINTS)
    np.testing.assert_allclose(posterior.color(white), POINTS)
    value, gradient = posterior(white)
    parts = losses.with_lapses(*losses.ste(*squared_distances(POINTS, TRIPLETS.rows)), 0.2)
    nothing = TRIPLETS[:0]  # the prior alone
    assert value == pytest.approx(
        parts[0].sum() + expected_potential(nothing, losses.ste, prior, None, white), rel=1e-12
    )
    for at in np.ndindex(white.shape):
        step = np.zeros_like(white)
        step[at] = 1e-6
        slope = (posterior(white + step)[0] - posterior(white - step)[0]) / 2e-6
        assert gradient[at] == pytest.approx(slope, abs=1e-6)

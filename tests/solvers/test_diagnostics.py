import numpy as np
import pytest

from ordinate.solvers.hmc import effective_draws, split_rhat


def autoregressive(correlation, n_chains, n_draws, seed=0):
    rng = np.random.default_rng(seed)
    x = np.empty((n_chains, n_draws, 1))
    x[:, 0] = rng.standard_normal((n_chains, 1))
    for t in range(1, n_draws):
        noise = np.sqrt(1 - correlation**2) * rng.standard_normal((n_chains, 1))
        x[:, t] = correlation * x[:, t - 1] + noise
    return x


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_effective_draws_of_an_autoregressive_chain(correlation):
    found = effective_draws(autoregressive(correlation, 4, 20_000))[0]
    assert found == pytest.approx(80_000 * (1 - correlation) / (1 + correlation), rel=0.1)


def test_chains_in_different_places_are_found_out():
    draws = autoregressive(0.0, 4, 400)
    assert split_rhat(draws)[0] < 1.02
    draws[0] += 2
    assert split_rhat(draws)[0] > 1.2
    assert effective_draws(draws)[0] < 30


def test_a_chain_that_drifts_is_found_out():
    draws = autoregressive(0.0, 1, 400) + np.linspace(0, 4, 400)[None, :, None]
    assert split_rhat(draws)[0] > 1.2


def test_a_constant_is_not_an_alarm():
    draws = np.ones((4, 50, 1))
    assert split_rhat(draws)[0] == 1
    assert effective_draws(draws)[0] == 200

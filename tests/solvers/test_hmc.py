import numpy as np
import pytest

from ordinate.solvers.hmc import sample_hmc


def test_draws_have_the_moments_of_a_normal_distribution():
    precision = np.array([[2.0, 0.8], [0.8, 1.0]])

    def potential(x):
        gradient = precision @ (x - 1.0)
        return 0.5 * float(np.sum((x - 1.0) * gradient)), gradient

    rng = np.random.default_rng(0)
    draws = np.array([x[:, 0] for x in sample_hmc(potential, np.zeros((2, 1)), 4000, rng)])
    np.testing.assert_allclose(draws.mean(axis=0), 1.0, atol=0.1)
    np.testing.assert_allclose(np.cov(draws.T), np.linalg.inv(precision), atol=0.15)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_seed_decides_the_draws(seed):
    def run(seed):
        rng = np.random.default_rng(seed)
        potential = lambda x: (0.5 * float(np.sum(x**2)), x)  # noqa: E731
        return np.array(list(sample_hmc(potential, np.ones((3, 1)), 5, rng)))

    np.testing.assert_array_equal(run(seed), run(seed))
    assert not np.array_equal(run(seed), run(seed + 1))


def test_a_potential_that_overflows_is_rejected_not_followed():
    def wall(x):
        inside = np.abs(x).max() < 1
        return (0.0 if inside else np.inf), np.zeros_like(x)

    rng = np.random.default_rng(0)
    draws = np.array(list(sample_hmc(wall, np.zeros((1, 1)), 500, rng)))
    assert np.abs(draws).max() < 1

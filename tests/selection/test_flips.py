import numpy as np
import pytest

from ordinate.selection._noise import fit_flips, map_error


def simulate(share, scale, n, seed=0):
    """Margins of a map that errs as assumed, about answers of which a share is flipped."""
    rng = np.random.default_rng(seed)
    margins = np.abs(rng.normal(size=n))
    differs = (rng.random(n) < share) != (rng.random(n) < map_error(margins, scale))
    return np.where(differs, -margins, margins), np.ones(n)


@pytest.mark.parametrize("share", [0.0, 0.05, 0.2, 0.3])
@pytest.mark.parametrize("scale", [0.02, 0.2])
def test_both_parameters_are_recovered(share, scale):
    found, found_scale = fit_flips(*simulate(share, scale, 20_000))
    assert found == pytest.approx(share, abs=0.015)
    assert found_scale == pytest.approx(scale, rel=0.3)


def test_weights_count_as_repetition():
    margins, weights = simulate(0.1, 0.1, 200)
    weights[:50] = 3
    repeated = np.repeat(margins, weights.astype(int))
    once, thrice = fit_flips(margins, weights), fit_flips(repeated, np.ones(len(repeated)))
    np.testing.assert_allclose(once[0], thrice[0], atol=2e-3)


def test_a_single_answer_is_enough():
    assert fit_flips(np.array([0.5]), np.ones(1))[0] < 0.01

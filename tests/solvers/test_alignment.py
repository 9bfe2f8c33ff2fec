import numpy as np
import pytest

import ordinate as od
from ordinate.solvers.alignment import align_draw

POINTS = np.random.default_rng(0).standard_normal((9, 3))
POINTS -= POINTS.mean(axis=0)


def turned(seed, size=1.0):
    rotation = np.linalg.qr(np.random.default_rng(seed).standard_normal((3, 3)))[0]
    return size * POINTS @ rotation + seed


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_place_direction_and_size_are_taken_away(seed):
    np.testing.assert_allclose(align_draw(turned(seed, seed), POINTS), POINTS, atol=1e-5)


def test_without_scale_the_size_stays():
    aligned = align_draw(turned(1, 2.5), POINTS, scale=False)
    np.testing.assert_allclose(aligned, 2.5 * POINTS, atol=1e-5)


def test_noise_does_not_shrink_a_draw():
    noise = np.random.default_rng(1).standard_normal((9, 3))
    aligned = align_draw(POINTS + noise, POINTS)
    assert np.linalg.norm(aligned) == pytest.approx(np.linalg.norm(POINTS), rel=1e-5)


def test_a_draw_in_one_place():
    with pytest.raises(od.InputError, match="all its objects in one place"):
        align_draw(np.zeros((9, 3)), POINTS)

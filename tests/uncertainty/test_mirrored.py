import numpy as np
import pytest

import ordinate as od
from ordinate.uncertainty._mirrored import find_loose_objects, mirror, mirrored_parts

RNG = np.random.default_rng(0)
POINTS = RNG.standard_normal((14, 2))
POINTS[8:, 0] += 8
PART = np.arange(8, 14)


def within(objects, n):
    return np.array([RNG.choice(objects, 3, replace=False) for _ in range(n)])


def test_a_part_that_few_answers_connect_is_found():
    rows = np.concatenate([within(8, 200), within(PART, 200), [[0, 1, 8], [9, 8, 1]]])
    np.testing.assert_array_equal(find_loose_objects(od.Comparisons(rows), 3), PART)
    assert len(find_loose_objects(od.Comparisons(within(14, 400)), 3)) == 0


def test_mirroring_keeps_distances_within_the_part_and_to_the_centre_of_the_rest():
    mirrored = mirror(POINTS, PART)
    np.testing.assert_array_equal(mirrored[:8], POINTS[:8])
    assert not np.allclose(mirrored[8:], POINTS[8:])
    center = POINTS[:8].mean(axis=0)
    for points in (mirrored, POINTS):
        assert od.metrics.procrustes_distance(points[8:], POINTS[8:]) == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(
        np.linalg.norm(mirrored[8:] - center, axis=1), np.linalg.norm(POINTS[8:] - center, axis=1)
    )


def test_mirrored_draws_are_counted():
    noise = 0.05 * RNG.standard_normal((20, 14, 2))
    draws = np.stack([mirror(POINTS, PART) if draw < 6 else POINTS for draw in range(20)]) + noise
    (part,) = mirrored_parts(draws.astype("f4"), POINTS, PART)
    assert part.objects == tuple(PART)
    assert part.share == pytest.approx(0.3)
    assert mirrored_parts((POINTS + noise).astype("f4"), POINTS, PART) == ()
    # how large the part is beside the rest does not matter
    small = draws.copy()
    small[:, 8:] = 0.2 * (small[:, 8:] - small[:, 8:].mean(axis=1, keepdims=True))
    assert mirrored_parts(small.astype("f4"), POINTS, PART)[0].share == pytest.approx(0.3)
    # a draw that is mirrored as a whole is the same map
    assert mirrored_parts((POINTS[None] * [-1, 1]).astype("f4"), POINTS, PART) == ()

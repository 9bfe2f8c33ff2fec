import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import procrustes

import ordinate as od
from ordinate.metrics import procrustes_align, procrustes_distance

TRIANGLE = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
MIRRORED = TRIANGLE * [-1, 1]


def random_maps(seed, n=15, d=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=(n, d))


def moved(points, seed, scale, *, mirror=False):
    rng = np.random.default_rng(seed)
    rotation = np.linalg.qr(rng.normal(size=(points.shape[1],) * 2))[0]
    if (np.linalg.det(rotation) < 0) != mirror:
        rotation[:, 0] *= -1
    return scale * points @ rotation + rng.normal(size=points.shape[1])


seeds = st.integers(0, 2**32)
scales = st.floats(1e-3, 1e3)
dimensions = st.integers(1, 4)


@settings(max_examples=50, deadline=None)
@given(seed=seeds, d=dimensions)
def test_distance_is_that_of_scipy_and_symmetric(seed, d):
    a, b = random_maps(seed, d=d)
    assert procrustes_distance(a, b) == pytest.approx(procrustes(a, b)[2], abs=1e-12)
    assert procrustes_distance(a, b) == pytest.approx(procrustes_distance(b, a), abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(seed=seeds, scale=scales, mirror=st.booleans(), d=dimensions)
def test_finds_the_motion_back(seed, scale, mirror, d):
    points, _ = random_maps(seed, d=d)
    other = moved(points, seed, scale, mirror=mirror)
    np.testing.assert_allclose(procrustes_align(other, points), points, atol=1e-9)
    assert procrustes_distance(other, points) == pytest.approx(0, abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(seed=seeds, scale=scales, reflection=st.booleans())
def test_motion_of_either_map_changes_nothing(seed, scale, reflection):
    a, b = random_maps(seed)
    distance = procrustes_distance(a, b, reflection=reflection)
    turned = procrustes_distance(moved(a, seed, scale), b, reflection=reflection)
    assert turned == pytest.approx(distance, abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(seed=seeds, d=dimensions, reflection=st.booleans())
def test_distance_is_the_share_left_after_aligning(seed, d, reflection):
    a, b = random_maps(seed, d=d)
    left = np.sum((procrustes_align(a, b, reflection=reflection) - b) ** 2)
    share = left / np.sum((b - b.mean(axis=0)) ** 2)
    assert procrustes_distance(a, b, reflection=reflection) == pytest.approx(share, abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(seed=seeds, reflection=st.booleans())
def test_no_other_motion_is_better(seed, reflection):
    a, b = random_maps(seed)
    best = np.sum((procrustes_align(a, b, reflection=reflection) - b) ** 2)
    other = moved(a, seed, 0.5)
    assert best <= np.sum((other - b) ** 2)


def test_mirror_image_is_near_only_with_reflection():
    assert procrustes_distance(MIRRORED, TRIANGLE) == pytest.approx(0, abs=1e-12)
    assert procrustes_distance(MIRRORED, TRIANGLE, reflection=False) > 0.1


def test_forbidden_reflection_keeps_the_hand():
    def orientation(points):
        return np.sign(np.linalg.det(points[1:] - points[0]))

    aligned = procrustes_align(MIRRORED, TRIANGLE, reflection=False)
    assert orientation(aligned) == orientation(MIRRORED)


def test_one_dimension_without_reflection_shrinks_to_a_point():
    aligned = procrustes_align([[0], [1]], [[1], [0]], reflection=False)
    np.testing.assert_allclose(aligned, [[0.5], [0.5]])
    assert procrustes_distance([[0], [1]], [[1], [0]], reflection=False) == 1


@pytest.mark.parametrize("function", [procrustes_align, procrustes_distance])
@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (TRIANGLE, TRIANGLE[:2], r"one shape .*got \(3, 2\) and \(2, 2\)"),
        (TRIANGLE, TRIANGLE[:, :1], r"got \(3, 2\) and \(3, 1\)"),
        (np.full((3, 2), 0.1), TRIANGLE, "first map has all its points in one place"),
        (TRIANGLE, np.ones((3, 2)), "second map has all its points in one place"),
        (TRIANGLE, np.full((3, 2), np.inf), "The second map must be finite"),
    ],
)
def test_bad_arguments_are_refused(function, a, b, message):
    with pytest.raises(od.InputError, match=message):
        function(a, b)

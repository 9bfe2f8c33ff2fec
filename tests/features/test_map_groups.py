"""Groups on a map: peaks of its density, deeper than in one cloud, and found from every seed."""

import numpy as np
import pytest

import ordinate as od
from ordinate.features.map_groups import _Peaks, judge_groups, normal_cloud


def clouds(centers, n_each, seed=0, size=1.0):
    rng = np.random.default_rng(seed)
    return np.vstack([c + size * rng.normal(size=(n_each, len(c))) for c in np.array(centers)])


def test_peaks_divide_where_the_valley_is_deep():
    points = clouds([[0, 0], [9, 0], [9, 4.5]], 100)
    peaks = _Peaks(points)
    assert peaks.deepest() > 5
    labels = peaks.groups(5.0)
    assert len(np.unique(labels)) == 2
    assert len(np.unique(labels[:100])) == len(np.unique(labels[100:])) == 1
    assert len(np.unique(peaks.groups(1.2))) == 3


def test_a_few_strays_are_no_group():
    points = np.vstack([clouds([[0, 0]], 300), clouds([[50, 50]], 6)])
    assert len(np.unique(_Peaks(points).groups(1.2))) == 1


def test_equal_places():
    assert _Peaks(np.zeros((40, 2))).deepest() == 0


def test_a_cloud_has_the_same_covariance():
    rng = np.random.default_rng([1])
    points = clouds([[0, 0, 0], [9, 3, 0]], 400) * [1, 2, 0.1]
    made = np.vstack([normal_cloud(points, rng) for _ in range(20)])
    np.testing.assert_allclose(np.cov(made.T), np.cov(points.T), rtol=0.2, atol=0.02)


@pytest.mark.parametrize("n_clouds", [2, 5])
def test_clouds_are_groups_that_other_seeds_find(n_clouds):
    points = clouds(10 * np.eye(6)[:n_clouds], 60)
    model = od.WeightedTETE(random_state=0).fit(points)
    found = judge_groups(model, points, np.random.default_rng(0))
    assert found.n_groups == found.n_found_again == n_clouds
    assert found.depth > found.cloud_depth


def test_what_other_seeds_do_not_find_is_said(monkeypatch):
    """A map whose groups were drawn at random."""
    points = np.random.default_rng(0).normal(size=(200, 5))
    result = od.reduce(points, random_state=0)
    assert "one cloud" in result.caption
    result.model.embedding_ = clouds([[0, 0], [30, 0]], 100)[
        np.random.default_rng(1).permutation(200)
    ]
    groups = judge_groups(result.model, points, np.random.default_rng(0))
    assert groups.n_groups == 2
    assert groups.n_found_again < 2


def test_distances_and_few_objects_are_not_judged():
    points = clouds([[0, 0], [9, 0]], 20)
    few = od.reduce(points[:29], random_state=0)
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    of_distances = od.reduce(distances, metric="precomputed", random_state=0)
    assert few.groups is None is of_distances.groups
    assert few.caption == ""

import numpy as np
import pandas as pd
import pytest
import sklearn.manifold
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

import ordinate as od
from ordinate.metrics import density_preservation, knn_overlap, nearest_neighbor_error

seeds = st.integers(0, 2**32)


def neighbors(points, k):
    distances = cdist(points, points)
    np.fill_diagonal(distances, np.inf)
    return np.argsort(distances, axis=1)[:, :k]


@settings(max_examples=10, deadline=None)
@given(seed=seeds, k=st.integers(1, 6))
def test_error_is_that_of_leaving_one_out(seed, k):
    rng = np.random.default_rng(seed)
    points, labels = rng.normal(size=(20, 2)), np.array(["b", "a", "c"])[rng.integers(3, size=20)]
    scores = cross_val_score(KNeighborsClassifier(k), points, labels, cv=LeaveOneOut())
    assert nearest_neighbor_error(points, labels, k) == pytest.approx(1 - scores.mean())


def test_a_point_does_not_vote_for_itself_even_among_duplicates():
    points = [[0.0], [0.0], [5.0], [5.0]]
    assert nearest_neighbor_error(points, ["a", "b", "c", "c"]) == 0.5


@settings(max_examples=25, deadline=None)
@given(seed=seeds, k=st.integers(1, 19))
def test_overlap_equals_brute_force(seed, k):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(20, 2)), rng.normal(size=(20, 5))
    pairs = zip(neighbors(a, k), neighbors(b, k), strict=True)
    expected = np.mean([len(set(x) & set(y)) / k for x, y in pairs])
    assert knn_overlap(a, b, k) == pytest.approx(expected)
    assert knn_overlap(b, a, k) == pytest.approx(expected)


def test_overlap_of_a_map_with_itself_turned_is_one():
    points = np.random.default_rng(0).normal(size=(50, 2))
    assert knn_overlap(points, 3 * points[:, ::-1] + 1, n_neighbors=7) == 1


@settings(max_examples=25, deadline=None)
@given(seed=seeds, scale=st.floats(1e-3, 1e3))
def test_density_is_kept_by_motions_and_scaling(seed, scale):
    points = np.random.default_rng(seed).normal(size=(40, 2))
    assert density_preservation(
        points, scale * points[:, ::-1] + 1, n_neighbors=5
    ) == pytest.approx(1)


def test_density_equals_brute_force():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(50, 3)), rng.normal(size=(50, 2))
    radii = [np.sort(cdist(p, p), axis=1)[:, 1:8].mean(axis=1) for p in (a, b)]
    expected = np.corrcoef(np.log(radii))[0, 1]
    assert density_preservation(a, b, n_neighbors=7) == pytest.approx(expected)


def test_density_is_lost_when_every_point_gets_the_same_room():
    rng = np.random.default_rng(0)
    dense_and_sparse = np.concatenate([rng.uniform(0, 1, (100, 2)), rng.uniform(5, 15, (100, 2))])
    evened = np.stack(np.divmod(np.arange(200), 20), axis=1) + rng.uniform(0, 0.1, (200, 2))
    kept = dense_and_sparse + rng.normal(scale=0.02, size=(200, 2))
    assert density_preservation(dense_and_sparse, kept) > 0.95
    assert abs(density_preservation(dense_and_sparse, evened)) < 0.3


def test_density_refuses_equal_places_and_densities():
    grid = [[0.0], [1.0], [2.0], [3.0]]
    with pytest.raises(od.InputError, match="object 0 of a lies in one place with its 1 nearest"):
        density_preservation([[0.0], [0.0], [2.0], [3.0]], grid, n_neighbors=1)
    with pytest.raises(od.InputError, match="b has the same density everywhere"):
        density_preservation([[0.0], [1.0], [3.0], [9.0]], grid, n_neighbors=1)
    with pytest.raises(od.InputError, match="b has 4 rows; expected 3"):
        density_preservation(grid[1:], grid, n_neighbors=1)


def test_trustworthiness_is_that_of_scikit_learn():
    assert od.metrics.trustworthiness is sklearn.manifold.trustworthiness


@pytest.mark.parametrize(
    ("labels", "k", "message"),
    [
        (["a", "b"], 1, r"labels must have one entry per object, shape \(3,\); got shape \(2,\)"),
        (["a", None, "b"], 1, "labels must not have missing entries; entry 1 is None"),
        ([0.0, 1.0, np.nan], 1, "entry 2 is nan"),
        (pd.Series(["a", pd.NA, "b"], dtype=object), 1, "missing entries; entry 1 is <NA>"),
        (np.array(["a", 1, "b"], dtype=object), 1, "all text or all numbers; got a mixture"),
        (["a", "b", "a"], 3, "n_neighbors must be an integer >= 1 and <= 2; got 3"),
        (["a", "b", "a"], 0, "n_neighbors must be an integer >= 1 and <= 2; got 0"),
    ],
)
def test_the_error_refuses_bad_labels_and_neighbours(labels, k, message):
    with pytest.raises(od.InputError, match=message):
        nearest_neighbor_error([[0.0], [1.0], [2.0]], labels, k)


def test_the_overlap_refuses_bad_shapes_and_neighbours():
    with pytest.raises(od.InputError, match="b has 2 rows; expected 3"):
        knn_overlap(np.eye(3), np.eye(2), n_neighbors=1)
    with pytest.raises(od.InputError, match="n_neighbors must be an integer >= 1 and <= 2; got 3"):
        knn_overlap(np.eye(3), np.eye(3), n_neighbors=3)

"""Similarities and trees from quadruplets."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster
from sklearn.metrics import adjusted_rand_score

import ordinate as od
from ordinate.kernels import additive_linkage, additive_similarity


@pytest.mark.parametrize("size", [3, 4])
def test_similarities_are_net_votes(size):
    rng = np.random.default_rng([size])
    rows = np.array([rng.choice(6, size, replace=False) for _ in range(60)])
    weights = rng.integers(1, 4, size=60).astype(float)
    expected = np.zeros((6, 6))
    for row, weight in zip(rows, weights, strict=True):
        i, j, k, m = row if size == 4 else (row[0], row[1], row[0], row[2])
        for (a, b), sign in (((i, j), 1), ((k, m), -1)):
            expected[a, b] += sign * weight
            expected[b, a] += sign * weight
    record = od.Comparisons(rows, weights=weights, n_objects=6)
    np.testing.assert_allclose(additive_similarity(record), expected)


@pytest.mark.parametrize("make", [od.sources.random_quadruplets, od.sources.random_triplets])
def test_planted_clusters_are_found(make):
    truth = np.repeat([0, 1, 2], 8)
    points = np.eye(3)[truth] * 10 + np.random.default_rng([1]).normal(size=(24, 3))
    noise = od.sources.FlippedAnswers(0.1)
    tree = additive_linkage(make(points, 12_000, noise=noise, random_state=0))
    assert adjusted_rand_score(truth, fcluster(tree, 3, "maxclust")) == 1


def test_reversed_answers_have_reversed_similarities():
    rows = np.array([[0, 1, 2, 3], [1, 2, 0, 3], [0, 2, 1, 3]])
    np.testing.assert_allclose(
        additive_similarity(rows), -additive_similarity(rows[:, [2, 3, 0, 1]])
    )


def test_no_answers():
    with pytest.raises(od.InputError):
        additive_similarity(np.empty((0, 4), dtype=int))

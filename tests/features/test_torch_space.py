"""Principal axes and neighbours in torch, beside NumPy's."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from ordinate.features import torch_space
from ordinate.features.torch_space import TorchNeighborSearch, principal_axes

pytest.importorskip("torch")


@pytest.mark.parametrize("n_features", [8, 60])
def test_axes_are_those_of_the_singular_values(n_features):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, n_features)) * 0.7 ** np.arange(n_features) + 5
    mean, axes = principal_axes(X, 4, 0, "cpu")
    np.testing.assert_allclose(mean, X.mean(axis=0), rtol=1e-5)
    expected = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:4]
    np.testing.assert_allclose(np.abs(np.sum(axes * expected, axis=1)), 1, atol=1e-5)


@pytest.mark.parametrize("n", [7, 301, 1000])
def test_neighbours_are_those_of_all_distances(n, monkeypatch):
    monkeypatch.setattr(torch_space, "_TILE", 20_000)  # several tiles, and groups that are filled
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 6)) + 100
    search = TorchNeighborSearch(X, "cpu")
    indices, distances = search.among(5)
    brute = cdist(X, X)
    np.fill_diagonal(brute, np.inf)
    np.testing.assert_array_equal(indices, np.argsort(brute, axis=1)[:, :5])
    np.testing.assert_allclose(distances, np.sort(brute, axis=1)[:, :5], rtol=1e-4)
    assert (indices.dtype, distances.dtype) == (np.int32, np.float32)
    new = rng.normal(size=(9, 6)) + 100
    expected = np.argsort(cdist(new, X), axis=1)[:, :4]
    np.testing.assert_array_equal(search.of(new, 4)[0], expected)


def test_duplicates_are_neighbours_and_the_object_itself_is_not():
    X = np.repeat([[0.0, 1.0], [5.0, 5.0]], 6, axis=0)
    indices, distances = TorchNeighborSearch(X, "cpu").among(5)
    assert (distances == 0).all()
    for i, row in enumerate(indices):
        assert sorted([i, *row]) == sorted(j for j in range(12) if j // 6 == i // 6)


def test_many_objects_are_searched_in_cells(monkeypatch):
    monkeypatch.setattr(torch_space, "MOST_EXACT", 100)
    rng = np.random.default_rng([5])
    X = np.vstack([rng.normal(size=(3000, 6)), 100 + rng.normal(size=(4, 6))])  # and an island
    indices, distances = TorchNeighborSearch(X, "cpu").among(5)
    assert not (indices == np.arange(len(X))[:, None]).any()
    exact = np.linalg.norm(X[:, None] - X[indices], axis=2)
    np.testing.assert_allclose(distances, exact, rtol=1e-4)
    brute = cdist(X, X)
    np.fill_diagonal(brute, np.inf)
    expected = np.argsort(brute, axis=1)[:, :5]
    shared = [len(set(a) & set(b)) for a, b in zip(indices, expected, strict=True)]
    assert np.mean(shared) / 5 > 0.95
    assert shared[3000:] == [5] * 4

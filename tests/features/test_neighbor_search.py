"""Neighbours: exact beside brute force, approximate beside exact, and what is refused."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsTransformer, kneighbors_graph

from ordinate import InputError, WeightedTETE
from ordinate.features import neighbor_search
from ordinate.features.neighbor_search import GivenNeighbors, NeighborSearch

POINTS = np.random.default_rng(0).normal(size=(300, 8)).astype(np.float32)


def brute(metric="euclidean", k=5):
    distances = cdist(POINTS, POINTS, metric)
    np.fill_diagonal(distances, np.inf)
    return np.argsort(distances, axis=1)[:, :k]


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "cityblock"])
def test_neighbours_among_the_objects_exclude_the_object(metric):
    indices, distances = NeighborSearch(POINTS, metric).among(5)
    np.testing.assert_array_equal(indices, brute(metric))
    assert indices.dtype == np.int32
    assert (np.diff(distances, axis=1) >= 0).all()


def test_distances_can_be_given():
    full = cdist(POINTS, POINTS)
    np.testing.assert_array_equal(NeighborSearch(full, "precomputed").among(5)[0], brute())


def test_many_objects_are_searched_approximately(monkeypatch):
    monkeypatch.setattr(neighbor_search, "EXACT_LIMIT", 100)
    search = NeighborSearch(POINTS)
    indices, distances = search.among(5)
    own = np.arange(len(POINTS))[:, None]
    assert not (indices == own).any()
    shared = [len(set(a) & set(b)) for a, b in zip(indices, brute(), strict=True)]
    assert np.mean(shared) / 5 > 0.9
    exact = np.linalg.norm(POINTS[own] - POINTS[indices], axis=2)
    np.testing.assert_allclose(distances, exact, rtol=1e-4)
    again = NeighborSearch(POINTS).among(5)[0]
    np.testing.assert_array_equal(indices, again)
    np.testing.assert_array_equal(search.of(POINTS[:3], 1)[0].ravel(), [0, 1, 2])


def test_duplicates_do_not_bring_an_object_back_as_its_own_neighbour(monkeypatch):
    monkeypatch.setattr(neighbor_search, "EXACT_LIMIT", 100)
    indices, _ = NeighborSearch(np.repeat(POINTS[:30], 10, axis=0)).among(3)
    assert indices.shape == (300, 3)
    assert not (indices == np.arange(300)[:, None]).any()


def test_rows_that_come_back_short_are_asked_for_again_exactly(monkeypatch):
    monkeypatch.setattr(neighbor_search, "EXACT_LIMIT", 100)
    search = NeighborSearch(POINTS)
    few = search._index.search(POINTS, 250)[1]
    assert (few < 0).any()  # the cells that are visited hold fewer
    indices, distances = search.among(249)
    short = (few < 0).any(axis=1)
    np.testing.assert_array_equal(
        np.sort(indices[short], axis=1), np.sort(brute(k=249)[short], axis=1)
    )
    assert (np.diff(distances, axis=1) >= 0).all()


def test_distances_that_are_not_finite_are_refused(monkeypatch):
    monkeypatch.setattr(neighbor_search, "EXACT_LIMIT", 100)
    with pytest.raises(InputError, match="Fewer than 6 neighbours are at a finite distance"):
        NeighborSearch(POINTS).of(np.full((1, 8), np.nan), 6)


@pytest.fixture
def by_products(monkeypatch):
    monkeypatch.setattr(neighbor_search, "_FEW", 100)
    monkeypatch.setattr(neighbor_search, "_LOW", 5)


def test_matrix_products_find_the_same_as_distances(by_products):
    search = NeighborSearch(POINTS)
    indices, distances = search.among(5)
    assert search._index is None  # no row was asked again
    np.testing.assert_array_equal(indices, brute())
    expected = np.linalg.norm(POINTS[:, None] - POINTS[indices], axis=2)
    np.testing.assert_allclose(distances, expected, rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_that_rounding_leaves_in_doubt_are_asked_again(by_products, dtype):
    points = POINTS.astype(dtype)
    points[:50] = 1e4 + 0.01 * points[:50]  # whose squares are 1e13 times their differences
    points[60:80] = points[60]  # more of the same than candidates
    indices, distances = NeighborSearch(points).among(5)
    assert not (indices == np.arange(300)[:, None]).any()
    exact = cdist(points.astype(np.float64), points.astype(np.float64))
    np.fill_diagonal(exact, np.inf)
    expected = np.sort(exact, axis=1)[:, :5]
    found = np.take_along_axis(exact, indices.astype(np.int64), axis=1)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-9)
    np.testing.assert_allclose(distances, expected, rtol=1e-2, atol=1e-5)


def test_given_neighbours_are_the_nearest_of_those_that_a_matrix_holds():
    graph = kneighbors_graph(POINTS, 15, mode="distance")
    indices, distances = GivenNeighbors(graph).among(10)
    np.testing.assert_array_equal(indices, brute(k=10))
    assert (np.diff(distances, axis=1) >= 0).all()
    assert GivenNeighbors(graph).among(20)[0].shape == (300, 15)
    with_self = KNeighborsTransformer(n_neighbors=15).fit_transform(POINTS)
    np.testing.assert_array_equal(GivenNeighbors(with_self).among(10)[0], indices)
    np.testing.assert_array_equal(GivenNeighbors(with_self).of(with_self[:3], 1)[0][:, 0], range(3))
    graph.data[graph.indptr[7] : graph.indptr[8]] = 0
    graph.eliminate_zeros()
    with pytest.raises(InputError, match="Row 7 of X holds no distances to others"):
        GivenNeighbors(graph).among(5)


def test_a_graph_of_more_neighbours_than_are_used_is_enough():
    graph = kneighbors_graph(POINTS, 15, mode="distance")
    model = WeightedTETE(metric="precomputed", random_state=0, max_iter=20).fit(graph)
    with pytest.raises(InputError, match="distances to 15 others; n_neighbors is 16"):
        WeightedTETE(metric="precomputed", n_neighbors=16).fit(graph)
    assert model.embedding_.shape == (300, 2)

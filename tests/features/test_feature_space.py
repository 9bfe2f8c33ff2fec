"""The space of a reduction: principal components as a start, distances, and rows met again."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsTransformer

from ordinate import InputError
from ordinate.features.feature_space import FeatureSpace, axes_of_covariance
from ordinate.metrics import procrustes_distance


@pytest.fixture
def wide():
    rng = np.random.default_rng(0)
    return rng.normal(size=(150, 120)) * np.linspace(3, 0.01, 120)


def principal(X):
    centred = X - X.mean(axis=0)
    return centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T


def test_the_start_holds_principal_components_of_unit_spread(wide):
    for X in (wide, wide[:, :50], csr_array(wide), csr_array(wide[:, :50])):
        space = FeatureSpace(X, "euclidean", 0)
        start = space.start(2)
        assert start[:, 0].std() == pytest.approx(1, rel=1e-5)
        dense = X if isinstance(X, np.ndarray) else X.toarray()
        assert procrustes_distance(start, principal(dense)) < 1e-6


def test_many_euclidean_features_are_reduced_and_others_are_not(wide):
    assert FeatureSpace(wide, "euclidean", 0).points.shape == (150, 100)
    assert FeatureSpace(wide, "cityblock", 0).points.shape == (150, 120)


def test_classical_scaling_finds_the_principal_components_of_distances(wide):
    start = FeatureSpace(cdist(wide, wide), "precomputed", 0).start(2)
    assert procrustes_distance(start, principal(wide)) < 1e-6


def test_pairs_have_their_distance(wide):
    space = FeatureSpace(wide[:, :50], "euclidean", 0)
    left, right = np.array([[0, 1]], dtype=np.int32), np.array([[2, 3]], dtype=np.int32)
    expected = np.linalg.norm(wide[[0, 1], :50] - wide[[2, 3], :50], axis=1)
    np.testing.assert_allclose(space.between(left, right), [expected], rtol=1e-5)
    with pytest.raises(InputError, match="not computed for sparse matrices"):
        FeatureSpace(csr_array(wide[:, :50]), "euclidean", 0).between(left, right)


def test_only_a_row_itself_is_the_same(wide):
    space = FeatureSpace(wide, "euclidean", 0)
    rows = space.project(wide[:4])
    rows[2:] += 0.1
    same = space.are_same(rows, np.arange(4, dtype=np.int32), None, np.ones(150, np.float32))
    assert same.tolist() == [True, True, False, False]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "precomputed"])
@pytest.mark.parametrize("kind", [np.asarray, csr_array], ids=["dense", "sparse"])
def test_objects_are_drawn_from_all_with_their_distances(wide, metric, kind):
    X = np.maximum(wide[:, :50], 0)
    names = {"manhattan": "cityblock", "precomputed": "euclidean"}
    distances = cdist(X, X, names.get(metric, metric))
    if metric == "cosine":  # that of unit vectors
        distances = np.sqrt(2 * distances)
    given = distances if metric == "precomputed" else kind(X)
    drawn, found = FeatureSpace(given, metric, 0).draw(6)
    assert drawn.shape == (150, 6)
    expected = np.take_along_axis(distances, drawn, axis=1)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    assert len(np.unique(drawn)) > 40


def test_a_graph_of_neighbours_has_no_far_pairs(wide):
    graph = KNeighborsTransformer(n_neighbors=5).fit_transform(wide)
    with pytest.raises(InputError, match="leave global_weight at None or 0"):
        FeatureSpace(graph, "precomputed", 0).draw(6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_axes_of_covariances_are_principal_axes(dtype):
    rng = np.random.default_rng(0)
    X = (100 + rng.normal(size=(5000, 6)) * [6, 5, 4, 3, 2, 1]).astype(dtype)
    found = axes_of_covariance(X, 3)
    assert found.axes.dtype == dtype
    centered = X.astype(np.float64) - X.mean(axis=0, dtype=np.float64)
    expected = np.linalg.svd(centered, full_matrices=False)[2][:3]
    signs = np.sign(expected[np.arange(3), np.abs(expected).argmax(axis=1)])
    np.testing.assert_allclose(found.axes, expected * signs[:, None], atol=1e-4)
    np.testing.assert_allclose(found.coordinates(X).mean(axis=0), 0, atol=1e-2)

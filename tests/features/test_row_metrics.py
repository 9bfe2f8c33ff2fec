"""Metrics and their parameters: beside SciPy's distances, for dense and sparse rows."""

import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances

from ordinate import InputError, WeightedTETE
from ordinate.features.feature_space import FeatureSpace
from ordinate.features.row_metrics import row_metric

COUNTS = np.random.default_rng([1]).gamma(1, size=(80, 5)) * [1, 2, 5, 10, 30]
PRECISIONS = np.linalg.inv(np.cov(COUNTS.T))
SCALES = np.array([1.0, 4, 9, 16, 25])


def hellinger(x, y):
    return np.linalg.norm(np.sqrt(x / x.sum()) - np.sqrt(y / y.sum())) / np.sqrt(2)


@pytest.mark.parametrize("kind", [np.asarray, csr_array, csr_matrix])
@pytest.mark.parametrize(
    ("metric", "params", "expected"),
    [
        ("seuclidean", None, cdist(COUNTS, COUNTS, "seuclidean", V=COUNTS.var(axis=0, ddof=1))),
        ("seuclidean", {"V": SCALES}, cdist(COUNTS, COUNTS, "seuclidean", V=SCALES)),
        (
            "mahalanobis",
            None,
            cdist(COUNTS, COUNTS, "mahalanobis", VI=np.linalg.inv(np.cov(COUNTS.T))),
        ),
        (
            "mahalanobis",
            {"VI": np.diag(SCALES)},
            cdist(COUNTS, COUNTS, "mahalanobis", VI=np.diag(SCALES)),
        ),
        (
            "mahalanobis",
            {"V": np.diag(SCALES)},
            cdist(COUNTS, COUNTS, "seuclidean", V=SCALES),
        ),
        ("cosine", None, np.sqrt(2 * cdist(COUNTS, COUNTS, "cosine"))),
        ("hellinger", None, np.sqrt(2) * cdist(COUNTS, COUNTS, hellinger)),
    ],
    ids=["variances", "V of variances", "covariances", "VI", "V", "cosine", "hellinger"],
)
def test_transformed_rows_have_the_distances(kind, metric, params, expected):
    X = kind(COUNTS)
    space = FeatureSpace(X, metric, 0, metric_params=params)
    assert space.metric == "euclidean"
    found = pairwise_distances(space.points)
    np.testing.assert_allclose(found, expected, atol=1e-6 * expected.max(), rtol=1e-6)
    neighbors, _ = space.search.among(5)
    others = expected + np.diag(np.full(80, np.inf))
    np.testing.assert_array_equal(neighbors, np.argsort(others, axis=1)[:, :5])


@pytest.mark.parametrize("p", [1, 2, 3.5])
def test_minkowski_takes_its_power_and_weights(p):
    space = FeatureSpace(COUNTS, "minkowski", 0, metric_params={"p": p, "w": SCALES})
    expected = cdist(COUNTS, COUNTS, "minkowski", p=p, w=SCALES)
    drawn, distances = space.draw(4)
    np.testing.assert_allclose(distances, np.take_along_axis(expected, drawn, 1), rtol=1e-4)
    left, right = drawn[:, :1], drawn[:, 1:2]
    np.testing.assert_allclose(space.between(left, right), expected[left, right], rtol=1e-4)
    np.fill_diagonal(expected, np.inf)
    np.testing.assert_array_equal(space.search.among(3)[0], np.argsort(expected, axis=1)[:, :3])


def test_a_function_gets_its_arguments():
    def weighted(x, y, weight):
        return weight * np.abs(x - y).max()

    space = FeatureSpace(COUNTS, weighted, 0, metric_params={"weight": 3.0})
    expected = 3 * cdist(COUNTS, COUNTS, "chebyshev")
    drawn, distances = space.draw(4)
    np.testing.assert_allclose(distances, np.take_along_axis(expected, drawn, 1), rtol=1e-5)


def test_rows_of_zeros_are_near_each_other_alone():
    X = np.vstack([COUNTS, np.zeros((4, 5))])
    for metric in ("cosine", "hellinger"):
        for kind in (np.asarray, csr_array):
            neighbors, distances = FeatureSpace(kind(X), metric, 0).search.among(4)
            assert not (neighbors[:80] >= 80).any()
            np.testing.assert_allclose(distances[80:, :3], 0, atol=1e-7)
            np.testing.assert_allclose(distances[80:, 3], np.sqrt(2), rtol=1e-6)


def test_places_have_features_as_far_as_the_metric_knows_them():
    shares = COUNTS / COUNTS.sum(axis=1, keepdims=True)
    directions = COUNTS / np.linalg.norm(COUNTS, axis=1, keepdims=True)
    expected = {
        "seuclidean": COUNTS, "mahalanobis": COUNTS, "cosine": directions, "hellinger": shares
    }  # fmt: skip
    for metric, rows in expected.items():
        model = WeightedTETE(metric=metric, random_state=0, max_iter=30).fit(COUNTS)
        found = model.inverse_transform(model.embedding_[:3])
        np.testing.assert_allclose(found, rows[:3], rtol=1e-2)
        np.testing.assert_array_equal(model.transform(COUNTS[:3]), model.embedding_[:3])


def test_a_constant_feature_adds_nothing():
    with_constant = np.hstack([COUNTS, np.full((80, 1), 7.0)])
    for kind in (np.asarray, csr_array):
        points = FeatureSpace(kind(with_constant), "seuclidean", 0).points
        points = points if isinstance(points, np.ndarray) else points.toarray()
        expected = FeatureSpace(COUNTS, "seuclidean", 0).points
        np.testing.assert_allclose(pairwise_distances(points), pairwise_distances(expected))


@pytest.mark.parametrize(
    ("metric", "params", "X", "message"),
    [
        ("nan_euclidean", None, np.full((9, 2), np.nan), "not offered: fill in missing values"),
        ("wminkowski", None, COUNTS, "use 'minkowski' with the parameters p and w"),
        ("kulsinski", None, COUNTS, "not offered: pass a function of two rows"),
        ("nearness", None, COUNTS, "metric must be one of 'braycurtis'"),
        ("cosine", {"p": 1}, COUNTS, "'cosine' takes no parameters; got p"),
        ("mahalanobis", {"W": 1}, COUNTS, "'mahalanobis' takes V and VI; got W"),
        ("minkowski", {"p": 0.5}, COUNTS, r"p of 'minkowski' must be a number in \[1, inf\)"),
        ("minkowski", {"w": [1, 2]}, COUNTS, "w of a metric must hold 5 positive numbers"),
        ("seuclidean", {"V": np.zeros(5)}, COUNTS, "V of a metric must hold 5 positive numbers"),
        ("mahalanobis", {"V": np.eye(3)}, COUNTS, "must be a 5 × 5 matrix"),
        ("mahalanobis", None, COUNTS[:4], "covariances of X are not"),
        ("mahalanobis", {"VI": np.ones((5, 5))}, COUNTS, "the parameter VI is not"),
        ("mahalanobis", {"V": np.triu(np.full((5, 5), 0.1)) + np.eye(5)}, COUNTS, "symmetric"),
        ("mahalanobis", {"VI": "wide"}, COUNTS, "must be a 5 × 5 matrix"),
        (["cosine"], None, COUNTS, "metric must be one of"),
        ("hellinger", None, COUNTS - 1, "numbers of 0 or more; got -0.9"),
        ("haversine", None, COUNTS, "needs two columns, latitude and longitude"),
        ("correlation", None, csr_array(COUNTS), "'correlation' does not take sparse matrices"),
    ],
)  # fmt: skip
def test_mistakes_are_explained(metric, params, X, message):
    with pytest.raises(InputError, match=message):
        WeightedTETE(metric=metric, metric_params=params).fit(X)


def test_sparse_rows_are_compared_by_their_cosine_in_little_memory():
    rng = np.random.default_rng([2])
    n, n_words = 5000, 10
    words = rng.integers(5000, size=(n, n_words)).ravel()
    X = csr_array((rng.random(n * n_words), words, np.arange(0, n * n_words + 1, n_words)))
    space = FeatureSpace(X, "cosine", 0)
    tracemalloc.start()
    space.search.among(20)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < n * n * 8  # it held more than two tables of all distances


def test_short_sparse_rows_are_compared_by_their_components_too():
    """Two texts without a common word are near if a third text has words of both."""
    rng = np.random.default_rng([4])
    topic = np.repeat(np.arange(10), 30)
    words = np.array([rng.choice(12, 4, replace=False) for _ in topic]) + 12 * topic[:, None]
    rows = np.repeat(np.arange(len(topic)), 4)
    X = csr_array((np.ones(rows.size), (rows, words.ravel())), shape=(len(topic), 120))
    metric = row_metric("cosine", None, X)
    made = metric.rows(X).toarray()
    distances = np.linalg.norm(made[:, None] - made[None], axis=2)
    plain = np.linalg.norm(X.toarray()[:, None] - X.toarray()[None], axis=2)
    strangers = np.isclose(plain, np.sqrt(8))
    same = topic[:, None] == topic
    assert distances[strangers & same].mean() < distances[strangers & ~same].mean() - 0.1
    np.testing.assert_allclose(metric.transform.features(made), X.toarray() / 2)
    long = csr_array(rng.random((50, 30)))
    np.testing.assert_allclose(
        row_metric("cosine", None, long).rows(long).toarray(),
        row_metric("cosine", None, long.toarray()).rows(long.toarray()),
    )

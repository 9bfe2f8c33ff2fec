"""Clusters, trees and medoids, against scikit-learn and SciPy on the same features."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import KMeans

import ordinate as od
from ordinate.kernels import kernel_kmeans, kernel_linkage, kernel_medoid


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng([0])  # fixed: in others a point lies among another cluster
    labels = rng.permutation(np.repeat([0, 1, 2], 15))
    centers = np.array([[0, 0], [9, 0], [4, 8]])
    points = rng.standard_normal((45, 2)) + centers[labels]
    return labels, od.sources.random_triplets(points, 6000, random_state=np.random.default_rng([1]))


@pytest.fixture(scope="module")
def fitted(blobs):
    return od.K1().fit(blobs[1])


def inertia(features, labels):
    return sum(
        np.square(features[labels == label] - features[labels == label].mean(axis=0)).sum()
        for label in np.unique(labels)
    )


def test_kmeans_finds_the_clusters_from_features_and_from_the_matrix(blobs, fitted):
    for kernel in (fitted, fitted.kernel()):
        assert od.metrics.purity(blobs[0], kernel_kmeans(kernel, 3, random_state=0)) == 1


def test_kmeans_ends_where_scikit_learn_ends(fitted):
    features = fitted.features_.toarray()
    found = kernel_kmeans(fitted, 7, n_init=20, random_state=0)
    reference = KMeans(7, n_init=20, random_state=0).fit(features).inertia_
    assert inertia(features, found) == pytest.approx(reference, rel=0.01)


def test_kmeans_does_not_stop_before_every_object_is_with_its_nearest_mean(fitted):
    features = fitted.features_.toarray()
    labels = kernel_kmeans(fitted, 5, n_init=1, random_state=3)
    means = np.array([features[labels == label].mean(axis=0) for label in range(5)])
    distances = np.linalg.norm(features[:, None] - means, axis=2)
    np.testing.assert_array_equal(distances.argmin(axis=1), labels)


@pytest.mark.usual_data
def test_kmeans_copes_with_few_answers_where_lloyds_rule_does_not():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 50)
    points = rng.standard_normal((150, 2)) + np.array([[0, 0], [6, 0], [3, 5]])[labels]
    model = od.K1().fit(od.sources.random_triplets(points, 10_000, random_state=0))
    lloyd = KMeans(3, n_init=5, random_state=0).fit_predict(model.features_)
    assert od.metrics.purity(labels, lloyd) < 0.7
    assert od.metrics.purity(labels, kernel_kmeans(model, 3, random_state=0)) > 0.9


def test_kmeans_is_blind_to_a_shift(fitted):
    clusters = [kernel_kmeans(fitted.kernel(shift=shift), 3, random_state=0) for shift in (0, 1)]
    np.testing.assert_array_equal(*clusters)


def test_kmeans_seed_and_numbering(fitted):
    labels = kernel_kmeans(fitted, 5, n_init=1, random_state=0)
    np.testing.assert_array_equal(labels, kernel_kmeans(fitted, 5, n_init=1, random_state=0))
    others = [kernel_kmeans(fitted, 5, n_init=1, random_state=seed) for seed in range(1, 6)]
    assert any((labels != other).any() for other in others)
    first = [np.argmax(labels == label) for label in range(5)]
    assert first == sorted(first)


def test_kmeans_more_starts_and_iterations_never_hurt(fitted):
    features = fitted.features_.toarray()
    one = inertia(features, kernel_kmeans(fitted, 8, n_init=1, random_state=5))
    many = inertia(features, kernel_kmeans(fitted, 8, n_init=10, random_state=5))
    short = inertia(features, kernel_kmeans(fitted, 8, n_init=1, max_iter=1, random_state=5))
    assert many <= one <= short


def test_kmeans_as_many_clusters_as_objects_and_one_cluster():
    kernel = np.eye(6)
    assert sorted(kernel_kmeans(kernel, 6, random_state=0)) == list(range(6))
    np.testing.assert_array_equal(kernel_kmeans(kernel, 1, random_state=0), np.zeros(6))


def test_kmeans_with_fewer_distinct_objects_than_clusters_ends():
    kernel = np.ones((5, 5))
    assert kernel_kmeans(kernel, 3, random_state=0).shape == (5,)


@pytest.mark.parametrize("method", ["complete", "average", "single", "ward"])
def test_linkage_is_that_of_the_features(method):
    features = np.random.default_rng(0).standard_normal((40, 5))
    found = kernel_linkage(features @ features.T, method)
    np.testing.assert_allclose(found, linkage(features, method), atol=1e-6)


def test_linkage_finds_the_clusters_and_a_shift_changes_no_tree(blobs, fitted):
    tree = kernel_linkage(fitted)
    assert od.metrics.purity(blobs[0], fcluster(tree, 3, "maxclust")) == 1
    np.testing.assert_array_equal(kernel_linkage(fitted.kernel(shift=True))[:, :2], tree[:, :2])


def test_medoid_has_the_least_sum_of_squared_distances(fitted):
    features = fitted.features_.toarray()
    distances = np.square(features[:, None] - features).sum(axis=2)
    assert kernel_medoid(fitted) == distances.sum(axis=1).argmin()
    assert kernel_medoid(fitted.kernel()) == kernel_medoid(fitted)
    members = np.arange(10, 30)
    inner = distances[np.ix_(members, members)].sum(axis=1)
    assert kernel_medoid(fitted, members) == members[inner.argmin()]


def test_medoid_is_never_an_object_without_data():
    kernel = np.array([[1, 0.5, 0], [0.5, 1, 0], [0, 0, 0]])
    assert kernel_medoid(kernel) == 0


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: kernel_kmeans(np.eye(3), 4), "n_clusters must be an integer >= 1 and <= 3; got 4"),
        (lambda: kernel_kmeans(np.eye(3), 2, n_init=0), "n_init must be an integer >= 1"),
        (lambda: kernel_kmeans(np.eye(3), 2, max_iter=0), "max_iter must be an integer >= 1"),
        (lambda: kernel_linkage(np.eye(3), "median"), "method must be one of 'complete', 'aver"),
        (lambda: kernel_medoid(np.eye(3), [3]), "members must hold numbers .* 0 to 2; got 3"),
        (lambda: kernel_medoid(np.zeros((3, 3))), "None of the objects has data"),
    ],
)
def test_bad_arguments_are_refused(act, message):
    with pytest.raises(od.InputError, match=message):
        act()

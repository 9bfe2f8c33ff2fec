import numpy as np
import pytest
from scipy.spatial.distance import cdist

from ordinate import InputError
from ordinate.sources._distances import METRICS, Distances

BOOLEAN = {"dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"}


def points_for(metric, n=30):
    # without an object that has none of the features: it has no Dice distance to itself
    points = np.random.default_rng([0]).random((n, 6))
    return (points > 0.4).astype(float) if metric in BOOLEAN else points


@pytest.mark.parametrize("metric", [m for m in METRICS if m != "precomputed"])
def test_pair_by_pair_equals_the_matrix(metric):
    points = points_for(metric)
    distances = Distances(points, metric)
    left, right = np.random.default_rng(1).integers(len(points), size=(2, 2 * len(points) ** 2))
    few = slice(0, 100)  # too few pairs for a matrix
    np.testing.assert_allclose(
        distances.between(left[few], right[few]),
        distances.between(left, right)[few],
        rtol=1e-12,
        atol=1e-15,
    )


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "cosine", "jensenshannon"])
def test_equals_scipy(metric):
    points = points_for(metric)
    left, right = np.triu_indices(len(points), k=1)
    expected = cdist(points, points, metric)[left, right]
    np.testing.assert_allclose(Distances(points, metric).between(left, right), expected, rtol=1e-12)


def test_scales_come_from_all_points():
    points = points_for("seuclidean")
    found = Distances(points, "seuclidean").between([0], [1])
    scaled = points / points.std(axis=0, ddof=1)
    assert found[0] == pytest.approx(np.linalg.norm(scaled[0] - scaled[1]))


def test_callable_metric():
    found = Distances(np.eye(3), lambda u, v: u[0] - v[0]).between([0, 1], [1, 0])
    assert found.tolist() == [1.0, -1.0]


def test_precomputed_matrix_is_used_as_it_is():
    matrix = np.arange(9.0).reshape(3, 3)
    assert Distances(matrix, "precomputed").between([0, 1], [1, 0]).tolist() == [1.0, 3.0]


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "precomputed"])
def test_nearest_leaves_the_object_itself_out(metric):
    line = np.array([[0.0], [1.0], [3.0], [7.0], [7.0]])
    distances = Distances(np.abs(line - line.T) if metric == "precomputed" else line, metric)
    assert np.sort(distances.nearest(2)).tolist() == [[1, 2], [0, 2], [0, 1], [2, 4], [2, 3]]


def test_unknown_metric_lists_those_there_are():
    with pytest.raises(InputError, match=r"metric must be one of 'euclidean', .*got 'euclid'"):
        Distances(np.eye(3), "euclid")


def test_precomputed_must_be_square():
    with pytest.raises(InputError, match=r"square matrix of distances; got shape \(4, 3\)"):
        Distances(np.zeros((4, 3)), "precomputed")


def test_similarities_are_not_taken_for_distances():
    with pytest.raises(InputError, match="points must grow with the distance; got similarities"):
        Distances(np.corrcoef(np.random.default_rng([0]).normal(size=(5, 9))), "precomputed")


def test_objects_without_a_distance_are_named():
    points = [[1.0, 2.0], [0.0, 0.0], [1.0, 1.0]]
    with pytest.raises(InputError, match=r"'cosine' gives no number for objects 0 and 1"):
        Distances(points, "cosine").between([0, 0], [2, 1])


def test_features_that_depend_on_one_another():
    with pytest.raises(InputError, match=r"'mahalanobis' needs features .* shape \(3, 2\)"):
        Distances([[1.0, 0.0], [2.0, 0.0], [5.0, 0.0]], "mahalanobis")

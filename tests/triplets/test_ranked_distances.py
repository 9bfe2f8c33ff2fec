"""SOE from a complete ranking of distances, against all pairs of pairs written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform

import ordinate as od
from ordinate.triplets.ranked_distances import RankingObjective


def brute_force(ranking, points, delta):
    """Loss and gradient over all pairs of pairs."""
    value, gradient = 0.0, np.zeros_like(points)
    pairs = list(zip(ranking.heads, ranking.tails, ranking.ranks, strict=True))
    for i, j, rank in pairs:
        for k, l, other in pairs:  # noqa: E741
            if rank < other:
                near, far = points[i] - points[j], points[k] - points[l]
                a, b = np.linalg.norm(near), np.linalg.norm(far)
                z = max(0.0, a + delta - b)
                value += z * z
                if a > 0:
                    gradient[i] += 2 * z * near / a
                    gradient[j] -= 2 * z * near / a
                if b > 0:
                    gradient[k] -= 2 * z * far / b
                    gradient[l] += 2 * z * far / b
    return value, gradient


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(3, 9),
    levels=st.sampled_from([2, 5, 1000]),
    delta=st.sampled_from([0.1, 1.0, 30.0]),
)
def test_equals_brute_force(seed, n, levels, delta):
    rng = np.random.default_rng(seed)
    values = rng.integers(levels, size=n * (n - 1) // 2).astype(float)
    values[0], values[-1] = -1.0, levels  # not all the same
    ranking = od.RankedDistances(values)
    points = rng.normal(size=(n, 2))
    points[0] = points[1]  # a distance of zero
    value, gradient = RankingObjective(ranking, delta)(points)
    expected, slope = brute_force(ranking, points, delta)
    np.testing.assert_allclose(value, expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(gradient, slope, rtol=1e-10, atol=1e-10 * max(1.0, delta))


def test_equals_soe_on_all_quadruplets():
    points = np.random.default_rng(0).normal(size=(12, 2))
    ranking = od.RankedDistances(pdist(points))
    answers = od.sources.all_quadruplets(points)
    assert ranking.n_comparisons >= len(answers)
    model = od.SOE(2, random_state=0, tol=1e-6).fit(ranking)
    assert model.score(answers) > 0.995
    assert model.names_ is None
    assert len(model.history_) == model.n_iter_ + 1


def test_points_come_back_from_the_order_of_their_distances():
    points = np.random.default_rng(1).normal(size=(40, 2))
    ranking = od.RankedDistances(squareform(pdist(points)) ** 2, names=[f"o{i}" for i in range(40)])
    model = od.SOE(2, random_state=0).fit(ranking)
    assert od.metrics.procrustes_distance(model.embedding_, points) < 1e-3
    assert model.names_[3] == "o3"
    one, two = (RankingObjective(ranking, delta) for delta in (1.0, 2.0))
    np.testing.assert_allclose(two(2 * points)[0], 4 * one(points)[0], rtol=1e-10)
    assert one.with_parameters([2.0])(points)[0] == two(points)[0]


@pytest.mark.usual_data
@pytest.mark.parametrize("init", ["random", "array"])
def test_every_kind_of_start_is_used(init):
    points = np.random.default_rng(2).normal(size=(15, 2))
    start = points if init == "array" else init
    model = od.SOE(2, init=start, n_init=2, random_state=0).fit(od.RankedDistances(pdist(points)))
    assert model.n_init_ == 2
    assert od.metrics.procrustes_distance(model.embedding_, points) < 0.1


@pytest.mark.parametrize(
    ("distances", "message"),
    [
        ([1.0, 2.0], "condensed distances; got 2"),
        (np.zeros((2, 3)), "square matrix or its upper triangle; got shape"),
        ([[0, 1, 2], [1, 0, 3], [9, 3, 0]], r"symmetric; entry \(0, 2\) is 2 and entry \(2, 0\)"),
        ([1.0], "at least three objects; got 2"),
        ([1.0, np.nan, 2.0], "must be finite"),
        ([1.0, 1.0, 1.0], "All distances are the same"),
        (["a", "b", "c"], "distances must be numbers; could not convert"),
        ([[1, 0.9, 0.1], [0.9, 1, 0.2], [0.1, 0.2, 1]], "got similarities.*diagonal, 1,"),
        (-np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]]), "got similarities.*the rest, -2"),
    ],
)
def test_bad_arguments_are_refused(distances, message):
    with pytest.raises(od.InputError, match=message):
        od.RankedDistances(distances)


def test_a_ranking_has_no_answers_and_one_solver():
    ranking = od.RankedDistances([1.0, 2.0, 3.0], names=["a", "b", "c"])
    assert ranking.n_comparisons == 3
    with pytest.raises(od.InputError, match="y and sample_weight are for comparisons"):
        od.SOE().fit(ranking, [True])
    with pytest.raises(od.InputError, match="solver='lbfgs' and device='cpu'; got"):
        od.SOE(solver="majorize").fit(ranking)
    with pytest.raises(od.InputError, match="names has 2 entries; the distances are of 3"):
        od.RankedDistances([1.0, 2.0, 3.0], names=["a", "b"])

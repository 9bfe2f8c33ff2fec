import itertools

import numpy as np
import pytest

import ordinate as od
from ordinate.kernels import lens_depth, outlier_share, relative_neighborhood_graph

POINTS = np.random.default_rng([3]).normal(size=(12, 2))
DISTANCES = np.linalg.norm(POINTS[:, None] - POINTS, axis=2)
EVERYTHING = od.sources.all_triplets(POINTS)


def lies_in_lens(subject, one, other):
    return max(DISTANCES[subject, one], DISTANCES[subject, other]) < DISTANCES[one, other]


def depth_by_hand(subject, others):
    lenses = list(itertools.combinations([o for o in others if o != subject], 2))
    return np.mean([lies_in_lens(subject, *lens) for lens in lenses])


def test_depths_are_shares_of_lenses():
    expected = [depth_by_hand(i, range(12)) for i in range(12)]
    np.testing.assert_allclose(lens_depth(EVERYTHING), expected)


def test_depths_within_classes():
    labels = np.array(["a"] * 5 + [None] + ["b"] * 6, dtype=object)
    found = lens_depth(EVERYTHING, labels=labels)
    for i in range(12):
        np.testing.assert_allclose(found[i, 0], depth_by_hand(i, range(5)))
        np.testing.assert_allclose(found[i, 1], depth_by_hand(i, range(6, 12)))


@pytest.mark.parametrize("k", [1, 3])
def test_the_graph_counts_objects_in_lenses(k):
    graph = relative_neighborhood_graph(EVERYTHING, k).toarray()
    for i, j in itertools.combinations(range(12), 2):
        inside = sum(lies_in_lens(o, i, j) for o in range(12) if o not in (i, j))
        assert graph[i, j] == graph[j, i] == (inside < k)


def test_statements_of_the_most_central_object_are_all_that_is_needed():
    shown = np.array(list(itertools.combinations(range(12), 3)))
    chosen = [trio[np.argmin(DISTANCES[np.ix_(trio, trio)].sum(axis=1))] for trio in shown]
    answers = od.sources.from_most_central(shown, chosen)
    np.testing.assert_allclose(lens_depth(answers), lens_depth(EVERYTHING))


def is_outlier(subject, one, other):
    return DISTANCES[one, other] < min(DISTANCES[subject, one], DISTANCES[subject, other])


def outlier_share_by_hand(subject, others):
    return np.mean([is_outlier(subject, *two) for two in itertools.combinations(others, 2)])


def test_an_outlier_lies_opposite_the_shortest_side():
    labels = np.array(["a"] * 5 + [None] + ["b"] * 6, dtype=object)
    whole, by_class = outlier_share(EVERYTHING), outlier_share(EVERYTHING, labels=labels)
    for i in range(12):
        everybody, first = (np.setdiff1d(np.arange(n), i) for n in (12, 5))
        assert whole[i] == pytest.approx(outlier_share_by_hand(i, everybody))
        assert by_class[i, 0] == pytest.approx(outlier_share_by_hand(i, first))
    shown = np.array(list(itertools.combinations(range(12), 3)))
    odd = [trio[np.argmax(DISTANCES[np.ix_(trio, trio)].sum(axis=1))] for trio in shown]
    answers = od.sources.from_odd_one_out(shown, odd)
    np.testing.assert_allclose(outlier_share(answers), whole)


def test_outliers_are_rare_where_objects_are_dense():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(size=(20, 2)), 5 + rng.normal(size=(8, 2)), [[40, -40]]])
    share = outlier_share(od.sources.all_triplets(points))
    assert np.argmax(share) == 28
    assert share[:20].mean() + 0.2 < share[20:28].mean()


def test_repeated_statements_count_again():
    one, other = [[1, 0, 2], [2, 0, 1]], [[0, 1, 2], [2, 1, 0]]  # 0 is central, or 1
    np.testing.assert_allclose(lens_depth([*one, *one, *one, *other]), [0.75, 0.25, 0.0])
    weighted = od.Comparisons([*one, *other], weights=[3, 3, 1, 1])
    np.testing.assert_allclose(lens_depth(weighted), [0.75, 0.25, 0.0])


def test_an_object_in_no_known_triple_has_no_depth():
    assert np.isnan(lens_depth(od.Comparisons([[1, 0, 2], [2, 0, 1]], n_objects=4))[3])


def test_what_cannot_be_used_is_refused():
    with pytest.raises(od.InputError, match="most central one is known; got none"):
        lens_depth([[0, 1, 2]])
    with pytest.raises(od.InputError, match="outlier is known; got none"):
        outlier_share([[0, 1, 2]])
    with pytest.raises(od.InputError, match="got comparisons of two pairs"):
        lens_depth([[0, 1, 2, 3]])
    with pytest.raises(od.InputError, match="a label for each of 12 objects; got shape"):
        lens_depth(EVERYTHING, labels=[0, 1])
    with pytest.raises(od.InputError, match="k must be"):
        relative_neighborhood_graph(EVERYTHING, 0)

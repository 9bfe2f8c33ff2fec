"""k1 and k2 by their definitions, by another program and by Kendall's rank correlation."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from scipy.spatial.distance import cdist
from scipy.stats import kendalltau

import ordinate as od

from .conftest import k1_features, k2_features, triplets

pytestmark = pytest.mark.filterwarnings("ignore::ordinate.kernels.WithoutDataWarning")


@pytest.mark.parametrize(("kernel", "defined"), [(od.K1, k1_features), (od.K2, k2_features)])
@given(answers=triplets())
def test_equals_the_definition(kernel, defined, answers):
    features = defined(answers.rows, answers.n_objects)
    found = kernel().fit(answers)
    np.testing.assert_allclose(found.kernel(), features @ features.T, atol=1e-12)
    np.testing.assert_array_equal(found.without_data_, np.flatnonzero(~features.any(axis=1)))


@pytest.mark.parametrize("kernel", [od.K1, od.K2])
@pytest.mark.parametrize("case", ["plain", "multi"])
def test_equals_octave(octave, kernel, case):
    answers = od.Comparisons(octave[f"triplets_{case}"], n_objects=30)
    expected = octave[f"{kernel.__name__.lower()}_{case}"]
    np.testing.assert_allclose(kernel().fit(answers).kernel(), expected, atol=1e-11)


@pytest.mark.parametrize("declared", [True, False])
def test_landmark_form_equals_octave_whether_landmarks_are_declared_or_not(octave, declared):
    answers = od.Comparisons(octave["triplets_landmark_k1"], n_objects=30)
    model = od.K1(landmarks=octave["landmarks"] if declared else None).fit(answers)
    np.testing.assert_allclose(model.kernel(), octave["landmark_k1"], atol=1e-11)
    assert isinstance(model.features_, np.ndarray) is declared


def test_full_triplet_set_gives_kendalls_tau_on_the_objects_that_both_rank():
    points = np.random.default_rng(0).standard_normal((8, 2))
    n_objects, distances = len(points), cdist(points, points)
    kernel = od.K1().fit(od.sources.all_triplets(points)).kernel()
    for a, b in zip(*np.triu_indices(n_objects, 1), strict=True):
        both = [i for i in range(n_objects) if i not in (a, b)]
        tau = kendalltau(distances[a, both], distances[b, both]).statistic
        # each of a and b answers about 21 pairs, 15 of which are without the other one
        assert kernel[a, b] == pytest.approx(tau * 15 / 21)


def test_figure_2_of_the_paper_far_objects_are_alike_and_near_ones_are_not():
    line = np.column_stack([np.linspace(0, 1, 48), np.zeros(48)])
    points = np.concatenate([[[-100, 200], [-101, -202]], line])
    kernel = od.K1().fit(od.sources.all_triplets(points)).kernel()
    assert kernel[0, 1] > 0.9
    assert kernel[2, -1] < -0.75


def test_figure_1_of_the_paper_without_the_pairs_that_triplets_cannot_hold(octave):
    rankings = [[0, 2, 1, 3, 4, 5, 6], [1, 2, 5, 0, 4, 3, 6]]
    rows = [
        (ranking[0], ranking[i], ranking[j])
        for ranking in rankings
        for i in range(1, 7)
        for j in range(i + 1, 7)
    ]
    expected = octave["fig1_k1_x1_x2_all_distinct_triplets"]
    assert od.K1().fit(rows).similarity(0, 1) == pytest.approx(expected)


def test_the_six_scores_of_figure_1_need_pairs_that_no_triplet_holds():
    """The paper prints two rankings and six scores, which this arrangement has."""
    points = [[14, 26], [18, -14], [7, -3], [-19, 51], [-29, 20], [-15, -21], [-65, -5]]
    distances = cdist(points, points)
    assert np.argsort(distances[0]).tolist() == [0, 2, 1, 3, 4, 5, 6]
    assert np.argsort(distances[1]).tolist() == [1, 2, 5, 0, 4, 3, 6]
    everything = od.sources.all_triplets(np.asarray(points, dtype=float))
    rows = {tuple(row) for row in everything.rows.tolist()}

    def nearer(a, i, j):
        """Return what the answers say, and an object is nearest to itself."""
        if a in (i, j):
            return 1 if i == a != j else -1
        return 1 if (a, i, j) in rows else -1

    pairs = list(combinations(range(7), 2))
    printed = {(0, 1): (1 / 3, 15 / 49), (0, 6): (-5 / 7, 3 / 49), (1, 6): (-3 / 7, 1 / 49)}
    for (a, b), (of_k1, of_k2) in printed.items():
        k1 = np.mean([nearer(a, *pair) * nearer(b, *pair) for pair in pairs])
        k2 = np.mean([nearer(i, a, j) * nearer(i, b, j) for i in range(7) for j in range(7)])
        assert k1 == pytest.approx(of_k1)
        assert k2 == pytest.approx(of_k2)
        # the kernel has the pairs without a and b alone, of the 15 that each of them answers
        kept = [nearer(a, *pair) * nearer(b, *pair) for pair in pairs if not {a, b} & {*pair}]
        assert od.K1().fit(everything).similarity(a, b) == pytest.approx(sum(kept) / 15)


def test_both_landmark_forms_equal_octave(octave):
    answers = od.Comparisons(octave["triplets_landmark_k2"], n_objects=30)
    general = od.K2().fit(answers).kernel()
    reduced = od.K2(landmarks=octave["landmarks"]).fit(answers).kernel()
    np.testing.assert_allclose(general, octave["landmark_k2_general_formula"], atol=1e-11)
    np.testing.assert_allclose(reduced, octave["landmark_k2_reduced_LxL"], atol=1e-11)
    others = np.setdiff1d(np.arange(30), octave["landmarks"])
    both = np.ix_(others, others)
    np.testing.assert_allclose(general[both], reduced[both], atol=1e-15)


def test_anchor_and_reference_are_not_exchangeable():
    # 1 is near anchor 0 and far from anchor 2: features (0, 2) and (2, 0) differ
    model = od.K2().fit([[0, 1, 2], [2, 0, 1]])
    np.testing.assert_array_equal(model.pairs_, [[0, 1], [0, 2], [2, 0], [2, 1]])
    np.testing.assert_allclose(model.features_.toarray()[1], [0, np.sqrt(0.5), -np.sqrt(0.5), 0])


def test_answers_outside_the_landmark_design_are_refused():
    with pytest.raises(od.InputError, match=r"Row 1 is \(3, 0, 2\): .*near and far are landmarks"):
        od.K1(landmarks=[0, 1]).fit([[2, 0, 1], [3, 0, 2]])
    with pytest.raises(od.InputError, match=r"Row 0 is \(2, 0, 1\): .*the anchor and one of"):
        od.K2(landmarks=[0, 1]).fit([[2, 0, 1], [0, 3, 1]])

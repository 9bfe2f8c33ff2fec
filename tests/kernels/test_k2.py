"""k2 by its definition and by another program, in the general and in the landmark form."""

import numpy as np
import pytest
from hypothesis import given

import ordinate as od

from .conftest import k2_features, triplets

pytestmark = pytest.mark.filterwarnings("ignore::ordinate.kernels.WithoutDataWarning")


@given(triplets())
def test_equals_the_definition(answers):
    features = k2_features(answers.rows, answers.n_objects)
    found = od.K2().fit(answers)
    np.testing.assert_allclose(found.kernel(), features @ features.T, atol=1e-12)
    np.testing.assert_array_equal(found.without_data_, np.flatnonzero(~features.any(axis=1)))


@pytest.mark.parametrize("case", ["plain", "multi"])
def test_equals_octave(octave, case):
    answers = od.Comparisons(octave[f"triplets_{case}"], n_objects=30)
    np.testing.assert_allclose(od.K2().fit(answers).kernel(), octave[f"k2_{case}"], atol=1e-11)


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
    with pytest.raises(od.InputError, match=r"Row 0 is \(2, 0, 1\): .*the anchor and one of"):
        od.K2(landmarks=[0, 1]).fit([[2, 0, 1], [0, 3, 1]])

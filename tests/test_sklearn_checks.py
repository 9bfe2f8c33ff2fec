"""scikit-learn's own checks, and in their spirit those it cannot make on comparisons.

Most of scikit-learn's checks fit an estimator on a random matrix of real numbers. Rows of
comparisons are object numbers, so such a matrix is refused: those checks must end in our sentence
about it, and the tests below ask the same of comparisons instead.
"""

import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import ordinate as od
from ordinate.methods import load_method, names_of

METHODS = [load_method(name) for name in names_of(is_comparable=True, has_device=True)]
NOT_FOR_COMPARISONS = {
    "check_fit_score_takes_y",
    "check_estimators_overwrite_params",
    "check_dont_overwrite_parameters",
    "check_estimators_fit_returns_self",
    "check_readonly_memmap_input",
    "check_n_features_in_after_fitting",
    "check_positive_only_tag_during_fit",
    "check_estimators_dtypes",
    "check_dtype_object",
    "check_pipeline_consistency",
    "check_estimators_nan_inf",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_dict_unchanged",
    "check_fit_idempotent",
    "check_fit_check_is_fitted",
    "check_n_features_in",
    "check_fit2d_predict1d",
    "check_sample_weights_pandas_series",
    "check_sample_weights_not_an_array",
    "check_sample_weights_list",
    "check_sample_weights_not_overwritten",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",  # asked before scikit-learn 1.7
    "check_sample_weights_shape",
    "check_transformer_data_not_an_array",
    "check_transformer_general",
    "check_transformer_preserve_dtypes",
    "check_all_zero_sample_weights_error",
    "check_transformer_n_iter",
    "check_estimators_empty_data_messages",
    "check_fit2d_1sample",
    "check_fit2d_1feature",
}


@parametrize_with_checks([od.SOE(), od.TSTE()])
def test_scikit_learns_checks(estimator, check):
    if check.func.__name__ not in NOT_FOR_COMPARISONS:
        check(estimator)
        return
    with pytest.raises((ValueError, AssertionError)) as caught:
        check(estimator)
    error = caught.value
    while error and not isinstance(error, od.InputError):
        error = error.__context__  # a check may put its own words around ours
    assert re.search(
        "object numbers must be|Comparisons need (3 columns|a dense array)", str(error)
    )


@pytest.fixture(params=METHODS, ids=lambda method: method.__name__)
def model(request):
    return request.param(random_state=0)


def test_fit_returns_self_and_leaves_parameters_alone(model, triplets):
    before = model.get_params()
    assert model.fit(triplets) is model
    assert model.get_params() == before


@pytest.mark.filterwarnings("ignore:STE put all objects in nearly one place")
def test_a_second_fit_forgets_the_first(model, triplets):
    other = od.Comparisons([[0, 1, 2], [2, 1, 0]])
    assert model.fit(triplets).fit(other).embedding_.shape == (3, 2)


def test_predicting_changes_nothing(model, triplets):
    model.fit(triplets)
    before = dict(vars(model))
    model.predict(triplets)
    model.score(triplets)
    assert vars(model) == before


def test_rows_do_not_influence_each_other(model, triplets):
    model.fit(triplets)
    together = model.decision_function(triplets)
    singly = np.concatenate([model.decision_function(triplets[row]) for row in range(20)])
    np.testing.assert_array_equal(together[:20], singly)


@pytest.mark.parametrize("dtype", [np.int16, np.uint32, np.int64, np.float32, np.float64])
def test_whole_numbers_of_any_type_order_or_protection(model, triplets, dtype):
    rows = np.asfortranarray(triplets.rows.astype(dtype))
    rows.flags.writeable = False
    np.testing.assert_array_equal(
        clone(model).fit(rows).embedding_, clone(model).fit(triplets).embedding_
    )


def test_the_callers_arrays_stay_as_they_are(model, triplets):
    rows, answers = triplets.rows.copy(), np.tile([True, False], len(triplets) // 2)
    model.fit(rows, answers)
    np.testing.assert_array_equal(rows, triplets.rows)
    assert answers[:2].tolist() == [True, False]

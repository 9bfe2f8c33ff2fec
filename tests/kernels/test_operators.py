"""Kernels as operators: the same products from features and from the matrix."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import ordinate as od
from ordinate.kernels._kernels import as_matrix, as_operator


def test_features_and_matrix_give_the_same_operator(octave):
    model = od.K1().fit(od.Comparisons(octave["triplets_plain"], n_objects=30))
    other = np.random.default_rng(0).standard_normal((30, 3))
    matrix = as_matrix(model)
    for operator in (as_operator(model), as_operator(matrix)):
        np.testing.assert_allclose(operator.times(other), matrix @ other)
        np.testing.assert_allclose(operator.diagonal, np.ones(30))


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (np.ones((2, 3)), r"fitted K1 or K2 or a square matrix; got shape \(2, 3\)"),
        ([[1, 0.5], [0, 1]], r"symmetric; entry \(0, 1\) is 0.5 and entry \(1, 0\) is 0"),
        ([[1, np.nan], [0, 1]], "kernel must be finite; row 0, column 1"),
    ],
)
def test_bad_arguments_are_refused(kernel, message):
    with pytest.raises(od.InputError, match=message):
        as_operator(kernel)


def test_a_kernel_must_be_fitted():
    with pytest.raises(NotFittedError):
        as_operator(od.K1())

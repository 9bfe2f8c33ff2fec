"""Feature matrices: columns for given or found questions, and their inner products."""

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from ordinate.kernels._entries import Entries
from ordinate.kernels._features import (
    dense_features,
    inner_products,
    smallest_eigenvalue,
    sparse_features,
    squared_lengths,
)

FAR_APART = 10**12
"""A question number that no table could have room for."""


@pytest.mark.parametrize("scale", [1, FAR_APART], ids=["table", "search"])
def test_columns_are_the_questions_that_occur(scale):
    blocks = [
        Entries(np.array([0, 0]), scale * np.array([1, 4]), np.array([0.6, 0.8])),
        Entries(np.array([2]), scale * np.array([4]), np.array([-1.0])),
    ]
    features, questions = sparse_features(blocks, 3, None, "float64")
    np.testing.assert_array_equal(questions, scale * np.array([1, 4]))
    np.testing.assert_array_equal(features.toarray(), [[0.6, 0.8], [0, 0], [0, -1]])
    known = scale * np.array([0, 4, 7])
    some, same = sparse_features(blocks, 3, known, "float32")
    assert same is known
    assert some.dtype == np.float32
    np.testing.assert_allclose(some.toarray(), [[0, 0.8, 0], [0, 0, 0], [0, -1, 0]])
    everything = dense_features(blocks, 3, scale * np.array([1, 3, 4]), "float64")
    np.testing.assert_array_equal(everything, [[0.6, 0, 0.8], [0, 0, 0], [0, 0, -1]])


def test_no_entries_give_no_columns():
    features, questions = sparse_features([], 3, None, "float64")
    assert features.shape == (3, 0)
    assert questions.shape == (0,)


@pytest.mark.parametrize("density", [0.01, 0.3])
def test_inner_products(density, monkeypatch):
    monkeypatch.setattr("ordinate.kernels._features._PART", 100)
    monkeypatch.setattr("ordinate.kernels._features._TILE", 6)
    sparse = csr_array(random_array((20, 50), density=density, rng=np.random.default_rng(0)))
    expected = sparse.toarray() @ sparse.toarray().T
    np.testing.assert_allclose(inner_products(sparse), expected, atol=1e-14)
    np.testing.assert_array_equal(inner_products(sparse), inner_products(sparse).T)
    dense = inner_products(sparse.toarray())
    np.testing.assert_allclose(dense, expected, atol=1e-14)
    np.testing.assert_array_equal(dense, dense.T)
    np.testing.assert_allclose(squared_lengths(sparse), expected.diagonal())
    np.testing.assert_allclose(squared_lengths(sparse.toarray()), expected.diagonal())


@pytest.mark.parametrize(("n_objects", "n_features"), [(20, 30), (20, 20), (20, 10)])
def test_smallest_eigenvalue(n_objects, n_features):
    features = np.random.default_rng(0).standard_normal((n_objects, n_features))
    products = features @ features.T
    expected = np.linalg.eigvalsh(products)[0]
    assert smallest_eigenvalue(features, products) == pytest.approx(expected, abs=1e-8)
    features[0] = 0
    assert smallest_eigenvalue(features, features @ features.T) == 0

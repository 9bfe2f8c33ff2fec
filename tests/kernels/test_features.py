"""Entries: counted, signed, of unit norm."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import ordinate as od
from ordinate.kernels._features import (
    Entries,
    dense_features,
    inner_products,
    number_questions,
    smallest_eigenvalue,
    sparse_features,
    squared_lengths,
    unit_entries,
)


def entries(answers, place=None, n_places=None):
    n_objects = answers.n_objects
    place = np.arange(n_objects, dtype=np.int32) if place is None else np.array(place, np.int32)
    return list(unit_entries(answers, od.K1._read, place, n_places or n_objects))


def test_answers_are_weighed_up():
    # object 3 says yes, yes, no about (0, 1) and no about (1, 2)
    answers = od.Comparisons([[3, 0, 1], [3, 0, 1], [3, 1, 0], [3, 2, 1]])
    [(objects, questions, values)] = entries(answers)
    np.testing.assert_array_equal(objects, [3, 3])
    np.testing.assert_array_equal(questions, number_questions(np.array([[0, 1], [1, 2]]), 4))
    np.testing.assert_allclose(values, np.array([1 / 3, -1]) / np.sqrt(1 / 9 + 1))


def test_ties_are_not_entries():
    [(objects, _, values)] = entries(od.Comparisons([[3, 0, 1], [3, 1, 0], [2, 0, 1]]))
    np.testing.assert_array_equal(objects, [2])
    np.testing.assert_array_equal(values, [1])


def test_questions_about_objects_without_a_place_do_not_count():
    answers = od.Comparisons([[3, 0, 1], [3, 0, 2]])
    [(objects, questions, values)] = entries(answers, [0, 1, -1, -1], 2)
    np.testing.assert_array_equal([objects, questions], [[3], [1]])
    np.testing.assert_array_equal(values, [1])
    assert entries(answers[1:], [0, 1, -1, -1], 2) == []


def test_more_objects_than_questions_can_be_numbered_for_are_refused():
    answers = od.Comparisons([[0, 1, 2]], n_objects=2_000_000)
    with pytest.raises(od.InputError, match=r"Among 2000000 objects .* choose landmarks"):
        entries(answers)


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
def test_inner_products_equal_the_dense_ones(density, monkeypatch):
    monkeypatch.setattr("ordinate.kernels._features._PART", 100)
    monkeypatch.setattr("ordinate.kernels._features._TILE", 6)
    rng = np.random.default_rng(0)
    sparse = csr_array(rng.random((20, 50)) * (rng.random((20, 50)) < density))
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

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import ordinate as od
from ordinate.engine.distances import squared_distances
from ordinate.gram.base import embed_gram, largest_eigenvalue
from ordinate.gram.objective import psd_factor

POINTS = od.datasets.load_cities().points[:20]
TRAIN = od.sources.random_triplets(POINTS, 200, random_state=0)
MODELS = [od.DMOE(3, penalty=5.0), od.GramEmbedding(3, penalty=1.0, random_state=0)]


@pytest.fixture(params=MODELS, ids=lambda model: type(model).__name__)
def model(request):
    return clone(request.param)


def test_fit_leaves_a_gram_matrix_and_its_embedding(model):
    model.fit(TRAIN)
    np.testing.assert_allclose(model.gram_, model.gram_.T)
    assert np.linalg.eigvalsh(model.gram_).min() > -1e-9
    assert model.embedding_.shape == (20, 3)
    np.testing.assert_allclose(model.embedding_.mean(axis=0), 0, atol=1e-9)


def test_predictions_come_from_the_matrix(model):
    model.fit(TRAIN)
    margins = model.decision_function(TRAIN)
    assert model.score(TRAIN) == pytest.approx(od.metrics.triplet_accuracy(TRAIN, gram=model.gram_))
    np.testing.assert_array_equal(model.predict(TRAIN), margins > 0)


def test_answers_may_be_signs(model):
    signs = np.where(np.arange(200) % 3 == 0, -1, 1)
    rows = np.where(signs[:, None] > 0, TRAIN.rows, TRAIN.reversed().rows)
    model.fit(rows, signs)
    other = clone(model).fit(TRAIN)
    np.testing.assert_array_equal(model.gram_, other.gram_)
    assert set(model.predict(rows)) <= {-1, 1}
    assert model.score(rows, signs) == other.score(TRAIN)


def test_weights_count_as_repetitions(model):
    weighted = od.Comparisons(TRAIN.rows, weights=np.where(np.arange(200) < 50, 3.0, 1.0))
    repeated = od.Comparisons(np.concatenate([TRAIN.rows, TRAIN.rows[:50], TRAIN.rows[:50]]))
    model.set_params(tol=1e-6, max_iter=20_000)
    first, second = clone(model).fit(weighted), clone(model).fit(repeated)
    assert first.loss_ == pytest.approx(second.loss_, rel=1e-4)


def test_works_with_cross_validation(model):
    assert cross_val_score(model, TRAIN, cv=3).mean() > 0.7


def test_the_distribution_of_margins_is_that_of_the_map(model):
    found = model.fit(TRAIN).margin_distribution(TRAIN, bins=10)
    full = psd_factor(model.gram_)
    near2, far2 = squared_distances(full, TRAIN.rows)
    np.testing.assert_allclose(found.margins, far2 - near2, atol=1e-9)
    np.testing.assert_allclose(
        model.decision_function(TRAIN), np.sqrt(far2) - np.sqrt(near2), atol=1e-6
    )
    assert found.mean == pytest.approx(found.margins.mean())
    assert found.variance == pytest.approx(found.margins.var())
    assert found.counts.sum() == 200
    assert found.edges.shape == (11,)


def test_refuses_objects_it_has_not_seen(model):
    with pytest.raises(od.InputError, match="Object 25 was not in the fit, which had 20 objects"):
        model.fit(TRAIN).predict([[0, 1, 25]])


def test_refuses_no_answers(model):
    with pytest.raises(od.InputError, match="No comparisons; expected at least one row"):
        model.fit(TRAIN[:0])


def test_one_triplet_and_contradictions_are_fitted(model):
    model.set_params(penalty=0.5)
    assert model.fit([[0, 1, 2]]).score([[0, 1, 2]]) == 1.0
    contradiction = clone(model).fit([[0, 1, 2], [0, 2, 1]])
    np.testing.assert_allclose(contradiction.decision_function([[0, 1, 2]]), 0, atol=1e-3)


def test_an_embedding_has_empty_dimensions_beyond_the_rank():
    points = np.array([[0.0], [1.0], [5.0]])
    embedding = embed_gram(points @ points.T, 2)
    np.testing.assert_allclose(np.abs(np.diff(embedding[:, 0])), [1, 4])
    np.testing.assert_allclose(embedding[:, 1], 0, atol=1e-7)


def test_largest_eigenvalue_of_a_negative_matrix_counts_as_zero():
    assert largest_eigenvalue(-np.eye(3)) == 0.0
    assert largest_eigenvalue(np.diag([3.0, -7.0])) == pytest.approx(3.0)

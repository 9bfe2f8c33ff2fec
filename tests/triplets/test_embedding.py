"""What every embedding estimator promises, tried on each of them."""

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import Pipeline

import ordinate as od
from ordinate.methods import load_method, names_of
from ordinate.sources import random_quadruplets, random_triplets
from ordinate.triplets import embedding

METHODS = [*map(load_method, names_of(is_comparable=True, has_device=True)), od.OrdinalEmbedding]
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)


@every_method
def test_recovers_a_map(method, points, triplets):
    held_out = random_triplets(points, 2000, random_state=2)
    model = method(n_components=2, random_state=0).fit(triplets)
    assert model.embedding_.shape == (20, 2)
    assert model.score(held_out) > 0.9
    np.testing.assert_allclose(model.embedding_.mean(axis=0), 0, atol=1e-9)


@pytest.mark.usual_data
@every_method
def test_quadruplets_and_weights(method, points):
    quadruplets = random_quadruplets(points, 1500, random_state=1)
    wrong = quadruplets.reversed()
    both = od.Comparisons(
        np.concatenate([quadruplets.rows, wrong.rows]),
        weights=np.repeat([1.0, 0.0], len(quadruplets)),
    )
    assert method(n_components=2, random_state=0).fit(both).score(quadruplets) > 0.9


@every_method
@pytest.mark.parametrize("n_jobs", [2, 8])
def test_same_seed_same_bits_for_any_number_of_threads(method, n_jobs):
    points = np.random.default_rng(0).normal(size=(30, 2))
    many = random_triplets(points, 40_000, random_state=1)
    settings = {"n_components": 2, "random_state": 7, "init": "random", "max_iter": 8, "tol": 0.5}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        one = method(n_jobs=1, **settings).fit(many).embedding_
        several = method(n_jobs=n_jobs, **settings).fit(many).embedding_
    np.testing.assert_array_equal(one, several)


@every_method
def test_two_seeds_differ_and_verbose_does_not_matter(method, triplets):
    settings = {"init": "random", "max_iter": 1000}
    first = method(random_state=0, **settings).fit(triplets).embedding_
    again = method(random_state=0, verbose=True, **settings).fit(triplets).embedding_
    other = method(random_state=1, **settings).fit(triplets).embedding_
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@every_method
@pytest.mark.parametrize("dimension", [1, 5])
def test_maps_of_other_dimensions_work(method, dimension, triplets):
    model = method(n_components=dimension, random_state=0).fit(triplets)
    assert model.embedding_.shape == (20, dimension)
    assert np.isfinite(model.embedding_).all()


@every_method
@pytest.mark.parametrize("rows", [[[0, 1, 2]], [[0, 1, 2], [0, 2, 1]], [[0, 1, 2], [2, 1, 0]]])
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_three_objects_are_enough_for_a_fit(method, rows, dimension):
    model = method(n_components=dimension, random_state=0)
    if hasattr(model, "penalty"):  # against a prior one answer alone has no weight
        model.set_params(penalty=0)
    assert np.isfinite(model.fit(rows).embedding_).all()
    denied = rows == [[0, 1, 2], [0, 2, 1]]  # then a tie, which satisfies neither row, is best
    assert denied or model.score(rows) == 1


@pytest.mark.filterwarnings("ignore:STE put all objects in nearly one place")
@every_method
def test_an_object_that_never_occurs_gets_a_place(method):
    model = method(random_state=0).fit(od.Comparisons([[0, 1, 2]], n_objects=5))
    assert model.embedding_.shape == (5, 2)
    assert np.isfinite(model.embedding_).all()


@every_method
def test_answers_as_y(method, triplets):
    flipped = np.arange(len(triplets)) % 3 == 0
    rows = triplets.rows.copy()
    rows[flipped] = rows[flipped][:, [0, 2, 1]]
    plain = method(random_state=0).fit(triplets)
    by_bool = method(random_state=0).fit(rows, ~flipped)
    by_sign = method(random_state=0).fit(rows, np.where(flipped, -1, 1))
    np.testing.assert_array_equal(plain.embedding_, by_bool.embedding_)
    np.testing.assert_array_equal(plain.embedding_, by_sign.embedding_)
    assert plain.predict(rows).dtype == bool
    assert set(by_sign.predict(rows)) == {-1, 1}
    assert by_sign.score(rows, np.where(flipped, -1, 1)) == plain.score(triplets)


def test_predictions_are_aligned_with_the_rows_given(triplets):
    model = od.SOE(random_state=0).fit(triplets)
    order = np.random.default_rng(0).permutation(len(triplets))
    np.testing.assert_array_equal(model.predict(triplets)[order], model.predict(triplets[order]))
    margins = model.decision_function(triplets)
    np.testing.assert_array_equal(margins > 0, model.predict(triplets))
    np.testing.assert_allclose(model.decision_function(triplets.reversed()), -margins)


def test_scikit_learn_splits_and_searches(triplets):
    folds = KFold(3, shuffle=True, random_state=0)
    scores = cross_val_score(od.SOE(random_state=0), triplets, cv=folds)
    assert scores.shape == (3,)
    assert scores.min() > 0.85
    y = np.where(np.arange(len(triplets)) % 2, 1, -1)
    rows = triplets.rows.copy()
    rows[y < 0] = rows[y < 0][:, [0, 2, 1]]
    assert cross_val_score(od.SOE(random_state=0), rows, y, cv=folds).min() > 0.85
    search = GridSearchCV(od.STE(random_state=0), {"n_components": [1, 2]}, cv=folds).fit(triplets)
    assert search.best_params_ == {"n_components": 2}
    pipeline = Pipeline([("embed", od.SOE(random_state=0))]).fit(triplets)
    assert pipeline.score(triplets) > 0.95


def test_several_starts_keep_the_best(triplets):
    settings = {"init": "random", "n_components": 1, "max_iter": 3000}
    losses = [
        od.TSTE(random_state=seed, n_init=1, **settings).fit(triplets).loss_ for seed in range(3)
    ]
    assert od.TSTE(random_state=0, n_init=6, **settings).fit(triplets).loss_ <= losses[0]
    assert len(set(losses)) > 1


def test_history_callback_and_early_stop(triplets):
    seen = []
    model = od.TSTE(
        random_state=0,
        n_init=1,
        callback=lambda number, loss, points: seen.append((number, loss)),
    )
    model.fit(triplets)
    assert model.n_iter_ == len(model.history_) - 1 == len(seen)
    assert model.history_[-1] == model.loss_ == seen[-1][1]
    assert (np.diff(model.history_) <= 0).all()
    stopped = od.TSTE(random_state=0, callback=lambda number, loss, points: number == 3)
    assert stopped.fit(triplets).n_iter_ == 3


def test_a_fit_that_stops_early_warns(triplets):
    with pytest.warns(ConvergenceWarning, match="max_iter=2 iterations before it converged"):
        od.TSTE(max_iter=2, random_state=0, init="random").fit(triplets)


def test_init_with_coordinates(triplets):
    model = od.TSTE(random_state=0, tol=1e-6).fit(triplets)
    again = od.TSTE(init=model.embedding_, tol=1e-6).fit(triplets)
    assert again.n_iter_ <= 20
    assert again.loss_ <= model.loss_ * (1 + 1e-6)


@every_method
def test_ten_batches_fit_as_well_as_all_answers_at_once(method, points):
    settings = {"noise": od.sources.FlippedAnswers(0.1), "random_state": 1}
    answers = random_triplets(points, 1000, **settings)
    truth = random_triplets(points, 4000, random_state=2)
    model = method(random_state=0)
    n_starts = []
    for start in range(0, 1000, 100):
        model.partial_fit(answers[start : start + 100])
        n_starts.append(model.n_init_)
    # other starts are tried each time the answers have doubled
    assert np.flatnonzero(np.array(n_starts) > 1).tolist() == [0, 1, 3, 7]
    assert model.answers_ == answers
    whole = method(random_state=0).fit(answers)
    assert model.loss_ < 1.03 * whole.loss_
    assert model.score(truth) > whole.score(truth) - 0.02


def test_new_answers_alone_are_added():
    first = od.Comparisons([[0, 1, 2], [1, 0, 2]], names=["a", "b", "c"])
    model = od.STE(penalty=0, random_state=0).fit(first)
    model.partial_fit(od.Comparisons([[0, 1, 2]], weights=[3.0], names=["new", "c", "a"]))
    assert model.names_ == ("a", "b", "c", "new")
    np.testing.assert_array_equal(model.answers_.rows, [[0, 1, 2], [1, 0, 2], [3, 2, 0]])
    np.testing.assert_array_equal(model.answers_.weights, [1, 1, 3])
    model.partial_fit([[0, 4, 1]], [False])
    assert model.embedding_.shape == (5, 2)
    np.testing.assert_array_equal(model.answers_.rows[-1], [0, 1, 4])


def test_a_map_keeps_how_it_lies_when_other_starts_are_tried(points):
    answers = random_triplets(points, 4000, random_state=0)
    model = od.CKL(random_state=0).fit(answers[:1500])
    before = model.embedding_.copy()
    turned = model.partial_fit(answers[1500:]).embedding_
    assert np.trace(turned.T @ before) > 0.9 * np.linalg.norm(turned) * np.linalg.norm(before)


def test_partial_fit_refuses_what_it_cannot_add(triplets, points):
    model = od.SOE(random_state=0).fit(triplets)
    with pytest.raises(od.InputError, match="has 20 objects and these comparisons 19; pass"):
        model.partial_fit(od.Comparisons([[0, 1, 2]], n_objects=19))
    model.fit(od.RankedDistances(pdist(points)))
    with pytest.raises(od.InputError, match="adds to answers in memory"):
        model.partial_fit(triplets)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components must be an integer >= 1; got 0"),
        ({"n_components": 2.0}, "n_components must be an integer >= 1; got 2.0"),
        ({"n_init": 0}, "n_init must be"),
        ({"max_iter": -1}, "max_iter must be"),
        ({"tol": -1e-3}, "tol must be a number in"),
        ({"init": "pca"}, "init must be one of 'spectral', 'random'; got 'pca'"),
        ({"init": np.zeros((3, 2))}, "init has 3 rows; expected 20"),
        ({"init": np.zeros((20, 3))}, "init has 3 columns; n_components is 2"),
        ({"delta": 0}, r"delta must be a number in \(0, inf\)"),
        ({"random_state": -1}, "random_state must be"),
    ],
)
def test_bad_parameters_are_named(parameters, message, triplets):
    with pytest.raises(od.InputError, match=message):
        od.SOE(**parameters).fit(triplets)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (od.CKL(mu=0), "mu must be"),
        (od.TSTE(alpha=-1), "alpha must be"),
        (od.TETE(t=0.5), r"t must be a number in \[1, 2\]"),
        (od.TETE(t_prime=3), r"t_prime must be a number in \[1, 2\]"),
        (od.STE(penalty=-1), r"penalty must be a number in \[0, inf\)"),
    ],
)
def test_bad_loss_parameters_are_named(model, message, triplets):
    with pytest.raises(od.InputError, match=message):
        model.fit(triplets)


def test_unfitted_and_unknown_objects(triplets):
    with pytest.raises(NotFittedError):
        od.SOE().predict(triplets)
    model = od.SOE(random_state=0).fit(triplets)
    with pytest.raises(od.InputError, match="Object 25 was not in the fit, which had 20 objects"):
        model.predict([[0, 1, 25]])


def test_starts_are_drawn_when_they_are_needed(monkeypatch):
    few = od.SOE(n_init=5, random_state=0).fit([[0, 1, 2], [1, 2, 3], [3, 0, 1]])
    monkeypatch.setattr(embedding, "_STARTS_AT_ONCE", 2)
    sizes = []
    solve = od.SOE._solve

    def watched(self, problem, starts):
        sizes.append(len(starts))
        return solve(self, problem, starts)

    monkeypatch.setattr(od.SOE, "_solve", watched)
    same = od.SOE(n_init=5, random_state=0).fit([[0, 1, 2], [1, 2, 3], [3, 0, 1]])
    assert sizes == [2, 2, 1]
    np.testing.assert_array_equal(same.embedding_, few.embedding_)

"""Dimensions found again, predictions, new objects, refusals."""

import numpy as np
import pytest
from sklearn.base import clone

import ordinate as od
from ordinate.dimensions.answers import answers_of
from ordinate.dimensions.objective import TrialObjective
from ordinate.dimensions.sparse_fit import (
    Penalty,
    _judged,
    fit_loadings,
    partners,
    random_loadings,
)
from ordinate.solvers.lbfgs import lbfgs

KINDS = np.repeat(np.eye(3), 10, axis=0) * 2.5
NAMES = [f"{kind}{number}" for kind in ("animal", "food", "tool") for number in range(10)]


def planted(n_trials=3000, seed=0, **options):
    trials = od.sources.random_trials(KINDS, n_trials, random_state=seed)
    return od.Trials(trials.rows, names=NAMES, **options)


@pytest.fixture(scope="module")
def model():
    features = KINDS @ np.random.default_rng(3).normal(size=(3, 6))
    fit = od.SparseDimensions(12, penalty=(3.0, 1.0), n_init=3, random_state=0)
    return fit.fit(planted(), features=features)


def test_planted_dimensions_are_found_and_the_others_left_out(model):
    assert model.n_dimensions_ == 3
    assert model.embedding_.min() >= 0
    together = np.corrcoef(model.embedding_.T, KINDS.T)[:3, 3:]
    assert (together.max(axis=0) > 0.95).all()
    assert (model.reproducibility_ > 0.9).all()
    assert model.p_value_ < 1e-6
    low, high = model.held_out_interval_
    assert 1 / 3 < low < model.held_out_accuracy_ < high
    assert (model.intervals_[0] <= model.embedding_).all()
    assert (model.intervals_[1] >= model.embedding_).all()
    assert model.shares_.sum() == pytest.approx(1)
    assert model.converged_


@pytest.mark.usual_data
def test_held_out_trials_are_predicted_nearly_as_by_the_truth(model):
    held_out = planted(5000, seed=1)
    truth = KINDS @ KINDS.T
    i, j, k = held_out.rows.T
    best = truth[i, j] > np.maximum(truth[i, k], truth[j, k])
    tied = (truth[i, j] == truth[i, k]) & (truth[i, j] == truth[j, k])
    assert model.score(held_out) > best.mean() + tied.mean() / 3 - 0.03


def test_predictions_do_not_see_the_answers(model):
    trials = planted(200, seed=2)
    other_way = od.Trials(trials.rows[:, [2, 0, 1]], names=NAMES)
    np.testing.assert_array_equal(model.predict(trials), model.predict(other_way))
    odd = model.predict_proba(trials)
    np.testing.assert_allclose(odd.sum(axis=1), 1)
    np.testing.assert_allclose(model.predict_proba(other_way), odd[:, [2, 0, 1]])
    clear = od.Trials([["animal0", "animal1", "tool3"]], names=NAMES)
    assert model.predict(clear).tolist() == ["tool3"]
    assert model.predict_proba(clear)[0, 2] > 0.8


def test_objects_are_matched_by_label(model):
    trials = planted(500, seed=3)
    labels = np.array(NAMES)[trials.rows]
    assert model.score(od.Trials(labels)) == model.score(trials)
    with pytest.raises(od.InputError, match="'new' was not in the fit"):
        model.score(od.Trials([["new", "food1", "tool1"]]))


def test_a_new_object_from_trials(model):
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(150):  # it is a food
        food, other = (
            f"food{rng.integers(10)}",
            f"{rng.choice(['animal', 'tool'])}{rng.integers(10)}",
        )
        rows.append(["cake", food, other])
    (cake,) = model.transform(od.Trials(rows))
    food = model.embedding_[NAMES.index("food0")].argmax()
    assert cake.argmax() == food
    assert cake[food] > 3 * np.delete(cake, food).max()
    with pytest.raises(od.InputError, match="expected a new one"):
        model.transform(planted(50))


def test_a_new_object_from_features(model):
    features = KINDS @ np.random.default_rng(3).normal(size=(3, 6))
    predicted = model.transform(features[::10])
    np.testing.assert_array_equal(predicted.argmax(axis=1), model.embedding_[::10].argmax(axis=1))
    assert predicted.min() >= 0
    with pytest.raises(od.InputError, match="2 features; the fit had 6"):
        model.transform(np.ones((1, 2)))
    with pytest.raises(od.InputError, match="knows no features"):
        od.SparseDimensions(5, penalty=(3.0, 1.0), n_init=1, random_state=0).fit(
            planted()
        ).transform(features)


def test_similarity_is_how_often_pairs_are_kept_together(model):
    similar = model.similarity()
    np.testing.assert_allclose(similar, similar.T)
    odds = np.exp(model.embedding_ @ model.embedding_.T)
    others = [k for k in range(30) if k not in (0, 1)]
    by_hand = np.mean([odds[0, 1] / (odds[0, 1] + odds[0, k] + odds[1, k]) for k in others])
    assert similar[0, 1] == pytest.approx(by_hand)


def test_notebooks_show_cards(model):
    assert "Find a dimension" in model._repr_mimebundle_()["text/html"]
    assert "Find a dimension" not in od.SparseDimensions()._repr_mimebundle_()["text/html"]


def test_the_same_seed_gives_the_same_bits(model):
    other = clone(model).set_params(n_jobs=1).fit(planted())
    np.testing.assert_array_equal(other.embedding_, model.embedding_)


def test_weights_and_triplets():
    trials = planted(3000)
    weighted = od.Trials(
        np.vstack([trials.rows, trials.rows[:, ::-1]]), weights=np.repeat([1, 0], 3000), names=NAMES
    )
    fit = od.SparseDimensions(6, penalty=(3.0, 1.0), n_init=1, random_state=0)
    np.testing.assert_array_equal(
        clone(fit).fit(weighted).embedding_, clone(fit).fit(trials).embedding_
    )
    triplets = trials.to_comparisons()
    assert fit.fit(triplets).score(triplets) > 0.7
    assert fit.predict_proba(triplets)[:, 0].max() == 0


@pytest.mark.usual_data
def test_the_penalty_is_chosen_by_held_out_trials():
    fit = od.SparseDimensions(6, n_init=1, random_state=0).fit(planted(800))
    error = np.sqrt(0.25 / 240)  # of three tenths of the trials
    best = fit.search_.accuracies[fit.search_.penalties.index(fit.search_.best)]
    assert best >= fit.search_.accuracies.max() - error
    near = fit.search_.accuracies >= fit.search_.accuracies.max() - error
    assert fit.search_.best in np.array(fit.search_.penalties, dtype=object)[near]
    assert fit.penalty_ == (fit.search_.best.linear, fit.search_.best.squared)
    assert best > 0.5


def test_answers_that_contradict_one_another_leave_no_dimension():
    circle = od.Comparisons([[0, 1, 2], [1, 2, 0], [2, 0, 1]])
    with pytest.warns(UserWarning, match="No dimension is supported by these answers"):
        found = od.SparseDimensions(random_state=0).fit(circle)
    assert found.embedding_.shape == (3, 0)


def test_a_penalty_that_leaves_no_dimension_is_refused():
    few = od.sources.random_trials(np.ones((60, 1)), 60, random_state=0)
    with pytest.raises(od.InputError, match="Choose smaller weights"):
        od.SparseDimensions(3, n_init=1, penalty=(0.0, 30.0)).fit(few)


@pytest.mark.usual_data
def test_few_trials_say_how_many_more_there_should_be():
    rng = np.random.default_rng([7, 3])
    truth = (rng.random((60, 4)) < 0.3) * rng.gamma(3.0, 0.6, (60, 4))
    trials = od.sources.random_trials(truth, 600, random_state=3)
    with pytest.warns(UserWarning, match=r"600 odd-one-out trials are few for \d dim.* more raise"):
        found = od.SparseDimensions(random_state=0).fit(trials)
    assert found.n_dimensions_ > 0


def test_penalties_are_judged_by_similarities_to_scale():
    trials = planted(600)
    answers = answers_of(trials._record, are_trials=True)
    right, wrong = _judged([KINDS], [answers]), _judged([KINDS[::-1].cumsum(axis=0)], [answers])
    exaggerated = _judged([2 * KINDS], [answers])
    assert exaggerated.mean == pytest.approx(right.mean, abs=1e-3)
    assert right.mean < wrong.mean


def test_bad_arguments_are_refused():
    with pytest.raises(od.InputError, match="may be either"):
        od.SparseDimensions().fit([[0, 1, 2]])
    with pytest.raises(od.InputError, match="'auto' or two numbers"):
        od.SparseDimensions(penalty=3.0).fit(planted(50))
    with pytest.raises(od.InputError, match="quadruplets"):
        od.SparseDimensions().fit(od.Comparisons([[0, 1, 2, 3]]))
    with pytest.raises(od.InputError, match="No dimension carries anything"):
        od.SparseDimensions(3, penalty=(50.0, 50.0), n_init=1, random_state=0).fit(planted(100))


@pytest.mark.usual_data
def test_noise_does_not_become_dimensions():
    rng = np.random.default_rng([40, 1])
    truth = (rng.random((30, 4)) < 0.3) * rng.gamma(3.0, 0.6, (30, 4))
    trials = od.sources.random_trials(truth, 2500, random_state=1)
    found = od.SparseDimensions(9, n_init=1, random_state=0).fit(trials)
    assert found.n_dimensions_ == 4  # the penalty with the highest accuracy leaves nine
    assert partners(truth, found.embedding_).min() > 0.9


def test_empty_dimensions_are_left_out_on_the_way():
    objective = TrialObjective(planted().rows, None)
    start = random_loadings(30, 20, np.random.default_rng(0))
    penalty = Penalty(3.0, 1.0)
    found = fit_loadings(objective, penalty, start, max_iter=200, tol=1e-4)
    assert found.points.shape[1] < 10
    assert found.converged
    whole = lbfgs(penalty.added_to(objective), start, max_iter=200, tol=1e-4, minimum=0.0)
    assert found.value == pytest.approx(whole.value, rel=1e-3)
    assert (np.diff(found.history) <= 1e-6 * found.history[0]).all()
    stopped = fit_loadings(objective, penalty, start, max_iter=12, tol=1e-4)
    assert stopped.n_iter == 12
    assert not stopped.converged


def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(od.InputError, match="device"):
        od.SparseDimensions(3, device="tpu").fit(planted(50))

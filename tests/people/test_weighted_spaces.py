"""Weighted spaces: what was planted is found, and nothing where nothing was."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import ordinate as od
from ordinate.people.joint_fit import joint_diagonalizer
from ordinate.people.weighted_spaces import POOLED

from .conftest import ask


@pytest.fixture(scope="module")
def fitted(study):
    return od.WeightedSpaces(random_state=0).fit(study[2])


@pytest.mark.usual_data
def test_planted_weights_and_axes_are_found(study, fitted):
    points, logs, train, test = study
    found = np.log(fitted.weights_[:, 0] / fitted.weights_[:, 1])
    assert abs(np.corrcoef(found, logs[:, 0] - logs[:, 1])[0, 1]) > 0.8
    correlation = np.abs(np.corrcoef(fitted.embedding_.T, points.T)[:2, 2:])
    assert np.sort(correlation.max(axis=1)).tolist() == pytest.approx([1, 1], abs=0.05)
    assert fitted.tau_ == pytest.approx(np.std(logs[:, 0] - logs[:, 1]) / 2**0.5, abs=0.35)
    pooled = od.STE(random_state=0).fit(train)
    assert 1 - fitted.score(test) < 0.8 * (1 - pooled.score(test))
    assert fitted.converged_


def test_axes_come_in_the_order_of_how_much_people_differ(fitted):
    spread = np.log(fitted.weights_).std(axis=0)
    assert spread[0] >= spread[1]


@pytest.mark.parametrize("loss", ["SOE", "TSTE", "TETE"])
def test_other_losses_learn_weights_too(study, loss):
    train, test = study[2:]
    model = od.WeightedSpaces(loss=loss, random_state=0).fit(train)
    assert (model.lapse_rate_ is None) == (loss != "TSTE")
    assert ((model.reliability_ > 0) & (model.reliability_ <= 1)).all()
    assert model.score(test) > POOLED[loss](random_state=0).fit(train).score(test)


@pytest.mark.parametrize("loss", list(POOLED))
def test_people_who_are_all_alike_share_the_pooled_map_exactly(study, loss):
    train = study[2]
    model = od.WeightedSpaces(loss=loss, tau=0.0, noise="shared", random_state=0).fit(train)
    pooled = POOLED[loss](random_state=0).fit(train)
    np.testing.assert_array_equal(model.embedding_, pooled.embedding_)
    assert (model.weights_ == 1).all()
    assert (model.sharpness_ == 1).all()
    assert model.tau_ == 0
    assert model.lapse_rate_ is None
    np.testing.assert_array_equal(model.predict(train), pooled.predict(train))


def test_no_differences_are_seen_where_there_are_none(study):
    points = np.random.default_rng([3]).standard_normal((15, 2))
    # noise of their own is seen by chance in a study of alike people now and then, not in this one
    train = ask(points, np.ones((10, 2)), 60, seed=[1])
    model = od.WeightedSpaces(random_state=0).fit(train)
    assert model.tau_ == 0
    assert (model.weights_ == 1).all()
    assert (model.lapse_rate_ == 0).all()
    pooled = od.STE(penalty=0, random_state=0).fit(train)
    np.testing.assert_array_equal(model.embedding_, pooled.embedding_)
    placed = model.place_participant(train.rows[:60])
    assert placed.weights.tolist() == [1, 1]
    assert (placed.sharpness, placed.lapse_rate) == (1, 0)


def test_people_who_are_alike_but_for_their_sharpness(study):
    sharpness = np.repeat([0.2, 5.0], 5)[:, None]
    train = ask(study[0], sharpness * np.ones((10, 2)), 100, seed=1)
    model = od.WeightedSpaces(tau=0.0, random_state=0).fit(train)
    assert model.sharpness_[:5].max() < model.sharpness_[5:].min()


def test_lapses_are_fitted_where_they_are_seen(study, fitted):
    train, test = study[2:]
    assert (fitted.lapse_rate_ == 0).all()
    flip = np.random.default_rng(0).random(len(train)) < 0.1
    lapsing = od.Comparisons(train.rows, ~flip, n_objects=15, groups=train.groups)
    model = od.WeightedSpaces(random_state=0).fit(lapsing)
    assert np.mean(model.lapse_rate_) == pytest.approx(0.2, abs=0.1)
    without = od.WeightedSpaces(noise="shared", random_state=0).fit(lapsing)
    assert model.score(test) > without.score(test)


@pytest.mark.usual_data
def test_tau_that_is_given_stays(study):
    model = od.WeightedSpaces(tau=0.3, random_state=0).fit(study[2])
    assert model.tau_ == 0.3
    assert np.log(model.weights_).std() < 0.9


@pytest.mark.usual_data
def test_somebody_who_guesses_has_a_low_reliability(study):
    train = study[2]
    rows = train.rows.copy()
    guesses = train.groups["participant"] == "P03"
    flip = guesses & (np.random.default_rng(0).random(len(rows)) < 0.5)
    mixed = od.Comparisons(rows, ~flip, n_objects=15, groups=train.groups)
    model = od.WeightedSpaces(random_state=0).fit(mixed)
    # guessing shows as lapses, as blunt distances, or both
    assert np.argmin(model.reliability_) == 3
    assert model.reliability_[3] < 0.5 * np.delete(model.reliability_, 3).min()


@pytest.mark.usual_data
def test_a_new_participant_is_placed_on_the_map(study, fitted):
    points, logs, *_ = study
    new = ask(points, np.exp(logs[:1]), 300, seed=9)
    placed = fitted.place_participant(new)
    own = np.log(fitted.weights_[0])
    assert np.log(placed.weights[0] / placed.weights[1]) == pytest.approx(own[0] - own[1], abs=0.8)
    assert 0 <= placed.lapse_rate < 0.3
    few = fitted.place_participant(new.rows[:1])
    assert np.abs(np.log(few.weights)).max() < 0.5 * np.abs(np.log(placed.weights)).max()


def test_scores_by_participant(study, fitted):
    test = study[3]
    scores = fitted.score_participants(test)
    sizes = np.bincount(np.unique(test.groups["participant"], return_inverse=True)[1])
    assert scores @ sizes / sizes.sum() == pytest.approx(fitted.score(test))
    some = test[test.groups["participant"] == "P02"]
    assert np.flatnonzero(~np.isnan(fitted.score_participants(some))).tolist() == [2]
    assert fitted.score_participants(some)[2] == pytest.approx(fitted.score(some))


def test_strangers_are_taken_to_weigh_all_axes_alike(study, fitted):
    test = study[3]
    margins = fitted.decision_function(test.rows)
    i, j, k = fitted.embedding_[test.rows.T]
    expected = np.linalg.norm(i - k, axis=1) - np.linalg.norm(i - j, axis=1)
    np.testing.assert_allclose(margins, expected)
    stranger = od.Comparisons(test.rows, groups={"participant": ["nobody"] * len(test)})
    np.testing.assert_allclose(fitted.decision_function(stranger), expected)


def test_the_space_of_a_participant_has_their_distances(study, fitted):
    test = study[3]
    own = test[test.groups["participant"] == "P07"]
    i, j, k = fitted.space_of("P07")[own.rows.T]
    expected = np.linalg.norm(i - k, axis=1) - np.linalg.norm(i - j, axis=1)
    np.testing.assert_allclose(fitted.decision_function(own), expected)
    with pytest.raises(od.InputError, match="There was no participant 'Zoe' in the fit"):
        fitted.space_of("Zoe")


def test_new_objects_are_placed_by_those_who_know_the_axes(study):
    train, test = study[2:]
    old = (train.rows < 14).all(axis=1)
    known = od.Comparisons(
        train.rows[old], n_objects=14, groups={"participant": train.groups["participant"][old]}
    )
    model = od.WeightedSpaces(random_state=0).fit(known)
    placed = model.transform(train)
    np.testing.assert_array_equal(placed[:14], model.embedding_)
    model.embedding_ = placed
    assert model.score(test[(test.rows == 14).any(axis=1)]) > 0.85


def test_numbers_are_labels_too(study, fitted):
    train = study[2]
    codes = np.unique(train.groups["participant"], return_inverse=True)[1] + 100
    record = od.Comparisons(train.rows, n_objects=15, groups={"who": codes})
    model = clone(fitted).set_params(by="who").fit(record)
    assert model.participants_.tolist() == list(range(100, 110))
    np.testing.assert_array_equal(model.weights_, fitted.weights_)
    as_text = od.Comparisons(train.rows, groups={"who": codes.astype(str)})
    np.testing.assert_array_equal(model.predict(as_text), model.predict(record))


def test_a_sample_weight_of_two_is_two_answers(study):
    train = study[2]  # all ten people: the distribution of a few is hardly determined
    heavy = np.arange(len(train)) % 3 == 0
    model = od.WeightedSpaces(random_state=0, tol=1e-5, max_iter=5000, tau=0.5)
    weighted = clone(model).fit(train, sample_weight=np.where(heavy, 2.0, 1.0))
    twice = clone(model).fit(od.Comparisons.concatenate([train, train[heavy]]))
    np.testing.assert_allclose(weighted.weights_, twice.weights_, rtol=0.02)
    np.testing.assert_allclose(weighted.reliability_, twice.reliability_, atol=2e-3)


def test_same_seed_same_bits_for_any_number_of_threads(study, fitted):
    again = clone(fitted).set_params(n_jobs=1).fit(study[2])
    np.testing.assert_array_equal(again.embedding_, fitted.embedding_)
    np.testing.assert_array_equal(again.weights_, fitted.weights_)
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.predict(study[3]), fitted.predict(study[3]))


def test_quadruplets_and_signed_answers(study):
    train = study[2]
    model = od.WeightedSpaces(random_state=0).fit(train.to_quadruplets(), np.ones(len(train), int))
    assert set(model.predict(train.to_quadruplets())) == {-1, 1}


ROWS = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1]]


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        (None, r"There is no group 'participant' .* \(the groups are: none\)"),
        ({"who": [1, 1, 2, 2]}, r"the groups are: 'who'\); name the column .* by="),
        ({"participant": ["Al"] * 4}, r"All answers are by one participant \(Al\)"),
        ({"participant": [1, 2, 3, 4]}, "Each of the 4 participants gave one answer"),
    ],
)
def test_who_answered_must_be_known(groups, words):
    with pytest.raises(od.InputError, match=words):
        od.WeightedSpaces().fit(od.Comparisons(ROWS, groups=groups))


def test_a_participant_with_one_answer_stays_near_the_others(study):
    train = study[2]
    who = train.groups["participant"]
    keep = (who != "P05") | (np.cumsum(who == "P05") == 1)
    model = od.WeightedSpaces(random_state=0).fit(train[keep])
    assert model.n_answers_[5] == 1
    assert np.abs(np.log(model.weights_[5])).max() < np.log(model.weights_).std()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_components": 1}, "A map with one axis has no weights"),
        ({"loss": "CKL"}, "loss must be one of 'SOE'"),
        ({"noise": "none"}, "noise must be one of 'individual', 'shared'"),
        ({"tau": "auto"}, "tau must be one of 'learned'"),
        ({"tau": -1}, "tau must be"),
        ({"by": ["participant"]}, r"There is no group \['participant'\] that says"),
    ],
)
def test_parameters_are_checked(study, parameters, words):
    with pytest.raises(od.InputError, match=words):
        od.WeightedSpaces(**parameters).fit(study[2])


def test_comparisons_on_a_cluster_are_refused(study):
    pytest.importorskip("dask")
    import dask.array

    rows = dask.array.from_array(study[2].rows, chunks=(100, 3))
    with pytest.raises(od.InputError, match="This needs comparisons in memory"):
        od.WeightedSpaces().fit(od.from_dask(rows))


def test_a_fit_that_is_cut_short_warns_once(study):
    with pytest.warns(ConvergenceWarning, match="WeightedSpaces stopped after max_iter=3") as seen:
        od.WeightedSpaces(max_iter=3, random_state=0).fit(study[2])
    assert len(seen) == 1


def test_unknown_objects_and_unfitted_models_are_refused(fitted):
    with pytest.raises(od.InputError, match="Object 40 was not in the fit"):
        fitted.predict([[0, 1, 40]])
    with pytest.raises(NotFittedError):
        od.WeightedSpaces().predict(ROWS)


def test_the_axes_of_matrices_that_share_them():
    rng = np.random.default_rng(0)
    axes = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    matrices = np.array([axes @ np.diag(rng.standard_normal(4)) @ axes.T for _ in range(6)])
    found = np.abs(joint_diagonalizer(matrices).T @ axes)
    np.testing.assert_allclose(np.sort(found, axis=1)[:, -1], 1, atol=1e-6)

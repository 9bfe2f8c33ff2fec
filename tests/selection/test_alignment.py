"""Alignment judged on people and objects that the fit did not see."""

import numpy as np
import pytest

import ordinate as od
from ordinate.selection._alignment import _set_aside

STIFF = {"kernel": "linear", "share": 0.97, "variance": 1.0}


def people_who_look_at_two_of_ten_features(n_trials=2000):
    rng = np.random.default_rng(0)
    features = rng.normal(size=(60, 10))
    seen = 3 * features[:, :2]
    alike = -np.square(seen[:, None] - seen).sum(axis=2)
    trials = od.sources.random_trials(alike, n_trials, similarity="precomputed", random_state=0)
    person = rng.integers(10, size=n_trials)
    return od.Trials(trials.rows, groups={"participant": person}, n_objects=60), features


@pytest.mark.usual_data
def test_alignment_predicts_other_people_and_new_objects():
    trials, features = people_who_look_at_two_of_ten_features()
    model = od.FeatureEmbedding(5, prior=STIFF)
    found = od.score_alignment(trials, features, model, similarity="euclidean", random_state=0)
    assert [row.held_out for row in found.rows] == ["people", "objects", "both"]
    for row in found.rows:
        assert row.gain_low > 0.1
        assert row.low < row.after < row.high
        assert row.gain == pytest.approx(row.after - row.before)
    assert "gain in points" in str(found)
    assert len(found.to_dict()["rows"]) == 3


@pytest.mark.usual_data
def test_maps_of_dot_products_are_judged_by_dot_products():
    rng = np.random.default_rng([5])
    kinds = np.repeat(np.eye(3), 20, axis=0)
    features = np.hstack([kinds, rng.normal(size=(60, 10))])
    trials = od.sources.random_trials(2 * kinds, 1500, random_state=0)
    model = od.FeatureEmbedding(10, similarity="dot", prior=STIFF, n_init=2)
    for row in od.score_alignment(trials, features, model, random_state=0).rows:
        assert row.gain_low > 0.05


def test_uninformative_answers_gain_nothing():
    trials, features = people_who_look_at_two_of_ten_features()
    rng = np.random.default_rng(1)
    random = od.Trials(rng.permuted(trials.rows, axis=1), groups=trials.groups, n_objects=60)
    model = od.FeatureEmbedding(5, prior=STIFF)
    for row in od.score_alignment(random, features, model, random_state=0).rows:
        assert abs(row.after - 1 / 3) < 0.15  # some 6 standard errors


def test_questions_are_held_out_where_there_are_few_people():
    trials, features = people_who_look_at_two_of_ten_features(600)
    model = od.FeatureEmbedding(2, prior=STIFF)
    found = od.score_alignment(
        od.Trials(trials.rows, n_objects=60), features, model, random_state=0
    )
    assert found.rows[0].held_out == "answers"
    assert found.rows[0].n_answers == pytest.approx(120, abs=10)


def test_too_few_answers_are_refused():
    model = od.FeatureEmbedding(1, prior=STIFF)
    with pytest.raises(od.InputError, match="No answer is left to fit"):
        od.score_alignment([[0, 1, 2], [1, 2, 0]], np.eye(3), model, test_size=0.6, random_state=0)


def test_accuracy_is_that_of_a_split_made_outside():
    trials, features = people_who_look_at_two_of_ten_features(800)
    model = od.FeatureEmbedding(3, prior=STIFF)
    found = od.score_alignment(trials, features, model, random_state=0).rows[0]
    people = trials.groups["participant"]
    new = np.isin(people, np.flatnonzero(_set_aside(10, 0.2, np.random.default_rng(0))))
    model.set_params(random_state=0).fit(trials[~new], features=features)
    assert found.n_answers == new.sum()
    assert found.after == pytest.approx(model.score(trials[new]), abs=0.01)

"""Groups of people: planted ones are found, and their number."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

import ordinate as od
from ordinate.people.mixture import MapMixture

from .conftest import ask

GROUP = np.arange(12) % 3


@pytest.fixture(scope="module")
def groups():
    """Twelve people in three groups with maps of their own."""
    maps = np.random.default_rng(0).standard_normal((3, 10, 2))
    rows = [ask(maps[GROUP[p]], np.ones((1, 2)), 60, seed=p).rows for p in range(12)]
    people = np.repeat([f"P{p:02d}" for p in range(12)], 60)
    return maps, od.Comparisons(np.vstack(rows), n_objects=10, groups={"participant": people})


@pytest.fixture(scope="module")
def fitted(groups):
    return od.GroupMaps(n_groups=3, n_init=4, random_state=0).fit(groups[1])


@pytest.mark.usual_data
def test_planted_groups_are_found(groups, fitted):
    assert adjusted_rand_score(GROUP, fitted.groups_) == 1
    np.testing.assert_allclose(fitted.memberships_.sum(axis=1), 1)
    assert fitted.shares_.sum() == pytest.approx(1)
    assert fitted.embeddings_.shape == (3, 10, 2)
    assert fitted.converged_
    pooled = od.STE(random_state=0).fit(groups[1])
    assert fitted.score(groups[1]) > pooled.score(groups[1]) + 0.1


@pytest.mark.usual_data
def test_their_number_is_chosen_by_held_out_answers(groups):
    model = od.GroupMaps(n_init=2, max_groups=4, random_state=0).fit(groups[1])
    assert model.n_groups_ == 3
    assert np.argmax(model.held_out_) == 2
    assert len(model.held_out_) == 4


def test_rounds_raise_the_likelihood(groups):
    _, answers = groups
    people = np.unique(answers.groups["participant"], return_inverse=True)[1]
    rng = np.random.default_rng(0)
    maps = [rng.standard_normal((10, 2)) for _ in range(2)]
    mixture = MapMixture(answers, people, od.losses.ste, [], maps)
    values = []
    for _ in range(6):
        mixture.run(1, 0.0)
        values.append(mixture.log_likelihood)
    assert values[1] > values[0] + 10
    assert (np.diff(values) >= 0).all()


def test_memberships_follow_from_bayes_rule(groups, fitted):
    _, answers = groups
    person = answers[answers.groups["participant"] == "P04"]
    joint = [
        np.log(share) + np.log(np.clip(_probabilities(points, person.rows), 1e-300, 1)).sum()
        for share, points in zip(fitted.shares_, fitted.embeddings_, strict=True)
    ]
    expected = np.exp(joint - np.max(joint)) / np.exp(joint - np.max(joint)).sum()
    np.testing.assert_allclose(fitted.place_participant(person), expected, atol=1e-9)
    np.testing.assert_allclose(fitted.memberships_[4], expected, atol=1e-6)
    np.testing.assert_array_equal(fitted.space_of("P04"), fitted.embeddings_[fitted.groups_[4]])


def _probabilities(points, rows):
    anchor, near, far = points[rows.T]
    margin = np.sum((anchor - far) ** 2 - (anchor - near) ** 2, axis=1)
    return expit(margin)


def test_answers_of_strangers_go_by_the_shares(groups, fitted):
    rows = groups[1].rows[:50]
    on_maps = np.array([_probabilities(points, rows) for points in fitted.embeddings_])
    np.testing.assert_allclose(fitted.predict_proba(rows)[:, 1], fitted.shares_ @ on_maps)
    np.testing.assert_array_equal(fitted.predict(rows), fitted.shares_ @ on_maps > 0.5)


def test_scores_by_participant(groups, fitted):
    answers = groups[1]
    scores = fitted.score_participants(answers)
    assert scores.mean() == pytest.approx(fitted.score(answers))  # all gave as many
    some = answers[answers.groups["participant"] == "P02"]
    assert np.flatnonzero(~np.isnan(fitted.score_participants(some))).tolist() == [2]


@pytest.mark.filterwarnings("ignore:GroupMaps stopped after max_iter")
def test_new_objects_are_placed_on_every_map(groups):
    """Places get 2 ± 2 points fewer of the answers right than the true ones; seven deviations."""
    maps, answers = groups
    old = (answers.rows < 9).all(axis=1)
    people = answers.groups["participant"][old]
    known = od.Comparisons(answers.rows[old], n_objects=9, groups={"participant": people})
    model = od.GroupMaps(n_groups=3, n_init=4, random_state=0).fit(known)
    placed = model.transform(answers)
    assert placed.shape == (3, 10, 2)
    np.testing.assert_array_equal(placed[:, :9], model.embeddings_)
    new = (answers.rows == 9).any(axis=1)
    model.embeddings_, model.embedding_ = placed, placed[0]
    group = GROUP[np.arange(len(answers)) // 60]
    margins = [od.metrics.triplet_margins(answers, points) for points in maps]
    true = np.mean(np.choose(group, margins)[new] > 0)
    assert model.score(answers[new]) > true - 0.17


def test_one_group_is_the_pooled_map(groups):
    model = od.GroupMaps(n_groups=1, random_state=0).fit(groups[1])
    pooled = od.STE(random_state=0).fit(groups[1])
    assert model.score(groups[1]) == pytest.approx(pooled.score(groups[1]), abs=0.02)


def test_same_seed_same_bits(groups, fitted):
    again = clone(fitted).set_params(n_jobs=1).fit(groups[1])
    np.testing.assert_array_equal(again.embeddings_, fitted.embeddings_)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_groups": 13}, "n_groups must be"),
        ({"n_groups": "many"}, "n_groups must be one of 'auto'"),
        ({"loss": "SOE"}, "loss must be one of 'STE', 'TSTE'"),
        ({"by": "who"}, "There is no group 'who'"),
    ],
)
def test_parameters_are_checked(groups, parameters, words):
    with pytest.raises(od.InputError, match=words):
        od.GroupMaps(**parameters).fit(groups[1])

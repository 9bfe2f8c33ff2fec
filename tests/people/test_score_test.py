"""The test of one map for all: people who differ are found, whatever their noise."""

import numpy as np
import pytest

import ordinate as od
from ordinate._person_effects import PersonEffectTest
from ordinate.people.score_test import _failing, _is_choice


def two_groups(rng, weights, deviations, n_people=20, n_answers=60):
    """Ask people, every second of whom weighs the axes, about triplets."""
    points = rng.standard_normal((20, 2))
    people = np.repeat(np.arange(n_people), n_answers)
    seen = points * np.sqrt(np.where(np.arange(n_people)[:, None] % 2, weights, 1.0))[:, None]
    asked = np.argsort(rng.random((len(people), 20)), axis=1)[:, :3]
    anchor, first, second = (seen[people, asked[:, at]] for at in range(3))
    gaps = np.linalg.norm(anchor - first, axis=1), np.linalg.norm(anchor - second, axis=1)
    noise = np.resize(deviations, n_people)[people] * np.sqrt(2) * rng.standard_normal(len(people))
    holds = gaps[0] + noise < gaps[1]
    return od.Comparisons(asked, holds, n_objects=20, groups={"participant": people})


def views(answers):
    model = od.WeightedSpaces(2, tau=0.0, random_state=0, n_jobs=1).fit(answers)
    return model.shared_map(answers).own_views(199, np.random.default_rng(0))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_two_groups_are_found_though_half_of_the_people_are_careless():
    rng = np.random.default_rng([13])
    found = views(two_groups(rng, (1.8, 0.4), (0.1, 0.1, 1.0, 1.0), n_answers=45))
    assert found.weights.p_value <= 0.05, "it was 1.0 with residuals of all people together"


def test_one_person_alone_may_decide():
    drawn = np.random.default_rng([0]).chisquare(2, size=(10, 199))
    usual, unlike = np.full(10, 2.0), np.r_[40.0, np.full(9, 2.0)]
    together = np.r_[20.0, drawn.sum(axis=0)][None]
    assert PersonEffectTest(unlike, drawn, together).p_value == 0.01, "twice that of the draws"
    assert PersonEffectTest(usual, drawn, together).p_value > 0.5


def test_the_closest_pair_of_a_trial_is_drawn_by_luces_rule():
    """Of a choice at most one row fails, each with its share; other rows fail together."""
    odds = np.array([0.0, np.log(2), 1.0, -1.0, 0.5, 0.5])
    decision = np.array([0, 0, 1, 2, 3, 3])
    turned = np.array([False, False, False, True, False, False])
    choice = np.array([True, True, True, True, False, False])
    first, last = _failing(odds, decision, turned, choice)
    np.testing.assert_allclose((last - first)[:2], [1 / 2.5, 0.5 / 2.5])
    np.testing.assert_allclose([last[0], first[0], first[1]], [1.0, last[1], 1 / 2.5])
    np.testing.assert_allclose((last - first)[2:], 1 / (1 + np.exp(odds[2:])))
    assert (first[4], last[4]) == (first[5], last[5]), "they stand or fall together"


def test_only_one_pair_against_several_others_is_a_choice():
    rows = [[0, 1, 2], [1, 0, 2], [0, 1, 2], [0, 2, 3], [0, 1, 2], [0, 1, 2]]
    trial = np.array([0, 0, 1, 1, 2, 2])
    answers = od.Comparisons(rows, groups={"trial": trial}, n_objects=4)
    found = _is_choice(answers, trial).tolist()
    assert found == [True, True, False, False, False, False], "two near pairs; one question twice"
    assert not _is_choice(od.Comparisons(rows, n_objects=4), trial).any()

"""Answers that were read the wrong way round are noticed; others are left in peace."""

import itertools
import os

import numpy as np
import pytest

import ordinate as od
from ordinate import sources
from ordinate.selection import _direction
from ordinate.selection._direction import _Agreement


def points(n=15, d=2, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def trials(make, pick, n_trials=300, lapses=0.1, seed=1):
    """Three objects a trial, of which people choose one: the odd one or the most central one."""
    rng = np.random.default_rng(seed)
    places = points()
    shown = np.array([rng.choice(len(places), 3, replace=False) for _ in range(n_trials)])
    far = np.linalg.norm(places[shown] - places[np.roll(shown, 1, axis=1)], axis=2)
    opposite = pick(np.roll(far, 1, axis=1), axis=1)  # the side that faces each object
    chosen = np.where(rng.random(n_trials) < lapses, rng.integers(0, 3, n_trials), opposite)
    return make(shown, shown[np.arange(n_trials), chosen], n_objects=len(places))


RIGHT = {
    "triplets": lambda: sources.random_triplets(points(), 600, random_state=1),
    "quadruplets": lambda: sources.random_quadruplets(points(), 600, random_state=1),
    "odd one out": lambda: trials(sources.from_odd_one_out, np.argmin),
    "most central": lambda: trials(sources.from_most_central, np.argmax),
    "five dimensions": lambda: sources.random_triplets(points(30, 5), 900, random_state=1),
}


@pytest.mark.usual_data
@pytest.mark.parametrize("what", RIGHT)
def test_answers_that_were_reversed_are_noticed(what):
    answers = RIGHT[what]()
    assert not od.check_direction(answers, random_state=0).is_reversed
    turned = od.check_direction(answers.reversed(), random_state=0)
    assert turned.is_reversed
    assert turned.p_value == 1 / 200
    assert turned.reversed_error < 0.3 < turned.error
    assert "fit better the other way round: maps get" in str(turned)


def test_an_odd_one_out_taken_for_the_most_central_one():
    rng = np.random.default_rng(0)
    shown = np.array([rng.permutation(8)[:3] for _ in range(40)])
    odd = sources.from_odd_one_out(shown, shown[:, 0])
    central = sources.from_most_central(shown, shown[:, 0])
    assert {tuple(row) for row in odd.reversed().rows} == {tuple(row) for row in central.rows}


@pytest.mark.parametrize("make", [sources.from_odd_one_out, sources.from_most_central, None])
def test_answers_at_random_are_hardly_ever_suspected(make):
    n_alarms = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        shown = np.array([rng.permutation(10)[:3] for _ in range(100)])
        answers = od.Comparisons(shown) if make is None else make(shown, shown[:, 0])
        n_alarms += od.check_direction(answers, random_state=seed).p_value < 1
    assert n_alarms <= 1


def test_the_measure_is_the_sum_over_triangles_of_answers_to_different_questions():
    rng = np.random.default_rng(0)
    rows = np.array([rng.permutation(5)[:3] for _ in range(12)])
    units = np.array([0, 0, 1, 2, 2, 2, 3, 4, 5, 6, 6, 7])
    answers = od.Comparisons(rows, n_objects=5, weights=np.arange(1, 13))
    agreement = _Agreement(answers, units)
    balances = np.zeros((8, 5, 5))
    for unit, (a, near, far), weight in zip(units, rows, answers.weights, strict=True):
        balances[unit, a, near] += weight
        balances[unit, a, far] -= weight
    balances += balances.transpose(0, 2, 1)
    pairs = np.zeros((8, 5, 5), dtype=bool)
    for unit, (a, near, far) in zip(units, rows, strict=True):
        pairs[unit, [a, a, near, far], [near, far, a, a]] = True
    balances /= np.sqrt(np.maximum(pairs.sum(axis=0), 1))
    signs = np.where(np.arange(8) % 3, 1.0, -1.0)
    expected = sum(
        signs[[u, v, w]].prod() * np.trace(balances[u] @ balances[v] @ balances[w])
        for u, v, w in itertools.permutations(range(8), 3)
    )
    np.testing.assert_allclose(agreement.measure(signs), expected)
    np.testing.assert_allclose(agreement.measure(-signs), -expected)


def test_many_objects_and_many_answers(monkeypatch):
    answers = sources.random_triplets(points(), 3000, random_state=1).reversed()
    units = answers.question_groups()
    dense = _Agreement(answers, units).measure(np.ones(units.max() + 1))
    monkeypatch.setattr(_direction, "_MOST_DENSE", 5)
    monkeypatch.setattr(_direction, "_MOST_ANSWERS", 600)
    np.testing.assert_allclose(_Agreement(answers, units).measure(np.ones(units.max() + 1)), dense)
    found = od.check_direction(answers, random_state=0)
    assert found.is_reversed
    assert found.n_answers == 600


@pytest.mark.parametrize("rows", [[[0, 1, 2]], [[0, 1, 2], [0, 2, 1], [1, 0, 2]]])
def test_too_few_answers_say_nothing(rows):
    found = od.check_direction(od.Comparisons(rows), random_state=0)
    assert not found.is_reversed
    assert "Nothing suggests" in str(found)


@pytest.mark.skipif(not os.environ.get("ORDINATE_DATA"), reason="needs real data: ORDINATE_DATA")
@pytest.mark.parametrize("name", ["cars60", "music400"])
def test_answers_of_people(name):
    answers = getattr(od.datasets, f"load_{name}")().comparisons
    assert od.check_direction(answers, random_state=0).p_value == 1
    assert od.check_direction(answers.reversed(), random_state=0).is_reversed

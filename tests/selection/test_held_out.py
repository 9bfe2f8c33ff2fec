import numpy as np
import pytest

import ordinate as od

POINTS = np.random.default_rng(0).normal(size=(30, 2))


def answers(n_rows, seed=0):
    noise = od.sources.FlippedAnswers(0.1)
    return od.sources.random_triplets(POINTS, n_rows, noise=noise, random_state=seed)


def test_a_fixed_map_gets_its_own_error():
    record = answers(400)
    found = od.held_out_error(record, lambda part: POINTS, random_state=0)
    assert found.error == pytest.approx(od.metrics.triplet_error(record, POINTS))
    assert (found.n_answers, found.folds, found.by) == (400, 20, None)
    assert str(found).startswith(f"{found.error:.1%} ({found.low:.1%} to {found.high:.1%}) of 400")


def test_a_tie_is_a_guess():
    record = answers(100)
    assert od.held_out_error(record, lambda part: np.zeros((30, 2)), random_state=0).error == 0.5


@pytest.mark.usual_data
def test_intervals_hold_as_often_as_they_say():
    found = [
        od.held_out_error(answers(300, seed), lambda part: POINTS, random_state=0)
        for seed in range(200)
    ]
    covered = np.mean([one.low <= 0.1 <= one.high for one in found])
    assert 0.85 <= covered <= 0.95


@pytest.mark.usual_data
def test_maps_that_disagree_make_the_interval_wider():
    record = answers(400)
    steady = od.held_out_error(record, lambda part: POINTS, random_state=0)
    # as wrong on average, but another map for every fold
    shaken = np.random.default_rng(1)
    moved = od.held_out_error(
        record, lambda part: POINTS + shaken.normal(size=POINTS.shape) / 9, random_state=0
    )
    assert moved.high - moved.low > 1.25 * (steady.high - steady.low)


def test_each_map_is_fitted_to_the_other_answers():
    record = answers(300)
    parts = []

    def place(part):
        parts.append(part)
        return POINTS

    od.held_out_error(record, place, folds=4, random_state=0)
    assert sum(len(part) for part in parts) == 3 * len(record)
    question = od.Comparisons.concatenate([record, *parts]).question_groups()
    whole, *others = np.split(question, np.cumsum([300, *(len(part) for part in parts)])[:-1])
    for part in others:
        left_out = np.setdiff1d(whole, part)
        assert len(part) + np.isin(whole, left_out).sum() == 300


def test_very_many_answers_are_not_all_held_out(monkeypatch):
    monkeypatch.setattr("ordinate.selection._held_out._FITTED", 800)
    found = od.held_out_error(answers(400), lambda part: POINTS, random_state=0)
    assert found.folds == 5
    assert 150 < found.n_answers < 170

"""Starts chosen by short runs: poor minima are left, the work is bounded, bits do not change."""

from itertools import permutations

import numpy as np
import pytest

import ordinate as od
from ordinate.engine.cpu import CPUObjective
from ordinate.sources import FlippedAnswers, random_triplets
from ordinate.triplets import embedding
from ordinate.triplets.initialization import draw_comparisons, perturbed
from ordinate.triplets.tournament import (
    Tournament,
    number_of_entrants,
    number_of_finalists,
    starts_from_higher_dimension,
    stop_if_unpromising,
)


def small_set(seed):
    points = np.random.default_rng(seed).normal(size=(20, 2))
    return random_triplets(points, 300, noise=FlippedAnswers(0.1), random_state=seed)


@pytest.mark.usual_data
def test_auto_leaves_minima_in_which_a_single_start_ends():
    """One start in two ends more than 1 % above: fewer than 3 of 40 once in 10⁸ runs."""
    gains = []
    for seed in range(40):
        answers = small_set(seed)
        one, auto = (
            od.SOE(1, n_init=n_init, random_state=0).fit(answers).loss_ for n_init in (1, "auto")
        )
        gains.append((one - auto) / one)
    assert min(gains) > -0.05  # the first start is followed, too
    assert np.sum(np.array(gains) > 0.01) >= 3


def line_and_tournament():
    """Ten objects in a row, everything that can be said of them, and a tournament for it."""
    truth = np.linspace(0.0, 9.0, 10)[:, None]
    rows = [(a, b, c) for a, b, c in permutations(range(10), 3) if abs(a - b) < abs(a - c)]
    answers = od.Comparisons(rows)
    return truth, answers, Tournament(answers, od.losses.soe, [1.0], tol=1e-4)


def test_a_start_in_a_poor_minimum_loses():
    truth, answers, tournament = line_and_tournament()
    folded = np.abs(truth - 4.5)  # both ends of the line on top of each other
    alone, *others = (
        od.SOE(1, init=tournament.final(tournament.best(entrants, 1))).fit(answers).loss_
        for entrants in ([folded], [folded, truth + 0.1], [truth + 0.1, folded])
    )
    assert max(others) < 0.1 * alone


def test_a_run_that_cannot_reach_the_leader_is_abandoned():
    gives_up = stop_if_unpromising(50.0)
    # ten in five iterations, and forty to go
    assert [gives_up(loss) for loss in (100, 98, 96, 94, 92, 90, 88)] == [False] * 5 + [True] * 2
    gives_up = stop_if_unpromising(50.0)
    assert not any(gives_up(100 - 10 * k) for k in range(8))


def test_with_room_to_spare_a_folded_map_is_opened():
    truth, answers, _ = line_and_tournament()
    starts = starts_from_higher_dimension(answers, np.abs(truth - 4.4), 3, np.random.default_rng(0))
    for start in starts:
        assert start.shape == truth.shape
        order = np.argsort(start[:, 0])
        assert sorted([order[0], order[-1]]) == [0, 9]


def test_the_best_are_followed_and_the_first():
    truth, _, tournament = line_and_tournament()
    folded = np.abs(truth - 4.5)
    entrants = [folded, truth, np.abs(truth - 2.5), truth + 0.1]
    for n in (1, 2):
        followed = tournament.best(entrants, n)
        assert len(followed) == n + 1
        np.testing.assert_array_equal(followed[-1], folded)


def test_the_work_is_bounded_and_depends_on_the_data_alone():
    for n_comparisons in (1, 1_000, 60_000, 400_000, 10**8):
        for n_components in (1, 2, 10):
            entrants = number_of_entrants(n_comparisons, n_comparisons, n_components)
            assert 1 <= entrants <= 9
            assert number_of_entrants(n_comparisons, 10**9, n_components) == min(entrants, 3)
            if entrants > 1:
                lifted, short = 40 * (n_components + 3), 10 * n_components
                assert n_comparisons * ((entrants - 1) * lifted + entrants * short) <= 40_000_000
            followed = number_of_finalists(n_comparisons, n_components)
            assert 1 <= followed <= 4
            if followed > 1:
                assert n_comparisons * n_components * 100 * followed <= 15_000_000
    assert od.SOE(2, random_state=0).fit(small_set(0)).n_init_ == 9
    assert od.SOE(2, n_init=np.int64(2), random_state=0).fit(small_set(0)).n_init_ == 2
    given = od.SOE(1, init=np.arange(20.0)[:, None]).fit(small_set(0))
    assert given.n_init_ == 1


def test_one_run_follows_where_answers_are_plenty(monkeypatch):
    points = np.random.default_rng(0).normal(size=(20, 2))
    answers = random_triplets(points, 2_000, random_state=1)  # a hundred per object
    runs = []
    lbfgs_from = embedding.lbfgs_from
    monkeypatch.setattr(
        embedding,
        "lbfgs_from",
        lambda *given, **rules: runs.extend(given[1]) or lbfgs_from(*given, **rules),
    )
    monkeypatch.setattr("ordinate.triplets.tournament._FOLLOWING_WORK", 2_000 * 2 * 100)
    assert od.STE(2, random_state=0).fit(answers).n_init_ == 9
    assert len(runs) >= 3  # a start, and a detour into three dimensions and back
    runs.clear()
    monkeypatch.setattr("ordinate.triplets.tournament._FOLLOWING_WORK", 2_000 * 2 * 100 - 1)
    few = od.STE(2, random_state=0).fit(answers)
    assert few.n_init_ == 3
    assert len(runs) == 1
    assert few.score(random_triplets(points, 2_000, random_state=2)) > 0.9


@pytest.mark.parametrize("method", [od.SOE, od.CKL, od.TETE])
def test_same_bits_for_any_number_of_threads(method):
    points = np.random.default_rng(0).normal(size=(100, 2))
    answers = random_triplets(points, 5_000, noise=FlippedAnswers(0.1), random_state=1)
    one, three = (
        method(2, random_state=3, n_jobs=n_jobs, tol=1e-2).fit(answers).embedding_
        for n_jobs in (1, 3)
    )
    np.testing.assert_array_equal(one, three)


def test_a_batch_has_the_bits_of_its_parts():
    rng = np.random.default_rng(0)
    answers = random_triplets(rng.normal(size=(40, 2)), 40_000, random_state=1)
    starts = rng.normal(size=(5, 40, 2))
    values, gradients = CPUObjective(answers, od.losses.ste, n_threads=3).evaluate(starts)
    alone = CPUObjective(answers, od.losses.ste)
    for start, value, gradient in zip(starts, values, gradients, strict=True):
        assert alone(start)[0] == value
        np.testing.assert_array_equal(alone(start)[1], gradient)


@pytest.mark.usual_data
def test_rows_are_drawn_from_everywhere_and_in_order():
    points = np.random.default_rng(0).normal(size=(5, 2))
    many = random_triplets(points, 3_000, random_state=0)
    drawn = draw_comparisons(many, np.random.default_rng(0))
    assert 0.9 * 300 <= len(drawn) <= 300
    weights = od.Comparisons(many.rows, weights=np.arange(1.0, 3_001.0))
    order = draw_comparisons(weights, np.random.default_rng(0)).weights
    assert (np.diff(order) > 0).all()
    assert np.diff(order).max() <= 20
    assert draw_comparisons(many[:10], np.random.default_rng(0)) == many[:10]


def test_a_perturbed_start_keeps_half_of_its_variance():
    start = np.random.default_rng(0).normal(size=(4_000, 2)) * 7.0
    moved = perturbed(start, np.random.default_rng(1))
    assert moved.var() == pytest.approx(2 * start.var(), rel=0.05)
    assert np.corrcoef(moved.ravel(), start.ravel())[0, 1] == pytest.approx(0.5**0.5, abs=0.03)


def test_an_unknown_n_init_is_named():
    with pytest.raises(od.InputError, match="n_init must be one of 'auto'; got 'many'"):
        od.SOE(n_init="many").fit(small_set(0))


@pytest.mark.filterwarnings("ignore:SOE stopped after")  # at kinks, with old versions of SciPy
def test_detours_leave_minima_and_never_lead_upwards(monkeypatch):
    """One set in five gains, so that none of 80 does once in 10⁷ runs."""

    def losses():
        return [
            od.SOE(1, random_state=0).fit(random_triplets(points, 150, random_state=0)).loss_
            for points in np.random.default_rng(1).normal(size=(80, 20, 2))
        ]

    with_them = np.array(losses())
    monkeypatch.setattr("ordinate.triplets.tournament.can_afford_another_run", lambda *_: False)
    without = np.array(losses())
    assert np.all(with_them <= without * (1 + 1e-9))
    assert np.any(with_them < 0.999 * without)


def test_a_callback_that_ends_a_fit_ends_it_before_a_detour():
    answers = od.sources.random_triplets(np.random.default_rng(1).normal(size=(20, 2)), 150)
    numbers = []

    def stop_at_three(number, value, points):
        numbers.append(number)
        return number == 3

    od.SOE(1, callback=stop_at_three, random_state=0).fit(answers)
    assert numbers == [1, 2, 3]  # seven answers per object: one start is fitted

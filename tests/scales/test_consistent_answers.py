"""Answers without a contradiction, or with few: the order of the scores is that of the answers.

In a round robin with equally many answers about each pair, an item that did better than another
against everyone has the higher score; with logistic noise, so has one with more wins. In a chain
with equally many answers about each link the scores follow the chain. In other designs an item that
was beaten may stand above the one that beat it: the winner of a single answer need not be above an
item that won twenty others.
"""

import warnings

import numpy as np
import pytest

import ordinate as od

MODELS = {
    "plain": {},
    "thurstone": {"model": "thurstone"},
    "lapse": {"lapse_rate": True},
    "a fixed prior": {"prior": 1.5},
    "a wide prior": {"prior": 8.0},
    "a side": {"side": True},
}


def round_robin(n, times):
    return np.array([[i, j] for i in range(n) for j in range(i + 1, n)] * times)


def chain(n, times):
    return np.array([[i, i + 1] for i in range(n - 1)] * times)


def flipped(rows, n_flips, rng):
    rows = rows.copy()
    at = rng.choice(len(rows), n_flips, replace=False)
    rows[at] = rows[at, ::-1]
    return rows


def fit(rows, outcomes=None, groups=None, **settings):
    """Each second answer has its items the other way round, so that sides say nothing."""
    outcomes = np.ones(len(rows), int) if outcomes is None else outcomes
    turned = np.arange(len(rows)) % 2 == 1
    rows = np.where(turned[:, None], rows[:, ::-1], rows)
    pairs = od.Pairs(rows, np.where(turned, -outcomes, outcomes), groups=groups)
    return od.Ranking(**({"side": False, "random_state": 0} | settings)).fit(pairs)


def assert_ordered(scores, above=None):
    """Scores follow what is above what, by default a lower number, and neighbors are not far."""
    place = np.arange(len(scores))
    above = place[:, None] < place if above is None else above
    i, j = np.nonzero(above)
    assert np.isfinite(scores).all()
    assert (scores[i] > scores[j]).all()
    assert np.diff(np.sort(scores)).max(initial=0) < 20


def did_better(wins):
    """Return which items did better than which against everyone, and against one another."""
    n = len(wins)
    found = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(n):
            others = np.setdiff1d(np.arange(n), (i, j))
            records = wins[i, others] - wins[others, i] >= wins[j, others] - wins[others, j]
            found[i, j] = records.all() and wins[i, j] > wins[j, i]
    return found


@pytest.mark.parametrize("settings", MODELS.values(), ids=MODELS.keys())
@pytest.mark.parametrize("times", [1, 2, 3, 10])
@pytest.mark.parametrize("n", [2, 3, 6, 13])
def test_scores_follow_a_round_robin(n, times, settings):
    if settings.get("side") and n * times < 6:
        pytest.skip("too few answers to estimate a side")
    assert_ordered(fit(round_robin(n, times), **settings).scores_)


@pytest.mark.parametrize(("n", "times"), [(2, 50), (2, 200), (20, 1), (20, 60), (40, 1), (40, 5)])
def test_scores_follow_a_round_robin_of_other_sizes(n, times):
    assert_ordered(fit(round_robin(n, times)).scores_)


@pytest.mark.parametrize(("n", "times"), [(3, 1), (6, 2), (6, 60), (12, 3), (20, 10), (40, 20)])
@pytest.mark.parametrize("model", ["bradley-terry", "thurstone"])
def test_scores_follow_a_chain(n, times, model):
    assert_ordered(fit(chain(n, times), model=model).scores_)


@pytest.mark.parametrize("settings", [MODELS["plain"], MODELS["thurstone"], MODELS["lapse"]])
@pytest.mark.parametrize("n_flips", [1, 3, 6])
@pytest.mark.parametrize(("n", "times"), [(4, 2), (6, 4), (13, 1), (20, 3)])
def test_scores_follow_the_wins_where_some_answers_are_flipped(n, times, n_flips, settings):
    rng = np.random.default_rng([n, times, n_flips])
    model = fit(flipped(round_robin(n, times), n_flips, rng), **settings)
    assert_ordered(model.scores_, did_better(model.counts_.wins()))
    if settings == MODELS["plain"]:
        wins = model.counts_.per_item[0]
        assert_ordered(model.scores_, wins[:, None] > wins)


@pytest.mark.parametrize("seed", range(12))
def test_who_was_beaten_is_not_above_the_winner_in_uneven_studies(seed):
    rng = np.random.default_rng([seed, 1])
    n = int(rng.integers(3, 12))
    extra = np.sort(np.argsort(rng.random((20 * seed, n)), axis=1)[:, :2], axis=1)
    assert_ordered(fit(np.concatenate([round_robin(n, 1), extra])).scores_)


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half"])
@pytest.mark.parametrize(("n", "times"), [(3, 2), (6, 3), (13, 1)])
def test_scores_follow_answers_with_ties_between_neighbors(ties, n, times):
    rows = round_robin(n, times)
    outcomes = np.where(rows[:, 1] - rows[:, 0] == 1, 0, 1)
    model = fit(rows, outcomes, ties=ties)
    assert_ordered(model.scores_)


@pytest.mark.parametrize("errors", ["answers", "judges", "bootstrap"])
@pytest.mark.parametrize("slopes", [False, True])
def test_scores_follow_consistent_judges(errors, slopes):
    rows = np.tile(round_robin(6, 1), (10, 1))
    judge = np.repeat(np.arange(10), 15)
    model = fit(rows, groups={"participant": judge}, slopes=slopes, errors=errors)
    assert_ordered(model.scores_)
    assert np.isfinite(model.standard_errors_).all()
    if slopes:
        np.testing.assert_allclose(model.slopes_, 1.0, atol=1e-3)


def test_scores_follow_each_group_of_judges():
    rows = np.tile(round_robin(6, 1), (12, 1))
    judge = np.repeat(np.arange(12), 15)
    outcomes = np.where(judge < 7, 1, -1)
    pairs = od.Pairs(rows, outcomes, ordered=False, groups={"participant": judge})
    model = od.JudgeGroups(n_groups=2, n_init=3, random_state=0).fit(pairs)
    assert model.groups_.tolist() == [0] * 7 + [1] * 5
    assert_ordered(model.rankings_[0].scores_)
    assert_ordered(-model.rankings_[1].scores_)
    assert_ordered(model.pooled_.scores_)


@pytest.mark.parametrize("n", [4, 6, 9])
@pytest.mark.parametrize("model", ["thurstone", "bradley-terry"])
def test_a_difference_scale_of_consistent_answers_is_monotone(n, model):
    seen = np.sqrt(np.arange(n))
    pairs = np.array([[i, j] for i in range(n) for j in range(i + 1, n)])
    one, other = np.triu_indices(len(pairs), 1)
    size = seen[pairs[:, 1]] - seen[pairs[:, 0]]
    smaller = np.where(size[one] < size[other], one, other)
    rows = np.column_stack([pairs[smaller], pairs[one + other - smaller]])
    scale = od.DifferenceScale(model, n_simulations=10, random_state=0).fit(rows).scale_
    assert scale[[0, -1]] == pytest.approx([0.0, 1.0])
    assert (np.diff(scale) > 0).all()
    assert np.abs(scale - seen / seen[-1]).max() < 0.15


def test_the_check_of_consistent_answers_converges():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", od.DoubtfulObjectsWarning)
        check = od.check_scale(od.Pairs(round_robin(8, 3)), n_simulations=10, random_state=0)
    assert check.fits

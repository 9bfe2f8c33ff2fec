"""Intervals and ranks where the posterior is skewed, against integrals written out."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

import ordinate as od


def exact_interval(log_density, level=0.95):
    """Return the ends of an interval with equal tails, by a sum over a fine grid."""
    grid = np.linspace(-40, 40, 400_001)
    logs = log_density(grid)
    below = np.cumsum(np.exp(logs - logs.max()))
    return np.interp([0.5 - level / 2, 0.5 + level / 2], below / below[-1], grid)


@pytest.mark.parametrize(("wins", "losses"), [(1, 0), (6, 0), (50, 0), (0, 9), (12, 1), (7, 5)])
@pytest.mark.parametrize(("model", "chance"), [("bradley-terry", expit), ("thurstone", norm.cdf)])
def test_the_interval_of_two_items_is_that_of_the_posterior(wins, losses, model, chance):
    prior = 2.0
    pairs = [[0, 1]] * wins + [[1, 0]] * losses
    found = od.Ranking(model, side=False, prior=prior).fit(pairs)

    def log_density(gap):
        with np.errstate(divide="ignore"):
            won, lost = np.log(np.maximum(chance([gap, -gap]), 1e-300))
        return wins * won + losses * lost - gap**2 / (4 * prior**2)

    low, high = exact_interval(log_density)
    np.testing.assert_allclose(2 * found.intervals()[0], [low, high], atol=0.05 * (high - low))
    assert found.distinguishable()[0, 1] == (low > 0 or high < 0)


def test_the_intervals_of_three_items_are_those_of_the_posterior():
    prior, rows = 2.0, [[0, 1]] * 6 + [[1, 2]] * 3 + [[2, 1]] * 2 + [[0, 2]] * 2
    found = od.Ranking(side=False, prior=prior).fit(rows).intervals()
    rng = np.random.default_rng(0)
    draws = prior * rng.standard_normal((400_000, 3))
    gaps = draws[:, [0, 1, 0]] - draws[:, [1, 2, 2]]
    log_weight = np.log(expit(gaps)) @ [6, 3, 2] + 2 * np.log(expit(-gaps[:, 1]))
    weight = np.exp(log_weight - log_weight.max())
    centred = draws - draws.mean(axis=1, keepdims=True)
    for item in range(3):
        order = np.argsort(centred[:, item])
        below = np.cumsum(weight[order]) / weight.sum()
        ends = np.interp([0.025, 0.975], below, centred[order, item])
        np.testing.assert_allclose(found[item], ends, atol=0.08 * (ends[1] - ends[0]))


@pytest.mark.parametrize(
    "settings", [{}, {"model": "thurstone"}, {"prior": 1.5}, {"lapse_rate": True}]
)
def test_more_wins_say_more(settings):
    lower, apart = [], []
    for wins in (1, 2, 3, 4, 5, 6, 8, 12, 20, 50, 99, 100, 101, 200):
        model = od.Ranking(side=False, random_state=0, **settings).fit([[0, 1]] * wins)
        lower.append(model.intervals()[0, 0])
        apart.append(model.rank_intervals().tolist() == [[1, 1], [2, 2]])
        assert model.distinguishable()[0, 1] == apart[-1] == (lower[-1] > 0)
    assert (np.diff(lower) > 0).all()
    assert not any(apart[:3])
    assert all(apart[8:] if settings.get("lapse_rate") else apart[5:])


def test_all_wins_say_more_than_most_wins():
    lower = []
    for losses in (5, 1, 0):
        rows = [[0, 1]] * (50 - losses) + [[1, 0]] * losses
        model = od.Ranking(side=False, random_state=0).fit(rows)
        assert model.rank_intervals().tolist() == [[1, 1], [2, 2]]
        lower.append(model.intervals()[0, 0])
    assert lower == sorted(lower)


def test_intervals_of_judges_and_resamples_have_the_same_shape():
    rng = np.random.default_rng(1)
    rows = np.sort(np.argsort(rng.random((90, 5)), axis=1)[:, :2], axis=1)
    groups = {"participant": np.arange(90) % 9}
    pairs = od.Pairs(rows, ordered=False, groups=groups)
    for errors in ("answers", "judges", "bootstrap"):
        model = od.Ranking(errors=errors, random_state=0).fit(pairs)
        low, high = model.intervals().T
        assert (low < model.scores_).all()
        assert (model.scores_ < high).all()
        assert (high - model.scores_ > model.scores_ - low)[0], "nobody knows how far it is ahead"


def study(scores, n_answers, seed):
    rng = np.random.default_rng(seed)
    scores = scores - scores.mean()
    rows = np.argsort(rng.random((n_answers, len(scores))), axis=1)[:, :2]
    won = rng.random(n_answers) < expit(scores[rows[:, 0]] - scores[rows[:, 1]])
    pairs = od.Pairs(rows, np.where(won, 1, -1), n_objects=len(scores), ordered=False)
    return pairs, scores


def test_an_outlying_item_is_not_pulled_to_the_others():
    rng = np.random.default_rng(3)
    scores = np.append(6.0, rng.normal(0, 0.5, 19))
    pairs, truth = study(scores, 500, 4)
    model = od.Ranking(random_state=0).fit(pairs)
    assert model.prior_df_ == 2
    low, high = model.intervals()[0]
    assert low < truth[0] < high
    assert high - low < 40
    assert od.Ranking(random_state=0, prior=1.0).fit(pairs).prior_df_ == np.inf


@pytest.mark.usual_data
@pytest.mark.parametrize("tails", [2, np.inf])
def test_intervals_hold_with_and_without_outlying_items(tails):
    held, best = [], []
    for seed in range(12):
        rng = np.random.default_rng([seed, 6])
        scores = rng.standard_t(2, 20) if tails == 2 else rng.normal(0, 1.5, 20)
        pairs, truth = study(scores, 400, [seed, 5])
        low, high = od.Ranking(random_state=0).fit(pairs).intervals().T
        held.append((low <= truth) & (truth <= high))
        best.append(held[-1][np.argmax(truth)])
    assert np.mean(held) > 0.88
    assert np.mean(best) > 0.7

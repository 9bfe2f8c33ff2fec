"""Rankings are fitted as choices one after another: against R, brute force and simulation."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import ordinate as od

R = json.loads((Path(__file__).parents[1] / "data" / "plackett_luce.json").read_text())
TRUE = np.arange(7) * 0.4 - 1.2


def draw_rankings(seed, n_rankings=60, n_judges=0):
    """Rank five of seven items (Plackett-Luce)."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n_rankings):
        shown = rng.choice(7, 5, replace=False)
        found.append(shown[np.argsort(-(TRUE[shown] + rng.gumbel(size=5)))].tolist())
    groups = {"participant": np.arange(n_rankings) % n_judges} if n_judges else None
    return od.Pairs.from_rankings(found, groups=groups, names=[str(item) for item in range(7)])


def draw_best_worst(seed, n_trials=80):
    """Show four of seven items; the best is chosen, then the worst of the others."""
    rng = np.random.default_rng(seed)
    rows, trial = [], []
    for number in range(n_trials):
        shown = rng.choice(7, 4, replace=False)
        best = shown[np.argmax(TRUE[shown] + rng.gumbel(size=4))]
        left = shown[shown != best]
        worst = left[np.argmax(-TRUE[left] + rng.gumbel(size=3))]
        between = left[left != worst]
        new = [(best, worst), *((best, i) for i in between), *((i, worst) for i in between)]
        rows, trial = rows + new, trial + [number] * len(new)
    return od.Pairs(rows, groups={"trial": trial}, n_objects=7)


def errors_between(covariance, i, j):
    return np.sqrt(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j])


def by_brute_force(ranking, scores, ties):
    """Log chance of a ranking: all sets that could have been chosen, one by one."""
    left = [item for level in ranking for item in level]
    total = 0.0
    for level in ranking:
        if len(left) == 1:
            break
        weights = {
            chosen: np.exp(ties.get(d, 0.0) + scores[list(chosen)].mean())
            for d in (1, *ties)
            for chosen in itertools.combinations(sorted(left), d)
        }
        total += np.log(weights[tuple(sorted(level))] / sum(weights.values()))
        left = [item for item in left if item not in level]
    return total


def with_ghost(rankings, n_items):
    """Add half a win and half a loss of each item against a ghost, the last item, as R does."""
    half = [pair for item in range(n_items) for pair in ([item, n_items], [n_items, item])]
    weights = [1.0] * len(rankings) + [0.5] * len(half)
    answers = od.Pairs.from_rankings(rankings + half, weights=weights)
    return od.Ranking(prior=None, errors="answers").fit(answers)


def races(n_drivers=87):
    return [[d - 1 for d in race if d <= n_drivers] for race in R["nascar"]["orderings"]]


def test_nascar_without_the_drivers_who_were_always_last():
    model = od.Ranking(prior=None).fit(od.Pairs.from_rankings(races(83)))
    for driver, score in R["nascar"]["without_last_four"].items():
        found = model.scores_[int(driver) - 1] - model.scores_[0]
        assert found == pytest.approx(score, abs=0.005)


def test_nascar_with_a_ghost_as_in_r():
    """Errors in R are those of the races alone, at estimates that have a ghost."""
    scores = with_ghost(races(), 87).scores_[:87]
    alone = od.Ranking(prior=1.0).fit(od.Pairs.from_rankings(races()))
    hessian = alone._objective.derivatives(scores)[2]  # flat along a shift of all scores
    covariance = np.linalg.pinv(hessian, rcond=1e-10, hermitian=True)
    for driver, (score, error) in R["nascar"]["with_ghost"].items():
        number = int(driver) - 1
        assert scores[number] - scores[0] == pytest.approx(score, abs=1e-6)
        assert errors_between(covariance, number, 0) == pytest.approx(error, abs=1e-6)


def test_drivers_who_were_always_last_rest_on_the_prior():
    answers = od.Pairs.from_rankings(races())
    model = od.Ranking(random_state=0).fit(answers)
    last = [int(driver) - 1 for driver in R["nascar"]["with_ghost"]]
    assert np.isfinite(model.intervals()).all()
    assert (model.standard_errors_[last] > np.median(model.standard_errors_)).all()
    assert any("Never won" in note for note in model.notes_)
    with pytest.raises(od.InputError, match="Without a prior the scores of"):
        od.Ranking(prior=None).fit(answers)


def test_rankings_with_ties_as_in_r():
    published = R["fruits"]
    rankings = [
        [[item for item in range(3) if ranks[item] == level] for level in (1, 2, 3)]
        for ranks in published["ranks"]
    ]
    rankings = [[level for level in ranking if level] for ranking in rankings]
    model = with_ghost(rankings, 3)
    scores = model.scores_[:3] - model.scores_[0]
    np.testing.assert_allclose(scores, published["estimates"], atol=1e-6)
    assert np.log(model.tie_) == pytest.approx(published["log_tie"], abs=1e-6)
    alone = od.Ranking(prior=1.0).fit(od.Pairs.from_rankings(rankings))
    curvature = alone._objective.derivatives(np.append(scores, np.log(model.tie_)))[2]
    errors = np.sqrt(np.diag(np.linalg.inv(curvature[1:, 1:])))
    printed = [*published["errors"][1:], published["log_tie_error"]]
    np.testing.assert_allclose(errors, printed, atol=5e-5)


@pytest.mark.parametrize("slopes", [False, True])
def test_likelihood_is_that_of_all_possible_choices(slopes):
    rankings = [
        [[0], [1], [2], [3]], [[2, 3], [0], [1]], [[4], [0, 1, 2], [3]], [[1, 2], [4]],
        [[3], [4]], [[0, 4], [1]], [[4], [3, 2]],
    ]  # fmt: skip
    judges = np.arange(len(rankings)) % 2
    answers = od.Pairs.from_rankings(rankings, groups={"participant": judges})
    model = od.Ranking(prior=1.0, slopes=slopes).fit(answers)
    objective, rng = model._objective, np.random.default_rng(0)
    at = rng.normal(size=objective.blocks.size)
    scores, log_slopes = at[:5], at[objective.blocks.slopes]
    ties = dict(zip((2, 3), at[objective.blocks.tie], strict=True))
    expected = 0.0
    for ranking, judge in zip(rankings, judges, strict=True):
        felt = scores * np.exp(log_slopes[judge]) if slopes else scores
        expected -= by_brute_force(ranking, felt, ties)
    value, gradient, hessian = objective.derivatives(at)
    penalty = 50.0 * log_slopes.sum() ** 2
    assert value - penalty == pytest.approx(expected, rel=1e-12)
    assert objective.value(at) == pytest.approx(value, rel=1e-12)
    steps = 1e-6 * np.eye(len(at))
    for step, slope, row in zip(steps, gradient, np.asarray(hessian), strict=True):
        up, down = objective.derivatives(at + step), objective.derivatives(at - step)
        assert (up[0] - down[0]) / 2e-6 == pytest.approx(slope, abs=1e-6)
        np.testing.assert_allclose((up[1] - down[1]) / 2e-6, row, atol=1e-5)


def test_best_and_worst_are_chosen_one_after_the_other():
    """First the best of all, then the worst of those left; nothing is said of those between."""
    answers = draw_best_worst(0, 12)
    model = od.Ranking(prior=1.0).fit(answers)
    at = np.random.default_rng(1).normal(size=7)
    expected = 0.0
    for trial in range(12):
        rows = answers.rows[answers.groups["trial"] == trial]
        best, worst = rows[0]
        shown = np.unique(rows)
        left = shown[shown != best]
        expected -= at[best] - np.log(np.exp(at[shown]).sum())
        expected -= -at[worst] - np.log(np.exp(-at[left]).sum())
    assert model._objective.value(at) == pytest.approx(expected, rel=1e-12)


def test_pairs_are_rankings_of_two():
    rows = np.random.default_rng(0).permuted(np.tile(np.arange(5), (60, 1)), axis=1)[:, :2]
    as_pairs = od.Ranking(random_state=0).fit(od.Pairs(rows))
    as_rankings = od.Ranking(random_state=0).fit(od.Pairs.from_rankings(rows.tolist()))
    np.testing.assert_allclose(as_rankings.scores_, as_pairs.scores_, atol=1e-9)
    np.testing.assert_allclose(as_rankings.intervals(), as_pairs.intervals(), atol=1e-9)


@pytest.mark.parametrize("draw", [draw_rankings, draw_best_worst])
def test_intervals_of_rankings_hold(draw):
    held = []
    for seed in range(30):
        low, high = od.Ranking(random_state=0).fit(draw(seed)).intervals().T
        held.append(np.mean((low <= TRUE) & (high >= TRUE)))
    assert 0.91 < np.mean(held) <= 0.99


def test_errors_of_trials_and_judges_are_those_of_the_curvature_for_independent_rankings():
    answers = draw_rankings(0, 600, n_judges=60)
    found = {
        errors: od.Ranking(errors=errors, random_state=0).fit(answers).standard_errors_
        for errors in ("answers", "trials", "judges", "bootstrap")
    }
    for errors in ("trials", "judges", "bootstrap"):
        np.testing.assert_allclose(found[errors], found["answers"], rtol=0.25)


def test_slopes_of_judges_who_rank():
    rng = np.random.default_rng(0)
    slopes = np.repeat([2.0, 0.2], 3)
    judges = np.arange(240) % 6
    ranks = [np.argsort(-(slopes[judge] * TRUE + rng.gumbel(size=7))).tolist() for judge in judges]
    answers = od.Pairs.from_rankings(ranks, groups={"participant": judges})
    found = od.Ranking(slopes=True, errors="answers").fit(answers).slopes_
    assert found[:3].min() > 2 * found[3:].max()


def test_the_result_speaks_of_rankings():
    result = od.rank(draw_rankings(0))
    assert "7 items, 60 rankings with 600 pairs (0 ties)." in str(result)
    assert "Plackett–Luce" in str(result)
    assert result.check.fits
    assert any("Plackett" in paper for paper in result.to_dict()["references"])


def test_a_scale_that_does_not_fit_rankings_is_found():
    """Who is first in one ranking is last in the next: majorities say nothing of the spread."""
    order = list(range(6))
    answers = od.Pairs.from_rankings([order, order[::-1]] * 20 + [order] * 3)
    check = od.check_scale(answers, random_state=0)
    assert not check.fits


@pytest.mark.parametrize(
    "settings", [{"model": "thurstone"}, {"lapse_rate": True}, {"ties": "half"}]
)
def test_other_models_take_rankings_as_pairs(settings):
    model = od.Ranking(**settings, random_state=0).fit(draw_rankings(0, 20))
    assert model.errors_ == "trials"
    assert model.scores_[6] > model.scores_[0]


def test_trials_that_are_no_rankings_are_pairs():
    pairs = od.Pairs([[0, 1], [1, 2], [2, 0]] * 5, groups={"trial": np.repeat(np.arange(5), 3)})
    assert od.Ranking().fit(pairs).errors_ == "trials"
    single = od.Pairs([[0, 1], [1, 2], [0, 2]] * 5, groups={"trial": np.arange(15)})
    assert od.Ranking().fit(single).errors_ == "answers"
    with pytest.raises(od.InputError, match="needs the group 'trial'"):
        od.Ranking(errors="trials").fit(single)


@pytest.mark.parametrize(
    ("rankings", "message"),
    [
        ("abc", "list of lists"),
        ([["a", "b"], 3], "list of lists"),
        ([["a"], ["b"]], "no ranking of two items"),
        ([["a", "b", "a"]], "Ranking 0 has an item twice"),
        ([["a", ["b", "a"]]], "Ranking 0 has an item twice"),
    ],
)
def test_what_is_no_ranking_is_refused(rankings, message):
    with pytest.raises(od.InputError, match=message):
        od.Pairs.from_rankings(rankings)

"""Scores, their errors and ranks, against independent code and simulated studies."""

import csv
import os
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import clone

import ordinate as od
from ordinate.scales.likelihood import Objective
from ordinate.scales.outcomes import AnswerModel
from ordinate.scales.posterior import _Search
from ordinate.scales.rank_intervals import indistinguishable_groups, name_groups_by_letters

DATA = os.environ.get("ORDINATE_DATA")


def simulated(rng, scores, n_answers, *, nu=0.0, side=0.0, judge_slopes=None, tastes=None):
    """Answers of a Davidson model; `tastes` are what judges add to the scores."""
    n = len(scores)
    rows = np.argsort(rng.random((n_answers, n)), axis=1)[:, :2]
    judge = rng.integers(1 if judge_slopes is None else len(judge_slopes), size=n_answers)
    own = np.tile(scores, (judge.max() + 1, 1)) if tastes is None else scores + tastes
    at = np.arange(n_answers)
    ahead = own[judge, rows[:, 0]] - own[judge, rows[:, 1]]
    ahead = ahead * (1.0 if judge_slopes is None else judge_slopes[judge]) + side
    weights = np.column_stack([np.exp(ahead / 2), np.full(n_answers, nu), np.exp(-ahead / 2)])
    chances = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    outcome = 1 - (rng.random(n_answers)[at, None] > chances[:, :2]).sum(axis=1)
    return od.Pairs(rows, outcome, n_objects=n, groups={"participant": judge})


@pytest.fixture(scope="module")
def llmfao():
    if DATA is None:
        pytest.skip("needs ORDINATE_DATA")
    with (Path(DATA) / "llmfao/llmfao.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    outcome = {"left": 1, "tie": 0, "right": -1}
    return od.Pairs(
        [[row["left"], row["right"]] for row in rows],
        [outcome[row["winner"]] for row in rows],
        groups={"participant": [row["worker"] for row in rows]},
    )


def test_agrees_with_evalica(llmfao):
    model = od.Ranking(ties="half", side=False, prior=None, errors="answers").fit(llmfao)
    with (Path(DATA) / "llmfao/llmfao-golden.csv").open(encoding="utf-8") as file:
        golden = {
            row["item"]: float(row["score"])
            for row in csv.DictReader(file)
            if row["algorithm"] == "bradley_terry"
        }
    published = np.log([golden[name] for name in model.names_])
    assert len(golden) == model.n_objects_ == 59
    np.testing.assert_allclose(model.scores_, published - published.mean(), atol=1e-6)


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_maximum_of_the_likelihood_written_out(ties):
    rng = np.random.default_rng(1)
    pairs = simulated(rng, rng.normal(0, 1, 6), 400, nu=0.8, side=0.3)
    first, second = pairs.rows.T

    def minus_log_likelihood(at):
        ahead, extra, side = np.append(at[:5], -at[:5].sum()), np.exp(at[5]), at[6]
        d = ahead[first] - ahead[second] + side
        if ties == "davidson":
            total = np.exp(d / 2) + extra + np.exp(-d / 2)
            chances = np.stack([np.exp(-d / 2), np.full(len(d), extra), np.exp(d / 2)]) / total
        else:
            won, lost = expit(d - extra), expit(-d - extra)
            chances = np.stack([lost, 1 - won - lost, won])
        return -np.log(chances[1 + pairs.outcomes, np.arange(len(d))]).sum()

    best = minimize(minus_log_likelihood, np.zeros(7), method="BFGS", options={"gtol": 1e-7})
    model = od.Ranking(ties=ties, side=True, prior=None, errors="answers").fit(pairs)
    np.testing.assert_allclose(model.scores_[:5], best.x[:5], atol=2e-5)
    assert np.log(model.tie_) == pytest.approx(best.x[5], abs=2e-5)
    assert model.side_ == pytest.approx(best.x[6], abs=2e-5)
    moves = 1e-3 * np.array([np.eye(7)[[i, i, j, j]] for i in range(7) for j in range(7)])
    signs = np.array([[1, 1, 1, 1], [1, 1, -1, -1], [-1, -1, 1, 1], [-1, -1, -1, -1]]) / 2
    curves = sum(
        weight * np.array([minus_log_likelihood(best.x + sign @ move) for move in moves])
        for weight, sign in zip((1, -1, -1, 1), signs, strict=True)
    )
    covariance = np.linalg.inv(curves.reshape(7, 7) / 4e-6)
    np.testing.assert_allclose(
        model.standard_errors_[:5], np.sqrt(np.diag(covariance))[:5], rtol=1e-3
    )


@pytest.mark.usual_data
def test_what_was_simulated_is_found():
    rng = np.random.default_rng(2)
    scores = rng.normal(0, 1.2, 12)
    scores -= scores.mean()
    slopes = rng.normal(0, 0.6, 30)
    slopes = np.exp(slopes - slopes.mean())  # their mean is the unit of the scores
    pairs = simulated(rng, scores, 9_000, nu=0.7, side=0.4, judge_slopes=slopes)
    model = od.Ranking(slopes="auto", random_state=0).fit(pairs)
    assert np.sqrt(np.mean((model.scores_ - scores) ** 2)) < 0.25
    assert model.side_ == pytest.approx(0.4, abs=0.15)
    assert np.corrcoef(np.log(model.slopes_), np.log(slopes))[0, 1] > 0.85
    assert model.choices_["side"][0] > model.choices_["side"][1] > 0
    gain, error = model.choices_["slopes"]
    assert gain > 2 * error


def test_options_without_need_are_left_out():
    rng = np.random.default_rng(3)
    pairs = simulated(rng, rng.normal(0, 1, 8), 1_500, judge_slopes=np.ones(10))
    model = od.Ranking(slopes="auto", lapse_rate="auto", random_state=0).fit(pairs)
    assert (model.slopes_, model.side_, model.lapse_rate_, model.tie_) == (None, None, None, None)
    assert set(model.choices_) == {"side", "slopes", "lapse_rate"}


def test_lapses_are_found():
    """The deviation is .011 (25 draws): a false alarm has 5.5 of them."""
    rng = np.random.default_rng(4)
    pairs = simulated(rng, np.linspace(-5, 5, 8), 6_000)
    guessed = np.where(rng.random(6_000) < 0.2, rng.choice([-1, 1], 6_000), pairs.outcomes)
    model = od.Ranking(lapse_rate=True, side=False).fit(pairs, guessed)
    assert model.lapse_rate_ == pytest.approx(0.2, abs=0.06)


def test_covariates_explain_scores():
    rng = np.random.default_rng(5)
    covariates = rng.normal(size=(30, 2))
    pairs = simulated(rng, covariates @ [1.0, -0.5] + rng.normal(0, 0.2, 30), 3_000)
    model = od.Ranking(side=False).fit(pairs, covariates=covariates)
    np.testing.assert_allclose(model.coefficients_, [1.0, -0.5], atol=0.25)
    assert model.prior_ < 0.5
    assert abs(model.scores_.mean()) < 1e-9


def test_an_item_that_never_lost_has_a_finite_score():
    pairs = od.Pairs([["a", "b"], ["b", "c"], ["c", "b"], ["a", "c"]] * 3)
    model = od.Ranking(random_state=0).fit(pairs)
    assert np.isfinite(model.scores_).all()
    assert model.notes_ == ["Never lost: a. How far ahead rests on the prior."]
    with pytest.raises(od.InputError, match="Without a prior the scores of a are infinite"):
        od.Ranking(prior=None).fit(pairs)


def test_parts_that_were_never_compared_are_reported():
    with pytest.warns(od.DoubtfulObjectsWarning, match="into 2 groups that were never compared"):
        model = od.Ranking().fit([["a", "b"], ["c", "d"]])
    assert np.isfinite(model.scores_).all()


def test_two_items_are_ranked():
    model = od.Ranking().fit([[0, 1]] * 7 + [[1, 0]] * 3)
    assert model.ranks_.tolist() == [1, 2]
    assert model.rank_intervals().tolist() == [[1, 2], [1, 2]]
    assert model.groups() == ["a", "a"]


@pytest.mark.usual_data
def test_many_items_agree_with_few():
    rng = np.random.default_rng(6)
    n = 4_000
    scores = rng.normal(0, 1, n)
    pairs = simulated_pairs_of_many(rng, scores, 40_000)
    model = od.Ranking(side=False, random_state=0).fit(pairs)
    assert model.covariance_ is None
    assert np.corrcoef(model.scores_, scores)[0, 1] > 0.85
    assert model.prior_ == pytest.approx(1.0, abs=0.1)
    covered = np.abs(model.scores_ - scores + scores.mean()) < 1.96 * model.standard_errors_
    assert covered.mean() == pytest.approx(0.95, abs=0.03)
    low, high = model.rank_intervals().T
    assert (low <= high).all()


def simulated_pairs_of_many(rng, scores, n_answers):
    rows = rng.integers(len(scores), size=(n_answers, 2))
    rows = rows[rows[:, 0] != rows[:, 1]]
    won = rng.random(len(rows)) < expit(scores[rows[:, 0]] - scores[rows[:, 1]])
    return od.Pairs(rows, np.where(won, 1, -1), n_objects=len(scores))


@pytest.mark.usual_data
def test_errors_of_judges_are_wider_where_judges_differ():
    rng = np.random.default_rng(7)
    tastes = rng.normal(0, 1.5, (20, 6))
    pairs = simulated(rng, np.linspace(-1, 1, 6), 3_000, judge_slopes=np.ones(20), tastes=tastes)
    errors = {
        kind: od.Ranking(errors=kind, side=False, random_state=0).fit(pairs).standard_errors_.mean()
        for kind in ("answers", "judges", "bootstrap")
    }
    assert errors["judges"] > 1.8 * errors["answers"]
    assert errors["bootstrap"] == pytest.approx(errors["judges"], rel=0.25)


def test_predictions_and_scores():
    pairs = od.Pairs([["a", "b"], ["b", "c"], ["a", "c"], ["c", "b"], ["a", "b"]], [1, 1, 0, 1, 0])
    model = od.Ranking(random_state=0).fit(pairs)
    chances = model.predict_proba([["b", "a"], ["a", "b"]])
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    np.testing.assert_allclose(chances[0], chances[1, ::-1])
    assert model.predict([["b", "a"]]).tolist() == [-1]
    assert 0 < model.score(pairs) <= 1
    assert model.log_loss(pairs) > 0
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.scores_, clone(model).fit(pairs).scores_)
    with pytest.raises(od.InputError, match="'d' was not in the fit"):
        model.predict([["a", "d"]])


def test_the_table_is_ordered_by_score():
    pairs = od.Pairs([["a", "b"], ["b", "c"], ["a", "c"], ["c", "b"]] * 20, ordered=False)
    model = od.Ranking(random_state=0).fit(pairs)
    frame = model.to_frame(scale="elo")
    assert list(frame.index) == ["a", "c", "b"] or list(frame.index) == ["a", "b", "c"]
    assert frame["rank"].tolist() == [1, 2, 3]
    assert frame["wins"].tolist() == [40.0, 20.0, 20.0]
    assert frame["score"].mean() == pytest.approx(1500)
    chance = model.to_frame(scale="probability")
    assert (chance["lower"] < chance["score"]).all()
    assert chance["upper"].max() < 1
    assert frame["groups"].tolist() == ["a", "b", "b"]


def test_groups_share_a_letter_exactly_if_not_distinguished():
    rng = np.random.default_rng(8)
    for _ in range(20):
        apart = np.triu(rng.random((9, 9)) < 0.4, 1)
        apart |= apart.T
        names = name_groups_by_letters(indistinguishable_groups(apart, rng.permutation(9)), 9)
        shared = [[bool(set(one) & set(other)) for other in names] for one in names]
        np.testing.assert_array_equal(np.array(shared), ~apart)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"model": "elo"}, "model must be one of 'bradley-terry', 'thurstone'"),
        ({"ties": "davidson"}, "no answer is a tie"),
        ({"side": True}, "side=True needs to know which item was shown first"),
        ({"slopes": True}, "slopes=True needs at least two judges"),
        ({"errors": "judges"}, "needs at least two judges"),
        ({"prior": -1.0}, "prior must be a number"),
        ({"lapse_rate": 0.1}, "lapse_rate must be True, False or 'auto'"),
    ],
)
def test_bad_arguments_are_refused(parameters, message):
    with pytest.raises(od.InputError, match=message):
        od.Ranking(**parameters).fit([["a", "b"], ["b", "a"]])


@pytest.mark.parametrize("most_dense", [3_000, 3])
def test_derivatives_by_finite_differences(monkeypatch, most_dense):
    monkeypatch.setattr("ordinate.scales.likelihood.MOST_DENSE", most_dense)
    monkeypatch.setattr("ordinate.scales.likelihood._ROWS_AT_ONCE", 16)
    rng = np.random.default_rng(9)
    counts = simulated(rng, rng.normal(0, 1, 7), 300, nu=0.8).counts()
    covariates = rng.normal(size=(7, 2)) if most_dense > 7 else np.empty((0, 0))
    objective = Objective(counts, AnswerModel("thurstone", "rao-kupper"), True, True, 0, covariates)
    at = objective.start() + 0.3 * rng.normal(size=objective.blocks.size)
    value, gradient, hessian = objective.derivatives(at)
    assert value == pytest.approx(objective.value(at))
    step = 1e-5 * rng.normal(size=len(at))
    moved = (objective.value(at + step) - objective.value(at - step)) / 2
    assert gradient @ step == pytest.approx(moved, rel=1e-4)
    turned = (objective.derivatives(at + step)[1] - objective.derivatives(at - step)[1]) / 2
    np.testing.assert_allclose(hessian @ step, turned, atol=1e-4 * np.abs(turned).max())


def test_errors_without_a_covariance_are_those_with_one(monkeypatch):
    rng = np.random.default_rng([6])
    pairs = simulated_pairs_of_many(rng, rng.normal(0, 1, 100), 6_000)
    few = od.Ranking(side=False, prior=1.0).fit(pairs)
    monkeypatch.setattr("ordinate.scales.likelihood.MOST_DENSE", 50)
    many = od.Ranking(side=False, prior=1.0).fit(pairs)
    assert many.covariance_ is None
    np.testing.assert_allclose(many.scores_, few.scores_, atol=1e-4)
    np.testing.assert_allclose(many.standard_errors_, few.standard_errors_, rtol=0.02)


def test_one_decomposition_finds_the_size_of_the_prior_that_a_search_finds():
    rng = np.random.default_rng([2])
    scores = rng.normal(0, 1.2, 12)
    rows = np.argsort(rng.random((1500, 12)), axis=1)[:, :2]
    won = rng.random(1500) < expit(scores[rows[:, 0]] - scores[rows[:, 1]])
    counts = od.Pairs(rows, np.where(won, 1, -1)).counts().without_order()
    search = _Search(Objective(counts, AnswerModel()))
    search.run()
    assert search.gaussian is not None
    grid = np.log(search.spread) + np.linspace(-0.5, 0.5, 21)
    exact = [search.evidence(log_spread)[0] for log_spread in grid]
    assert abs(grid[int(np.argmax(exact))] - np.log(search.spread)) < 0.06


# wins of the first and of the second player, the first at home; R's BradleyTerry2 1.1.2 finds
#   m <- BTm(cbind(wins1, wins2), player1, player2, data = d); BTabilities(m)
#   BTm(cbind(wins1, wins2), p1, p2, ~ team + at.home, id = "team", data = d)
PLAYED = [
    (0, 1, 3, 3), (0, 2, 4, 4), (0, 3, 5, 1), (0, 4, 3, 1), (0, 6, 4, 1), (1, 0, 3, 0),
    (1, 2, 3, 4), (1, 3, 6, 1), (1, 4, 4, 1), (1, 5, 4, 1), (2, 0, 1, 5), (2, 1, 2, 4),
    (2, 3, 4, 1), (2, 4, 8, 0), (2, 5, 4, 1), (2, 6, 1, 7), (3, 0, 3, 4), (3, 1, 2, 2),
    (3, 2, 2, 6), (3, 4, 6, 2), (3, 5, 2, 1), (3, 6, 0, 4), (4, 0, 1, 2), (4, 2, 2, 4),
    (4, 3, 4, 4), (4, 5, 4, 3), (4, 6, 1, 7), (5, 0, 5, 3), (5, 1, 4, 2), (5, 3, 5, 0),
    (5, 4, 4, 0), (6, 0, 3, 0), (6, 1, 3, 3), (6, 2, 2, 3), (6, 4, 5, 0), (6, 5, 1, 6),
]  # fmt: skip
ABILITIES = [0.26853386925546, 0.00132898153891, -0.96461492962678, -1.32974875046814]
ABILITIES += [0.11624103761544, 0.30776031869075]
ERRORS = [0.365660746455, 0.333629475232, 0.359162856964, 0.386957258777]
ERRORS += [0.379885146668, 0.380784436971]
AT_HOME, AT_HOME_ERROR = 0.316565965878, 0.153961738510


def test_bradley_terry_2_of_r_finds_the_same():
    played = np.array(PLAYED)
    rows = np.repeat(played[:, :2], 2, axis=0)
    outcomes, wins = np.tile([1, -1], len(played)), played[:, 2:].ravel()
    pairs = od.Pairs(rows[wins > 0], outcomes[wins > 0], weights=wins[wins > 0])
    model = od.Ranking(side=False, prior=None).fit(pairs)
    ahead = model.scores_ - model.scores_[0]
    np.testing.assert_allclose(ahead[1:], ABILITIES, atol=1e-6)
    covariance = model.covariance_
    variance = np.diag(covariance) + covariance[0, 0] - 2 * covariance[0]
    np.testing.assert_allclose(np.sqrt(variance[1:]), ERRORS, atol=1e-6)
    model = od.Ranking(side=True, prior=None).fit(pairs)
    assert model.side_ == pytest.approx(AT_HOME, abs=1e-6)
    assert model.side_error_ == pytest.approx(AT_HOME_ERROR, abs=1e-6)


@pytest.mark.parametrize(
    ("prior", "lapse", "remedy"),
    [
        (None, False, "use a prior"),
        (2.0, True, "leave the lapse rate out"),
        (2.0, False, "use prior=1.0"),
    ],
)
def test_scores_that_do_not_converge_are_refused_with_a_remedy_not_yet_taken(
    monkeypatch, prior, lapse, remedy
):
    monkeypatch.setattr("ordinate.scales.maximum._MOST_STEPS", 1)
    pairs = od.Pairs([[0, 1], [1, 0], [1, 2], [2, 1]] * 3 + [[0, 2]])
    with pytest.raises(od.InputError, match=remedy):
        od.Ranking(prior=prior, lapse_rate=lapse).fit(pairs)


def test_a_file_or_a_frame_is_read(tmp_path):
    table = {"a": list("xyxz"), "b": list("yzzx"), "winner": list("xyzx")}
    frame = pd.DataFrame(table)
    frame.to_csv(tmp_path / "votes.csv", index=False)
    expected = od.Ranking(side=False).fit(od.read_pairs(table))
    for source in (table, frame, tmp_path / "votes.csv", str(tmp_path / "votes.csv")):
        model = od.Ranking(side=False).fit(source)
        assert model.names_ == ("x", "y", "z")
        np.testing.assert_array_equal(model.scores_, expected.scores_)

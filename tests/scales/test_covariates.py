"""Covariates of an answer: against statsmodels, and as columns of a file."""

import json
from pathlib import Path

import numpy as np
import pytest

import ordinate as od

LOGIT = json.loads((Path(__file__).parents[1] / "data" / "logit_covariates.json").read_text())


def answers(**settings):
    outcomes = np.where(LOGIT["won"], 1, -1)
    covariates = {"length": LOGIT["length"], "bold": LOGIT["bold"]}
    return od.Pairs(LOGIT["rows"], outcomes, covariates=covariates, **settings)


def frame():
    rows, won = np.array(LOGIT["rows"]), np.array(LOGIT["won"])
    names = np.array([f"model {number}" for number in range(6)])
    table = {"model_a": names[rows[:, 0]], "model_b": names[rows[:, 1]]}
    table["winner"] = np.where(won, "model_a", "model_b")
    for name in ("length", "bold"):
        for at, side in enumerate("ab"):
            table[f"{name}_{side}"] = np.array(LOGIT[name])[:, at] + (name == "bold") * 0.5
    return table


def test_it_is_the_logistic_regression_of_statsmodels():
    model = od.Ranking(prior=None, side=True, errors="answers").fit(answers())
    expected, errors = np.array(LOGIT["params"]), np.array(LOGIT["errors"])
    np.testing.assert_allclose(model.scores_[1:] - model.scores_[0], expected[:5], atol=1e-6)
    assert model.side_ == pytest.approx(expected[5], abs=1e-6)
    assert model.side_error_ == pytest.approx(errors[5], abs=1e-6)
    assert model.effect_names_ == ("length", "bold")
    np.testing.assert_allclose(model.effects_, expected[6:], atol=1e-6)
    np.testing.assert_allclose(model.effect_errors_, errors[6:], atol=1e-6)


@pytest.mark.parametrize("settings", [{}, {"slopes": True}, {"lapse_rate": True}])
def test_derivatives_with_covariates(settings):
    judges = {"participant": np.arange(300) % 3}
    model = od.Ranking(prior=1.0, side=True, errors="answers", **settings)
    objective = model.fit(answers(groups=judges))._objective
    at = np.random.default_rng(0).normal(size=objective.blocks.size) * 0.5
    _, gradient, hessian = objective.derivatives(at)
    hessian = hessian if isinstance(hessian, np.ndarray) else hessian.toarray()
    for number, step in enumerate(1e-5 * np.eye(len(at))):
        up, down = objective.derivatives(at + step), objective.derivatives(at - step)
        assert (up[0] - down[0]) / 2e-5 == pytest.approx(gradient[number], rel=1e-5, abs=1e-5)
        np.testing.assert_allclose((up[1] - down[1]) / 2e-5, hessian[number], rtol=1e-4, atol=1e-4)


def test_few_answers_with_covariates_have_skewed_intervals_too():
    few = answers()[:40]
    model = od.Ranking(random_state=0).fit(few)
    low, high = model.intervals().T
    assert ((low < model.scores_) & (model.scores_ < high)).all()
    np.testing.assert_allclose(model.predict_proba(few).sum(axis=1), 1.0)


def test_who_stands_first_does_not_matter():
    given = answers(ordered=False)
    turned = od.Pairs(
        given.rows[:, ::-1],
        -given.outcomes,
        ordered=False,
        covariates={
            "length": -given.covariates[:, 0],
            "bold": np.array(LOGIT["bold"])[:, ::-1],
        },
    )
    one, other = (od.Ranking(random_state=0).fit(pairs) for pairs in (given, turned))
    np.testing.assert_allclose(one.scores_, other.scores_, atol=1e-8)
    np.testing.assert_allclose(one.effects_, other.effects_, atol=1e-8)


@pytest.mark.parametrize("named", ["length_a,length_b,bold_a,bold_b", ["*_a"], ["*_b", "length_a"]])
def test_columns_of_a_file(named):
    columns = {} if "length_a,length_b" in named else {"columns": ["model_a", "model_b"]}
    result = od.rank(frame(), covariates=named, **columns)
    found = result.model
    assert set(found.effect_names_) == {"length", "bold"}
    direct = od.Ranking(random_state=0).fit(answers())
    order = [found.effect_names_.index(name) for name in direct.effect_names_]
    np.testing.assert_allclose(found.effects_[order], direct.effects_, atol=1e-8)
    assert "length: 3" in str(result)
    assert "in score; one unit" in str(result)
    assert {"rank_before", "score_before"} <= set(result.tables()["scores"])
    assert list(result.tables()["covariates"]["covariate"]) == list(found.effect_names_)


def test_columns_follow_who_was_shown_first():
    table = frame()
    shown = np.arange(300) % 2 == 0
    plain = od.read_pairs(table, covariates="length_a,length_b", columns=["model_a", "model_b"])
    table["shown_first"] = np.where(shown, table["model_a"], table["model_b"])
    turned = od.read_pairs(table, covariates="length_a,length_b", columns=["model_a", "model_b"])
    sign = np.where(turned.rows[:, 0] == plain.rows[:, 0], 1, -1)
    assert set(sign) == {1, -1}
    np.testing.assert_allclose(turned.covariates[:, 0], sign * plain.covariates[:, 0])


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("width_a,width_b", "there is no column 'width_a'"),
        ("prompt", "must be numbers"),
        ("extra_a", "no such column of the other"),
    ],
)
def test_columns_that_are_none_are_refused(named, message):
    table = frame() | {"extra_a": np.zeros(300), "prompt": ["code", "prose"] * 150}
    with pytest.raises(od.InputError, match=message):
        od.read_pairs(table, covariates=named, columns=["model_a", "model_b"], answer="winner")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, 2.0], "has 2 rows; expected 3"),
        ([0.0, 0.0, 0.0], "does not differ between the two items"),
        ([[1, 2, 3]] * 3, "one for each of the two items"),
        ([1.0, np.nan, 2.0], "must be finite"),
        (["a", "b", "c"], "must be a 2-D array of numbers"),
    ],
)
def test_values_that_are_none_are_refused(values, message):
    with pytest.raises(od.InputError, match=message):
        od.Pairs([[0, 1], [1, 2], [0, 2]], covariates={"length": values})

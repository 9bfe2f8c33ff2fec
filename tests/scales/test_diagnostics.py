"""Whether one scale fits: circles are found, answers of one scale pass."""

import numpy as np
import pytest
from scipy.special import expit

import ordinate as od


def one_scale(seed, n_answers=600, n=8):
    rng = np.random.default_rng([seed])  # one such set in twenty is called a misfit
    scores = rng.normal(0, 1.5, n)
    rows = np.argsort(rng.random((n_answers, n)), axis=1)[:, :2]
    won = rng.random(n_answers) < expit(scores[rows[:, 0]] - scores[rows[:, 1]])
    judge = rng.integers(10, size=n_answers)
    return od.Pairs(rows, np.where(won, 1, -1), groups={"participant": judge})


def test_answers_of_one_scale_pass():
    check = od.check_scale(one_scale(0), random_state=np.random.default_rng([0]))
    assert check.fits
    assert check.n_triads > 20
    assert 0 <= check.circular < 0.2
    assert check.log_loss < check.guessed_log_loss
    assert str(check).startswith("One scale fits the answers: goodness of fit p = ")


def test_people_held_out():
    check = od.check_scale(one_scale(1), by="participant", n_simulations=5, random_state=0)
    assert 0.1 < check.error < 0.4


def test_circles_are_found():
    rows = [[0, 1], [1, 2], [2, 0]] * 30 + [[0, 3], [3, 0]] * 10
    check = od.check_scale(od.Pairs(rows), random_state=0)
    assert check.circular == 1
    assert check.p_fit < 0.05
    assert not check.fits
    assert check.to_dict()["error"] is None  # four pairs cannot be held out in turn


def test_ties_as_halves_are_not_simulated():
    pairs = od.Pairs([[0, 1], [1, 2], [0, 2]] * 5, [1, 1, 0] * 5)
    model = od.Ranking(ties="half", side=False).fit(pairs)
    assert np.isnan(od.check_scale(pairs, model, n_simulations=3, random_state=0).p_fit)


def test_judges_who_guess_or_differ_are_named():
    rng = np.random.default_rng(2)
    scores, n = np.linspace(-2, 2, 8), 4_000
    rows = np.argsort(rng.random((n, 8)), axis=1)[:, :2]
    judge = rng.integers(12, size=n)
    own = np.tile(scores, (12, 1))
    own[0] = 0.0
    own[1] = scores[::-1]
    own[2] = scores[[1, 0, 3, 2, 7, 6, 4, 5]] + np.array([3, 0, 0, -3, 3, 0, -3, 0])
    ahead = own[judge, rows[:, 0]] - own[judge, rows[:, 1]]
    won = rng.random(n) < expit(ahead)
    pairs = od.Pairs(rows, np.where(won, 1, -1), groups={"judge": judge})
    table = od.rank(pairs, by="judge", side=False).judges
    verdict = dict(zip(table["judge"].tolist(), table["verdict"].tolist(), strict=True))
    assert verdict[0] == "seems to guess: the answers hardly follow the scale"
    assert verdict[1] == "answers the other way round"
    assert verdict[2] == "ranks the items differently from the others"
    assert set(list(verdict.values())[3:]) <= {""} or sum(map(bool, verdict.values())) == 3
    with pytest.raises(od.InputError, match="There is no group 'who'; the groups are: 'judge'"):
        od.rank(pairs, by="who")


def test_what_is_not_tested_is_reported():
    halves = od.Pairs([[0, 1], [1, 2], [0, 2]] * 20, [1, 0, 1] * 20)
    check = od.check_scale(halves, od.Ranking(ties="half").fit(halves), random_state=0)
    assert np.isnan(check.p_fit)
    assert "goodness of fit" not in str(check)


@pytest.mark.parametrize("most_dense", [6, 3000])
@pytest.mark.parametrize("limit", ["_MOST_REFITTED", "_MANY_ANSWERS"])
def test_the_fit_of_many_items_or_answers_is_tested_by_one_step(monkeypatch, limit, most_dense):
    answers = one_scale(3)
    pairs = od.Pairs(answers.rows, answers.outcomes)
    monkeypatch.setattr("ordinate.scales.diagnostics._MANY_ANSWERS", np.inf)
    exact = od.check_scale(pairs, random_state=0)
    monkeypatch.setattr("ordinate.scales.likelihood.MOST_DENSE", most_dense)
    monkeypatch.setattr(f"ordinate.scales.diagnostics.{limit}", 0)
    quick = od.check_scale(pairs, random_state=0)
    assert quick.p_fit == pytest.approx(exact.p_fit, abs=0.05)
    assert quick.error == pytest.approx(exact.error, abs=0.01)
    assert quick.log_loss == pytest.approx(exact.log_loss, abs=0.01)


def test_a_model_that_fits_whatever_was_answered_is_not_tested():
    for answers in ([[0, 1], [1, 0]] * 5, [[0, 1], [1, 2]] * 5):
        check = od.check_scale(od.Pairs(answers), random_state=0)
        assert np.isnan(check.p_fit)
        assert str(check).startswith("Whether one scale fits the answers was not tested.")


def test_that_the_winner_is_written_first_is_no_guess():
    answers = one_scale(3)
    won = np.where(answers.outcomes[:, None] < 0, answers.rows[:, ::-1], answers.rows)
    outcomes = np.where(np.arange(len(won)) % 10, 1, 0)  # each tenth is a tie
    check = od.check_scale(od.Pairs(won, outcomes, ordered=False), random_state=0)
    assert check.guessed_log_loss > check.log_loss

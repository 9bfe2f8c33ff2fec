"""The likelihood of choices between pairs: gradients, known values, STE as a special case."""

import numpy as np
import pytest
from scipy.optimize import check_grad

import ordinate as od
from ordinate.engine.choices import ChoiceObjective, choices_right
from ordinate.engine.objective import make_objective
from ordinate.losses import ste

POINTS = np.random.default_rng(0).normal(size=(6, 3))
RECORDS = {
    "triplets": od.Comparisons([[0, 1, 2], [3, 4, 5], [5, 0, 1]], weights=[1, 2, 0.5]),
    "pairs": od.Comparisons([[0, 1, 2, 3], [2, 5, 2, 4]]),
    "trials": od.Trials([[0, 1, 2], [3, 5, 4], [1, 5, 0]], weights=[1, 2, 0.5]),
}


@pytest.mark.parametrize("kind", RECORDS)
@pytest.mark.parametrize("similarity", ["euclidean", "dot"])
def test_gradient_is_that_of_finite_differences(kind, similarity, monkeypatch):
    objective = ChoiceObjective(RECORDS[kind], similarity=similarity)
    monkeypatch.setattr(objective, "_dtype", np.float64)  # finite differences need its digits

    def value(x):
        return objective(x.reshape(6, 3))[0]

    def gradient(x):
        return objective(x.reshape(6, 3))[1].ravel()

    assert check_grad(value, gradient, POINTS.ravel()) < 1e-5


@pytest.mark.parametrize("kind", ["triplets", "pairs"])
def test_two_pairs_cost_what_ste_says(kind):
    value, gradient = ChoiceObjective(RECORDS[kind])(POINTS)
    expected = make_objective(RECORDS[kind], ste, [])(POINTS)
    assert value == pytest.approx(expected[0])
    np.testing.assert_allclose(gradient, expected[1], atol=1e-12)


def test_a_trial_weighs_three_pairs():
    line = np.array([[0.0], [1.0], [3.0]])
    value, _ = ChoiceObjective(od.Trials([[0, 1, 2]]))(line)
    assert value == pytest.approx(-np.log(np.exp(-1) / np.exp([-1, -9, -4]).sum()))


def test_a_trial_weighs_three_dot_products():
    points = np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]])
    trial = od.Trials([[0, 1, 2]])
    value, _ = ChoiceObjective(trial, similarity="dot")(points)
    assert value == pytest.approx(-np.log(np.exp(2) / np.exp([2, 0, 3]).sum()))
    assert choices_right(trial, points, "dot").tolist() == [0]


def test_the_sum_has_the_same_bits_for_any_number_of_threads():
    rng = np.random.default_rng(0)
    rows = rng.permuted(np.tile(np.arange(6), (50_000, 1)), axis=1)[:, :3]
    one, two = (ChoiceObjective(od.Trials(rows), n_threads=n)(POINTS) for n in (1, 2))
    assert one[0] == two[0]
    assert np.array_equal(one[1], two[1])


def test_ties_are_shared():
    trials = od.Trials([[0, 1, 2], [0, 2, 1]])
    np.testing.assert_allclose(choices_right(trials, np.zeros((3, 2))), 1 / 3)
    assert choices_right(trials, np.array([[0.0], [1.0], [3.0]])).tolist() == [1, 0]

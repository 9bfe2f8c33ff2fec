"""Every loss against independent implementations, finite differences and extreme distances."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import ordinate as od
from ordinate import losses
from ordinate.engine.cpu import CPUObjective

FIXTURE = json.loads((Path(__file__).parent / "data" / "triplet_losses.json").read_text())
CASES = [
    (losses.soe, (1.0,)),
    (losses.soe, (0.1,)),
    (losses.gnmds, ()),
    (losses.gnmds, (0.5,)),
    (losses.ckl, (0.05,)),
    (losses.ckl, (1.0,)),
    (losses.ste, ()),
    (losses.ste_with_lapses, (0.2,)),
    (losses.logistic, ()),
    (losses.tste, (1.0,)),
    (losses.tste, (9.0,)),
    (losses.tete, (1.0, 1.0)),
    (losses.tete, (1.0, 2.0)),
    (losses.tete, (1.5, 1.3)),
    (losses.tete, (2.0, 1.0)),
    (losses.tete, (2.0, 2.0)),
]
IDS = [f"{loss.__name__}{parameters}" for loss, parameters in CASES]
squared = st.floats(1e-3, 1e3)


# Variants of the toolbox that are not methods of ours: they also try losses from outside.
def gnmds_smooth_hinge(near2, far2):
    gap = 1.0 + near2 - far2
    slope = 1.0 / (1.0 + np.exp(-gap))
    return np.log1p(np.exp(gap)), slope, -slope


def gnmds_exp(near2, far2):
    value = np.exp(near2 - far2)
    return value, value, -value


def ste_probability(near2, far2):
    p = 1.0 / (1.0 + np.exp(near2 - far2))
    return -p, p * (1.0 - p), -p * (1.0 - p)


def tste_probability(near2, far2, alpha):
    power = 0.5 * (alpha + 1.0)
    p = 1.0 / (1.0 + ((alpha + near2) / (alpha + far2)) ** power)
    slope = p * (1.0 - p) * power
    return -p, slope / (alpha + near2), -slope / (alpha + far2)


def toolbox_loss(evaluation):
    method = evaluation["method"]
    use_log = evaluation.get("use_log", 1)
    if method == "ste":
        return (losses.ste if use_log else ste_probability), ()
    if method == "tste":
        return (losses.tste if use_log else tste_probability), (evaluation["alpha"],)
    if method == "ckl":
        return losses.ckl, (evaluation["mu"],)
    own = {"gnmds_hinge": losses.gnmds, "gnmds_log": losses.ste}
    return own.get(method) or globals()[method], ()


@pytest.mark.parametrize("number", range(len(FIXTURE["ste_toolbox"])))
def test_ste_toolbox_evaluations(number):
    evaluation = FIXTURE["ste_toolbox"][number]
    loss, parameters = toolbox_loss(evaluation)
    points = np.array(FIXTURE[evaluation["at"]])
    penalty = evaluation.get("lambda", 0)
    value, gradient = CPUObjective(od.Comparisons(FIXTURE["triplets_noisy"]), loss, parameters)(
        points
    )
    assert value + penalty * np.sum(points**2) == pytest.approx(evaluation["cost"], rel=1e-11)
    expected = np.array(evaluation["gradient"])
    np.testing.assert_allclose(gradient + 2 * penalty * points, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("number", range(len(FIXTURE["tete"])))
def test_tete_authors_evaluations(number):
    evaluation = FIXTURE["tete"][number]
    points = np.array(FIXTURE[evaluation["at"]])
    temperature = float(evaluation["t"])
    objective = CPUObjective(
        od.Comparisons(FIXTURE["triplets_noisy"]), losses.tete, (temperature, temperature)
    )
    value, gradient = objective(points)
    assert value == pytest.approx(evaluation["cost"], rel=1e-12)
    expected = np.array(evaluation["gradient"]) - 2 * evaluation["lambda"] * points
    np.testing.assert_allclose(gradient, expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("number", range(len(FIXTURE["soe"])))
def test_soe_evaluations_of_r(number):
    evaluation = FIXTURE["soe"][number]
    comparisons = od.Comparisons(FIXTURE[evaluation["kind"]], n_objects=30)
    objective = CPUObjective(comparisons, losses.soe, [evaluation["delta"]])
    value, gradient = objective(np.array(FIXTURE[evaluation["at"]]))
    assert value == pytest.approx(evaluation["cost"], rel=1e-10)
    np.testing.assert_allclose(gradient, np.array(evaluation["gradient"]), rtol=1e-7, atol=1e-7)


def beyond_the_hinge(loss, near2, far2, parameters):
    """How far a hinge is from its kink, where it has no derivative; positive where it costs."""
    if loss is losses.gnmds:
        return np.inf if parameters else 1.0 + near2 - far2
    if loss is losses.soe:
        return np.sqrt(near2) + parameters[0] - np.sqrt(far2)
    return np.inf


@pytest.mark.parametrize(("loss", "parameters"), CASES, ids=IDS)
@given(near2=squared, far2=squared)
@example(near2=4.0, far2=0.5)  # a hinge costs
@example(near2=0.5, far2=9.0)  # and does not
def test_partial_derivatives_are_finite_differences(loss, parameters, near2, far2):
    assume(abs(beyond_the_hinge(loss, near2, far2, parameters)) > 1e-2)

    def value(near2, far2):
        return loss(near2, far2, *parameters)[0]

    h, k = 1e-6 * near2, 1e-6 * far2
    by_near = (value(near2 + h, far2) - value(near2 - h, far2)) / (2 * h)
    by_far = (value(near2, far2 + k) - value(near2, far2 - k)) / (2 * k)
    size, derivative_near, derivative_far = loss(near2, far2, *parameters)
    rounding = 1e-12 * abs(size)
    assert derivative_near == pytest.approx(by_near, rel=1e-4, abs=1e-7 + rounding / h)
    assert derivative_far == pytest.approx(by_far, rel=1e-4, abs=1e-7 + rounding / k)


@pytest.mark.parametrize("loss", [losses.soe, losses.gnmds])
def test_a_hinge_is_flat_where_the_answer_holds_by_the_margin(loss):
    assert [float(part) for part in loss(0.5, 9.0)] == [0, 0, 0]
    assert all(abs(part) > 0.1 for part in loss(4.0, 0.5))


@pytest.mark.parametrize(("loss", "parameters"), CASES, ids=IDS)
@given(near2=squared, far2=squared, factor=st.floats(1.01, 10))
def test_grows_with_near_and_falls_with_far(loss, parameters, near2, far2, factor):
    value = loss(near2, far2, *parameters)[0]
    slack = 1e-12 * (1 + abs(value))
    assert loss(factor * near2, far2, *parameters)[0] >= value - slack
    assert loss(near2, factor * far2, *parameters)[0] <= value + slack


@pytest.mark.parametrize(("loss", "parameters"), CASES, ids=IDS)
@pytest.mark.parametrize("near2", [0.0, 1e-12, 1.0, 1e12])
@pytest.mark.parametrize("far2", [0.0, 1e-12, 1.0, 1e12])
def test_compiled_is_finite_and_equals_numpy_at_extremes(loss, parameters, near2, far2):
    points = np.array([[0.0, 0.0], [np.sqrt(near2), 0.0], [0.0, np.sqrt(far2)]])
    objective = CPUObjective(od.Comparisons([[0, 1, 2]]), loss, parameters)
    value, gradient = objective(points)
    expected, derivative_near, derivative_far = loss(
        np.square(points[1, 0]), np.square(points[2, 1]), *parameters
    )
    assert np.isfinite(gradient).all()
    assert value == pytest.approx(float(expected), rel=1e-12, abs=1e-300)
    assert gradient[1, 0] == pytest.approx(
        float(2 * derivative_near * points[1, 0]), rel=1e-11, abs=1e-300
    )
    assert gradient[2, 1] == pytest.approx(
        float(2 * derivative_far * points[2, 1]), rel=1e-11, abs=1e-300
    )


@given(near2=squared, far2=squared)
def test_tete_with_t_1_is_ste_and_tste(near2, far2):
    np.testing.assert_allclose(
        losses.tete(near2, far2, 1.0, 1.0), losses.ste(near2, far2), rtol=1e-10
    )
    np.testing.assert_allclose(
        losses.tete(near2, far2, 1.0, 2.0), losses.tste(near2, far2, 1.0), rtol=1e-10
    )


@given(near2=st.floats(0, 1e6), far2=st.floats(0, 1e6), t=st.floats(1.01, 2), tail=st.floats(1, 2))
def test_tete_is_capped(near2, far2, t, tail):
    assert 0 <= losses.tete(near2, far2, t, tail)[0] <= 1 / (t - 1) + 1e-9


def test_losses_apply_to_arrays():
    near2, far2 = np.random.default_rng(0).random((2, 7))
    for loss, parameters in CASES:
        together = loss(near2, far2, *parameters)
        singly = np.array([loss(a, b, *parameters) for a, b in zip(near2, far2, strict=True)]).T
        np.testing.assert_allclose(together, singly, rtol=1e-14)


@pytest.mark.parametrize("loss", [losses.ste, losses.tste, losses.ckl, losses.logistic])
@pytest.mark.parametrize("lapse", [0.0, 0.3])
def test_lapses_mix_chance_into_the_probability(loss, lapse):
    near2, far2 = np.array([0.5, 2.0, 3.0]), np.array([1.0, 2.0, 0.1])
    value, derivative_near, derivative_far = losses.with_lapses(*loss(near2, far2), lapse)
    np.testing.assert_allclose(
        np.exp(-value), lapse / 2 + (1 - lapse) * np.exp(-loss(near2, far2)[0]), rtol=1e-12
    )
    h = 1e-6

    def at(near2, far2):
        return losses.with_lapses(*loss(near2, far2), lapse)[0]

    numeric = (at(near2 + h, far2) - at(near2 - h, far2)) / (2 * h)
    np.testing.assert_allclose(derivative_near, numeric, rtol=1e-6, atol=1e-9)
    numeric = (at(near2, far2 + h) - at(near2, far2 - h)) / (2 * h)
    np.testing.assert_allclose(derivative_far, numeric, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("rate", [0.0, 0.01, 0.3])
def test_ste_with_lapses_is_ste_mixed_with_chance(rate):
    near2, far2 = np.array([0.5, 2.0, 30.0]), np.array([1.0, 2.0, 0.1])
    np.testing.assert_allclose(
        losses.ste_with_lapses(near2, far2, rate),
        losses.with_lapses(*losses.ste(near2, far2), rate),
        rtol=1e-12,
    )


def test_the_logistic_loss_is_minus_log_of_two_probabilities_that_sum_to_one():
    near2, far2 = np.array([0.5, 2.0, 9.0]), np.array([1.0, 2.0, 0.1])
    both = np.exp(-losses.logistic(near2, far2)[0]) + np.exp(-losses.logistic(far2, near2)[0])
    np.testing.assert_allclose(both, 1.0, rtol=1e-12)


@pytest.mark.parametrize("t", [0.3, 1.0, 1.5, 2.0])
def test_the_generalized_logarithm_undoes_the_generalized_exponential(t):
    x = np.linspace(-0.9, 0.9, 7) * (1 if t == 1 else 1 / abs(1 - t))
    np.testing.assert_allclose(losses.log_t(losses.exp_t(x, t), t), x, atol=1e-9)


def test_the_generalized_functions_are_those_of_the_paper():
    x = np.array([0.2, 1.0, 7.0])
    np.testing.assert_allclose(losses.log_t(x, 1.5), (x**-0.5 - 1) / -0.5)
    np.testing.assert_allclose(losses.exp_t(-x, 1.5), (1 + 0.5 * x) ** -2)
    assert losses.exp_t(-5.0, 0.5) == 0  # cut off below
    assert losses.exp_t(2.0, 1.5) == np.inf
    assert losses.log_t(1e30, 1.5) == pytest.approx(2.0)  # the cap


def test_the_loss_of_tete_is_made_of_them():
    near2, far2 = np.array([0.3, 2.0]), np.array([1.7, 0.4])
    ratio = losses.exp_t(-far2, 1.8) / losses.exp_t(-near2, 1.8)
    np.testing.assert_allclose(
        losses.tete(near2, far2, 1.3, 1.8)[0], losses.log_t(1 + ratio, 1.3), rtol=1e-12
    )

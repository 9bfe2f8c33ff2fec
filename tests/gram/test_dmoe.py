import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from sklearn.exceptions import ConvergenceWarning

import ordinate as od
from ordinate.gram.dmoe import distribution_proximal, margin_loss, two_sided_proximal
from ordinate.gram.objective import ComparedPairs, GramObjective

POINTS = od.datasets.load_cities().points[:20]
TRAIN = od.sources.random_triplets(POINTS, 200, random_state=0)


@given(
    slack=st.floats(-5, 5),
    step=st.floats(0.01, 3),
    nu=st.floats(0, 2),
    weight=st.floats(0, 3),
    power=st.sampled_from([1, 2]),
)
@settings(max_examples=100, deadline=None)
def test_proximal_map_by_brute_force(slack, step, nu, weight, power):
    def cost(e):
        loss = max(e, 0) ** power + nu * max(-e, 0) ** power
        return step * weight * loss + 0.5 * (e - slack) ** 2

    found = two_sided_proximal(power, nu, np.array([weight]))(np.array([slack]), step)[0]
    best = minimize_scalar(cost, bounds=(-6, 6), method="bounded", options={"xatol": 1e-9})
    assert cost(found) <= best.fun + 1e-9


def test_without_the_second_side_it_is_gnmds():
    model = od.DMOE(2, nu=0.0, penalty=2.0, tol=1e-6).fit(TRAIN)
    hinge = GramObjective(TRAIN, od.losses.gnmds)(model.gram_)[0] + 2.0 * np.trace(model.gram_)
    assert model.loss_ == pytest.approx(hinge, rel=1e-12)
    descent = od.GramEmbedding(20, loss="gnmds", penalty=2.0, tol=1e-6).fit(TRAIN)
    assert descent.loss_ == pytest.approx(model.loss_, rel=1e-4)  # the same convex problem


def test_margins_gather_around_the_one_aimed_at():
    loose, tight = (
        od.DMOE(2, nu=nu, penalty=1.0).fit(TRAIN).margin_distribution(TRAIN) for nu in (0.0, 1.0)
    )
    assert tight.variance < loose.variance


def test_power_one_only_scales_with_the_margin():
    options = {"penalty": 2.0, "tol": 1e-7, "max_iter": 20_000}
    one, five = (od.DMOE(2, margin=margin, **options).fit(TRAIN) for margin in (1.0, 5.0))
    assert five.loss_ == pytest.approx(5 * one.loss_, rel=1e-4)


def test_power_two_depends_on_penalty_over_margin():
    one = od.DMOE(2, power=2, penalty=1.0, tol=1e-7, max_iter=20_000).fit(TRAIN)
    five = od.DMOE(2, power=2, margin=5.0, penalty=5.0, tol=1e-7, max_iter=20_000).fit(TRAIN)
    np.testing.assert_allclose(five.gram_, 5 * one.gram_, atol=1e-3 * five.gram_.max())


def test_reports_residuals_and_warns_short_of_convergence():
    model = od.DMOE(2, penalty=2.0).fit(TRAIN)
    assert model.residuals_.shape == (model.n_iter_, 2)
    assert model.residuals_[-1].max() <= 1e-5
    with pytest.warns(ConvergenceWarning, match=r"max_iter=3 .* raise max_iter or tol"):
        od.DMOE(2, penalty=2.0, max_iter=3).fit(TRAIN)


@pytest.mark.usual_data
def test_chooses_the_penalty_by_cross_validation():
    model = od.DMOE(2, random_state=0).fit(TRAIN)
    assert model.search_.errors.shape == (5, len(model.search_.strengths))
    assert model.penalty_ > 0
    assert model.score(od.sources.all_triplets(POINTS)) > 0.75
    again = od.DMOE(2, random_state=0).fit(TRAIN)
    np.testing.assert_array_equal(model.gram_, again.gram_)
    assert od.DMOE(2, penalty=1.0).fit(TRAIN).search_ is None


@pytest.mark.usual_data
def test_quadruplets_are_answers_too():
    train = od.sources.random_quadruplets(POINTS, 300, random_state=0)
    model = od.DMOE(2, nu=0.1, penalty=10.0).fit(train)
    assert model.score(od.sources.random_quadruplets(POINTS, 2000, random_state=1)) > 0.8


def test_fewer_answers_than_objects():
    model = od.DMOE(2, random_state=0).fit(od.Comparisons(TRAIN.rows[:5], n_objects=20))
    assert model.gram_.shape == (20, 20)
    assert np.isfinite(model.embedding_).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"nu": -0.1}, "nu must be"),
        ({"nu": 1.5}, "nu must be"),
        ({"penalty": -1.0}, "penalty must be"),
        ({"margin": 0.0}, "margin must be"),
        ({"power": 3}, "power must be 1 or 2; got 3"),
        ({"n_components": 0}, "n_components must be"),
        ({"tol": 0.0}, "tol must be"),
        ({"max_iter": 0}, "max_iter must be"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(od.InputError, match=message):
        od.DMOE(**parameters).fit(TRAIN)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_proximal_map_of_mean_and_variance_is_a_minimum(weighted):
    rng = np.random.default_rng(0)
    slack, step = 2 * rng.standard_normal(9), 0.7
    weights = rng.uniform(0.5, 2, 9) if weighted else None
    w = np.ones(9) if weights is None else weights

    def objective(e):
        mean = np.average(e, weights=w)
        losses = np.maximum(e, 0) + 0.3 * np.maximum(-e, 0) + 0.2 * e + 0.4 * (e - mean) ** 2
        return w @ losses + np.sum((e - slack) ** 2) / (2 * step)

    found = distribution_proximal(0.3, 0.2, 0.4, weights)(slack, step)
    for _ in range(200):
        assert objective(found) <= objective(found + 1e-3 * rng.standard_normal(9)) + 1e-12


def test_the_first_formulation_shapes_mean_and_variance():
    points = np.random.default_rng(0).normal(size=(12, 2))
    answers = od.sources.random_triplets(points, 150, random_state=0)
    plain, mean, even = (
        od.DMOE(2, nu=0.0, penalty=2.0, **weights).fit(answers)
        for weights in ({}, {"mean_weight": 0.3, "variance_weight": 0.1}, {"variance_weight": 1.0})
    )
    margins = [model.margin_distribution(answers) for model in (plain, mean, even)]
    assert margins[2].variance < margins[0].variance
    assert margins[1].mean > margins[0].mean
    rng = np.random.default_rng(1)

    def objective(gram):  # as the docstring has it
        m = ComparedPairs(answers).margins(gram)
        hinge = np.maximum(1 - m, 0).sum() - 0.3 * m.sum() + 0.1 * np.square(m - m.mean()).sum()
        return hinge + 2.0 * np.trace(gram)

    assert mean.loss_ == pytest.approx(objective(mean.gram_))
    for _ in range(20):
        step = rng.normal(size=(12, 12))
        assert objective(mean.gram_) <= objective(mean.gram_ + 0.01 * step @ step.T) + 1e-3
    with pytest.raises(od.InputError, match="are for power 1; got power 2"):
        od.DMOE(power=2, mean_weight=1.0).fit(answers)


def test_without_a_penalty_clean_answers_are_satisfied():
    points = np.random.default_rng(0).normal(size=(10, 2))
    answers = od.sources.random_triplets(points, 100, random_state=0)
    model = od.DMOE(2, nu=0.0, penalty=0).fit(answers)
    assert model.penalty_ == 0
    assert model.score(answers) == 1


def test_the_bound_is_equation_18():
    points = np.random.default_rng(0).normal(size=(10, 2))
    answers = od.sources.random_triplets(points, 100, random_state=0)
    model = od.DMOE(2, nu=0.5, penalty=1.0).fit(answers)
    mu = np.abs(model.gram_).max()
    expected = 4 * mu * 1.5 * np.sqrt(32 * 10 * 2 * np.log(10) / 100)
    expected += 8 * mu * 1.5 * np.sqrt(2 * np.log(2 / 0.05) / 100)
    assert model.generalization_bound(100) == pytest.approx(expected)
    assert model.generalization_bound(10_000) < model.generalization_bound(100)


@pytest.mark.parametrize("power", [1, 2])
def test_the_loss_of_placing_has_its_derivatives(power):
    near2, far2 = np.array([0.3, 2.0, 0.1]), np.array([0.9, 0.4, 5.0])
    value, near, far = margin_loss(near2, far2, 1.0, 0.3, power)
    slack = 1 - far2 + near2
    np.testing.assert_allclose(
        value, np.maximum(slack, 0) ** power + 0.3 * np.maximum(-slack, 0) ** power
    )
    for derivative, moved in ((near, (near2 + 1e-6, far2)), (far, (near2, far2 + 1e-6))):
        changed = margin_loss(*moved, 1.0, 0.3, power)[0]
        np.testing.assert_allclose(derivative, (changed - value) / 1e-6, atol=1e-4)


@pytest.mark.usual_data
def test_new_objects_find_their_places():
    points = np.random.default_rng(0).normal(size=(21, 2))
    old = od.sources.random_triplets(points[:20], 600, random_state=0)
    everything = od.sources.random_triplets(points, 4000, random_state=1)
    about_new = everything[(everything.rows == 20).any(axis=1)]
    model = od.DMOE(2, nu=0.0, penalty=5.0, random_state=0).fit(old)
    placed = model.transform(about_new)
    np.testing.assert_array_equal(placed[:20], model.embedding_)
    assert od.metrics.triplet_accuracy(about_new, placed) > 0.8

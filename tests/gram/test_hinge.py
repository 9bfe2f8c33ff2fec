"""Losses with kinks over Gram matrices: beside the convex problem of DMOE, and many starts."""

import numpy as np
import pytest

import ordinate as od
from ordinate.gram.dmoe import margin_loss
from ordinate.gram.hinge import HingeProblem, rounded_hinge


def noisy_triplets(seed, *, fixed=False):
    own = [seed] if fixed else seed
    rng = np.random.default_rng(own)
    n = int(rng.integers(8, 14))
    points = rng.normal(size=(n, 3))
    rows = od.sources.random_triplets(
        points, 9 * n, random_state=np.random.default_rng(own)
    ).rows.copy()
    wrong = rng.random(len(rows)) < 0.15
    rows[wrong] = rows[wrong][:, [0, 2, 1]]
    weights = rng.uniform(0.5, 2.0, size=len(rows)) if seed % 2 else None
    return od.Comparisons(rows, n_objects=n, weights=weights), float(rng.choice([0.5, 1, 3, 6]))


@pytest.mark.parametrize("seed", range(20))
def test_at_full_rank_it_reaches_the_optimum_of_the_convex_problem(seed):
    answers, penalty = noisy_triplets(seed)
    convex = od.DMOE(2, nu=0, power=1, penalty=penalty, tol=1e-6, max_iter=9000).fit(answers)
    model = od.GramEmbedding(answers.n_objects, penalty=penalty).fit(answers)
    assert model.converged_
    assert model.loss_ == pytest.approx(convex.loss_, rel=1e-3)


@pytest.mark.parametrize("nu", [0.3, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_loss_of_dmoe_reaches_the_optimum_of_its_convex_problem(seed, nu):
    answers, penalty = noisy_triplets(seed)
    convex = od.DMOE(2, nu=nu, penalty=penalty, tol=1e-6, max_iter=9000).fit(answers)
    full = od.GramEmbedding(answers.n_objects, loss="dmoe", nu=nu, penalty=penalty).fit(answers)
    plane = od.GramEmbedding(2, loss="dmoe", nu=nu, penalty=penalty, random_state=0).fit(answers)
    assert full.converged_
    assert full.loss_ == pytest.approx(convex.loss_, rel=1e-3)
    assert plane.converged_
    assert plane.loss_ >= convex.loss_ * (1 - 1e-3)
    assert np.linalg.matrix_rank(plane.gram_, tol=1e-8) <= 2
    # what it minimises, written out from equation (15)
    squared = np.diagonal(plane.gram_)[:, None] + np.diagonal(plane.gram_) - 2 * plane.gram_
    anchor, near, far = answers.rows.T
    slack = 1 - squared[anchor, far] + squared[anchor, near]
    weights = np.ones(len(slack)) if answers.weights is None else answers.weights
    written = weights @ np.where(slack > 0, slack, -nu * slack) + penalty * np.trace(plane.gram_)
    assert plane.loss_ == pytest.approx(written, rel=1e-9)


def test_a_cut_of_the_convex_optimum_is_not_the_best_matrix_of_its_rank():
    answers, penalty = noisy_triplets(2)
    problem = HingeProblem(answers, 1, nu=1.0)
    found = problem.solve(penalty, max_iter=2000, tol=1e-4)
    values, vectors = np.linalg.eigh(found.unbounded.gram)
    cut = vectors[:, -1:] * np.sqrt(values[-1])
    assert found.result.value < 0.999 * problem._value(cut, penalty)


@pytest.mark.parametrize("seed", range(4))
def test_with_two_dimensions_it_comes_near_the_best_of_many_starts(seed):
    answers, penalty = noisy_triplets(seed, fixed=True)  # its search may miss the best of others
    starts = np.random.default_rng([7]).normal(size=(30, answers.n_objects, 2))
    best = HingeProblem(answers, 2).solve(penalty, max_iter=2000, tol=1e-4, starts=starts)
    model = od.GramEmbedding(2, penalty=penalty, random_state=np.random.default_rng([seed])).fit(
        answers
    )
    assert model.converged_
    assert model.loss_ <= 1.005 * best.result.value
    assert np.linalg.matrix_rank(model.gram_, tol=1e-8) <= 2


def test_short_of_a_proof_it_does_not_claim_the_optimum():
    answers, penalty = noisy_triplets(0)
    found = HingeProblem(answers, answers.n_objects).solve(penalty, max_iter=5, tol=1e-4)
    assert not found.unbounded.converged
    assert not found.result.converged


def test_without_a_penalty_answers_that_agree_are_fitted():
    answers = od.Comparisons([[0, 1, 2], [0, 2, 3]])
    found = HingeProblem(answers, 2).solve(0.0, max_iter=500, tol=1e-4)
    assert found.result.converged
    assert found.result.value < 1e-3


def test_a_large_penalty_leaves_nothing():
    found = HingeProblem(od.Comparisons([[0, 1, 2]]), 2).solve(9.0, max_iter=500, tol=1e-4)
    assert found.result.converged
    assert found.result.value == pytest.approx(1.0)
    assert not found.result.points.any()


@pytest.mark.parametrize("nu", [0.0, 0.4, 1.0])
def test_the_rounded_hinge_has_its_derivatives_and_nears_the_hinge(nu):
    near, far = np.random.default_rng(0).uniform(0, 2, size=(2, 100))
    value, by_near, by_far = rounded_hinge(near, far, 0.3, nu)
    step = 1e-6
    above = rounded_hinge(near + step, far, 0.3, nu)[0]
    below = rounded_hinge(near - step, far, 0.3, nu)[0]
    np.testing.assert_allclose((above - below) / (2 * step), by_near, atol=1e-5)
    np.testing.assert_array_equal(by_far, -by_near)
    below_hinge = margin_loss(near, far, 1.0, nu, 1.0)[0] - value
    assert below_hinge.min() >= 0
    assert below_hinge.max() <= 0.15 + 1e-12

"""The Gaussian prior of a map: whitening, gradients, new objects, and what features do to maps."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.spatial.distance import cdist, pdist

import ordinate as od
from ordinate.engine.objective import make_objective
from ordinate.prior import FeatureKernel, Prior, PriorFits, fit_map

RNG_SEED = [3]


def draw_features(n_objects=30, n_features=6):
    return np.random.default_rng(RNG_SEED).normal(size=(n_objects, n_features))


def dense_kernel(left, right, kind, fitted):
    """Return the kernel by its formula, features standardised by those fitted."""
    spread = fitted.std(axis=0) * fitted.shape[1] ** 0.5
    left, right, fitted = ((rows - fitted.mean(axis=0)) / spread for rows in (left, right, fitted))
    median = np.median(pdist(fitted, "sqeuclidean"))
    linear, local = left @ right.T, np.exp(-cdist(left, right, "sqeuclidean") / median)
    return {"linear": linear, "local": local, "sum": (linear + local) / 2}[kind]


@pytest.mark.parametrize("kind", ["linear", "local", "sum"])
@pytest.mark.parametrize("n_features", [3, 50])
def test_products_of_the_factor_are_the_kernel(kind, n_features):
    features = draw_features(40, n_features)
    known, new = features[:30], features[30:]
    kernel = FeatureKernel(known, kind)
    expected = dense_kernel(known, known, kind, known)
    np.testing.assert_allclose(kernel.factor @ kernel.factor.T, expected, atol=1e-6)
    across = dense_kernel(new, known, kind, known)
    np.testing.assert_allclose(kernel(new) @ kernel.factor.T, across, atol=1e-6)
    itself = np.diag(dense_kernel(new, new, kind, known))
    np.testing.assert_allclose(kernel.diagonal(new), itself)
    assert np.trace(expected) / 30 == pytest.approx(1)
    assert kernel.factor.shape[1] <= 60  # however many features there are


def test_objects_without_features_are_similar_to_none():
    features = draw_features()
    features[4] = np.nan
    factor = FeatureKernel(features).factor
    assert (factor[4] == 0).all()
    np.testing.assert_allclose(
        np.delete(factor, 4, axis=0), FeatureKernel(np.delete(features, 4, axis=0)).factor
    )


@pytest.mark.parametrize(("rows", "words"), [(1.0, "constant"), (1e200, "overflow")])
def test_features_that_tell_nothing_are_refused(rows, words):
    features = rows * (draw_features() if rows > 1 else np.ones((5, 2)))
    with pytest.raises(od.InputError, match=words):
        FeatureKernel(features)


def test_whitened_coordinates_have_the_covariance_of_the_prior():
    prior = Prior(FeatureKernel(draw_features(12)).factor, 0.8, 2.0)
    coloring = prior.color(np.eye(prior.n_whitened))
    np.testing.assert_allclose(coloring @ coloring.T, prior.covariance(), atol=1e-10)
    pull = np.random.default_rng(0).normal(size=(12, 2))
    np.testing.assert_allclose(prior.pull_back(pull), coloring.T @ pull, atol=1e-10)


@pytest.mark.parametrize(("share", "trust"), [(0.0, 0.0), (0.8, 0.0), (0.8, 3.0)])
def test_the_gradient_agrees_with_finite_differences(share, trust):
    rng = np.random.default_rng(0)
    prior = Prior(FeatureKernel(draw_features(8, 3)).factor, share, 0.5, trust)
    answers = od.sources.random_triplets(rng.normal(size=(8, 2)), 40, random_state=0)
    total = prior.objective(make_objective(answers, od.losses.ste), 2)
    at = rng.normal(size=(prior.n_whitened, 2))
    shape = at.shape
    slope = total(at)[1].ravel()
    error = check_grad(
        lambda z: total(z.reshape(shape))[0],
        lambda z: total(z.reshape(shape))[1].ravel(),
        at.ravel(),
    )
    assert error < 1e-4 * np.linalg.norm(slope)


def test_the_fitted_map_is_the_mode_under_the_dense_covariance():
    prior = Prior(FeatureKernel(draw_features(12, 4)).factor, 0.8, 0.5)
    truth = draw_features(12, 4)[:, :2]
    answers = od.sources.random_triplets(truth, 200, random_state=0)
    loss = make_objective(answers, od.losses.ste)
    starts = prior.starts(answers, 2, np.random.default_rng(0))
    points = prior.color(fit_map(loss, prior, starts, max_iter=2000, tol=1e-12).points)
    pull = loss(points)[1] + np.linalg.solve(prior.covariance(), points)
    assert np.abs(pull).max() < 1e-3 * np.abs(loss(points)[1]).max()


def test_without_answers_a_trusted_map_is_the_principal_axes():
    features = draw_features(20, 5) * [3, 2, 1, 1, 1]
    prior = Prior(FeatureKernel(features, "linear", standardise=False).factor, 0.9, 1.0, 10.0)
    found = fit_map(
        lambda points: (0.0, np.zeros_like(points)),
        prior,
        [0.1 * np.random.default_rng(0).standard_normal((prior.n_whitened, 2))],
        max_iter=1000,
        tol=1e-9,
    )
    centered = features - features.mean(axis=0)
    axes = centered @ np.linalg.svd(centered)[2][:2].T
    ratio = pdist(prior.color(found.points)) / pdist(axes)
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-3)


@pytest.mark.parametrize("kind", ["linear", "local", "sum"])
def test_new_objects_have_the_mean_and_variance_of_a_gaussian_process(kind):
    features = draw_features(40, 4)
    known, new = features[:30], features[30:]
    kernel = FeatureKernel(known, kind)
    prior = Prior(kernel.factor, 0.8, 0.5)
    answers = od.sources.random_triplets(known[:, :2], 600, random_state=0)
    starts = prior.starts(answers, 2, np.random.default_rng(0))
    loss = make_objective(answers, od.losses.ste)
    white = fit_map(loss, prior, starts, max_iter=3000, tol=1e-12).points
    across = 0.8 * dense_kernel(new, known, kind, known)
    covariance = prior.covariance() / 0.5
    expected = across @ np.linalg.solve(covariance, prior.color(white))
    placed = kernel(new) @ prior.weights(white)
    np.testing.assert_allclose(placed, expected, atol=1e-2 * np.abs(expected).max())
    itself = 0.8 * np.diag(dense_kernel(new, new, kind, known)) + 0.2
    variances = 0.5 * (itself - np.sum(across * np.linalg.solve(covariance, across.T).T, axis=1))
    found = prior.variances(kernel(new), kernel.diagonal(new), np.ones(30, dtype=bool))
    np.testing.assert_allclose(found, variances, rtol=1e-5)


def test_many_objects_have_a_factor_of_few_columns():
    factor = FeatureKernel(draw_features(1500, 5), "local").factor
    assert factor.shape[1] <= 600
    assert (np.square(factor).sum(axis=1) <= 1 + 1e-9).all()


def judge(part, points):
    """Return whether each answer is wrong, and its loss at three sizes."""
    near, far = (np.square(points[part.rows[:, 0]] - points[part.rows[:, k]]).sum(axis=1)
                 for k in (1, 2))  # fmt: skip
    return np.column_stack([near > far, *(np.logaddexp(0, s * (near - far)) for s in (0.3, 1, 3))])


def error_of_maps(features, truth, n_answers, seed):
    """Return the errors of the map whose prior is chosen, and of the best that ignores features."""
    answers = od.sources.random_triplets(
        truth, n_answers, noise=od.sources.FlippedAnswers(0.1), random_state=seed
    )
    test = od.sources.random_triplets(truth, 4000, random_state=99)
    fits = PriorFits(
        answers,
        features,
        2,
        lambda part: make_objective(part, od.losses.ste),
        judge,
    )
    fold = np.random.default_rng(seed).permutation(n_answers) % 3
    chosen = fits.choose([fold == number for number in range(3)])
    errors = []
    for choice in (chosen, fits.best_of(with_features=False)):
        prior, found = fits.fit(choice)
        errors.append(od.metrics.triplet_error(test, prior.color(found.points)))
    return errors


@pytest.mark.usual_data
def test_good_features_save_answers_and_random_ones_do_no_harm():
    rng = np.random.default_rng(RNG_SEED)
    truth = rng.normal(size=(40, 2))
    good = np.hstack([truth, 0.3 * rng.normal(size=(40, 3))])
    helped, alone = np.mean([error_of_maps(good, truth, 120, seed) for seed in range(2)], axis=0)
    assert helped < alone - 0.08
    useless = rng.normal(size=(40, 5))
    harmed, alone = np.mean([error_of_maps(useless, truth, 500, seed) for seed in range(2)], axis=0)
    assert harmed < alone + 0.02

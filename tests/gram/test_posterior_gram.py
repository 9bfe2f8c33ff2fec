import numpy as np
import pytest
from sklearn.base import clone

import ordinate as od
from ordinate.gram.objective import ComparedPairs, GramObjective
from ordinate.gram.posterior_gram import (
    PRIORS,
    at_unit_spread,
    independent_mode,
    low_rank_mean,
    stacking_weights,
)

RNG = np.random.default_rng(0)
POINTS = RNG.standard_normal((25, 5))
TRAIN = od.sources.random_triplets(POINTS, 100, random_state=0)
TEST = od.sources.all_triplets(POINTS)


@pytest.fixture(scope="module")
def fitted():
    return od.PosteriorGram(5, n_draws=150, random_state=0).fit(TRAIN)


@pytest.mark.usual_data
def test_beats_a_single_map_where_answers_are_few():
    gains = []
    for seed in range(1, 5):
        few = od.sources.random_triplets(POINTS, 100, random_state=seed)
        averaged = od.PosteriorGram(5, n_draws=150, random_state=0).fit(few)
        gains.append(averaged.score(TEST) - od.STE(5, random_state=0).fit(few).score(TEST))
    assert np.mean(gains) > 0.005


def test_gram_matrix_is_positive_semidefinite_and_weights_sum_to_one(fitted):
    assert np.linalg.eigvalsh(fitted.gram_)[0] > -1e-9
    assert tuple(fitted.weights_) == PRIORS
    assert sum(fitted.weights_.values()) == pytest.approx(1.0)
    assert fitted.embedding_.shape == (25, 5)


def test_same_bits_for_any_number_of_jobs(fitted):
    other = clone(fitted).set_params(n_jobs=1).fit(TRAIN)
    np.testing.assert_array_equal(fitted.gram_, other.gram_)


def test_the_independent_mode_is_stationary():
    gram, _ = independent_mode(TRAIN, max_iter=1000, tol=1e-12)
    gradient = GramObjective(TRAIN, od.losses.ste)(gram)[1]
    off = ~np.eye(25, dtype=bool)
    # each off-diagonal entry stands for two, with variance 1; squared norms have variance 1/4
    np.testing.assert_allclose(2 * gradient[off] + gram[off], 0, atol=1e-3)
    # and a mean that is a multiple of the exposure
    excess = np.diagonal(gradient / 4 + gram)
    exposure = np.log1p(np.bincount(TRAIN.rows.ravel(), minlength=25))
    exposure -= exposure.mean()
    slope = excess @ exposure / (exposure @ exposure)
    np.testing.assert_allclose(excess, slope * exposure, atol=1e-3)


def test_exposure_counts_where_frequent_objects_are_far():
    rng = np.random.default_rng(1)
    often = rng.random(40) < 0.5
    rows = []
    while len(rows) < 150:
        anchor, near, far = rng.choice(40, 3, replace=False, p=(1 + 4 * often) / sum(1 + 4 * often))
        if not often[near] and often[far]:
            rows.append([anchor, near, far])
    gram, _ = independent_mode(od.Comparisons(rows[:100], n_objects=40), max_iter=500, tol=1e-6)
    assert od.metrics.triplet_accuracy(od.Comparisons(rows[100:], n_objects=40), gram=gram) > 0.75


def test_without_answers_about_it_an_object_keeps_the_mean_of_the_prior():
    train = od.Comparisons(TRAIN.rows, n_objects=26)
    gram, chances = low_rank_mean(
        train, train[:0], 5, 10.0, n_draws=800, rng=np.random.default_rng(0)
    )
    scale2 = 10.0 / np.sqrt(12 * 5)
    assert gram[25, 25] == pytest.approx(5 * scale2, rel=0.2)
    assert np.abs(gram[25, :25]).max() < 0.3 * gram[25, 25]
    assert chances.shape == (0,)


def test_stacking_prefers_the_better_model_and_mixes_complements():
    good, bad = np.full(50, 0.9), np.full(50, 0.3)
    assert stacking_weights(np.array([good, bad]))[0] > 0.99
    left, right = np.r_[good[:25], bad[:25]], np.r_[bad[:25], good[:25]]
    np.testing.assert_allclose(stacking_weights(np.array([left, right])), 0.5, atol=1e-6)
    heavy = np.r_[np.full(25, 10.0), np.full(25, 1.0)]
    assert stacking_weights(np.array([left, right]), heavy)[0] > 0.8


def test_a_gram_matrix_is_scaled_to_unit_spread():
    gram = at_unit_spread(POINTS @ POINTS.T)
    norms = np.diagonal(gram)
    squared = norms[:, None] + norms - 2 * gram
    others = squared[~np.eye(25, dtype=bool)].reshape(25, 24)
    assert np.mean((others[:, :, None] - others[:, None, :]) ** 2) == pytest.approx(1)
    np.testing.assert_array_equal(at_unit_spread(np.zeros((3, 3))), 0)


def test_one_answer_is_believed():
    assert od.PosteriorGram(2, n_draws=50, random_state=0).fit([[0, 1, 2]]).score([[0, 1, 2]]) == 1


def test_quadruplets_are_answers_too():
    train = od.sources.random_quadruplets(POINTS, 100, random_state=0)
    rng = np.random.default_rng(0)
    for gram in (
        independent_mode(train, max_iter=100, tol=1e-4)[0],
        low_rank_mean(train, train[:0], 5, 10.0, n_draws=100, rng=rng)[0],
    ):
        assert od.metrics.triplet_accuracy(train, gram=gram) > 0.8


def test_refuses_too_few_draws():
    with pytest.raises(od.InputError, match="n_draws must be an integer >= 2"):
        od.PosteriorGram(n_draws=1).fit(TRAIN)


def test_an_answer_of_weight_three_counts_as_three_answers():
    rows = [[0, 1, 2], [1, 2, 0], [1, 2, 3]]
    weighted = od.Comparisons(rows, weights=[1, 3, 1])
    unweighted = od.Comparisons(rows)
    by_weight, _ = independent_mode(weighted, max_iter=1000, tol=1e-12)
    plain, _ = independent_mode(unweighted, max_iter=1000, tol=1e-12)
    margin = [ComparedPairs(unweighted).margins(gram)[1] for gram in (by_weight, plain)]
    assert margin[0] > margin[1] + 0.05
    # at the mode the pull of the likelihood, weights included, balances the prior
    gradient = GramObjective(weighted, od.losses.ste)(by_weight)[1]
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(2 * gradient[off] + by_weight[off], 0, atol=1e-3)

import numpy as np
import pytest
from scipy.stats import zscore

import ordinate as od
from ordinate.ratings.normalization import NORMALIZATIONS, Normalization


def scores(how, users, items, values):
    ratings = od.Ratings(users, items, values)
    return Normalization.of(how, ratings).scores(ratings)


def test_zscores_are_those_of_scipy_and_constant_users_score_zero():
    values = np.array([5.0, 3.0, 4.0, 2.0, 2.0])
    found = scores("zscore", [0, 0, 0, 1, 1], [0, 1, 2, 0, 1], values)
    np.testing.assert_allclose(found[:3], zscore(values[:3]), atol=1e-9)
    np.testing.assert_array_equal(found[3:], 0)


def test_equal_histograms_give_equal_scores_whatever_the_order():
    rng = np.random.default_rng(0)
    values = rng.integers(1, 6, 101) + 0.1
    both = np.concatenate([values, rng.permutation(values)])
    found = scores("zscore", np.repeat([0, 1], 101), np.tile(np.arange(101), 2), both)
    assert set(found[:101]) == set(found[101:])


def test_shares_divide_by_the_total_of_the_user():
    found = scores("share", [0, 0, 1, 1], [0, 1, 0, 1], [1, 3, 20, 20])
    np.testing.assert_array_equal(found, [0.25, 0.75, 0.5, 0.5])
    with pytest.raises(od.InputError, match=r"lowest value is -3\. Use normalize='zscore'"):
        scores("share", [0, 0], [0, 1], [1, -3])


def test_parts_of_a_table_are_measured_together():
    rng = np.random.default_rng(0)
    whole = od.Ratings(np.repeat([0, 1], 20), np.tile(np.arange(20), 2), rng.normal(size=40))
    parts = whole.train_test_split(0.3, random_state=0)
    expected = Normalization.of("zscore", whole).scores(whole)
    together = Normalization.of("zscore", *parts)
    for part in parts:
        places = part.users * 20 + part.items
        np.testing.assert_allclose(together.scores(part), expected[places], atol=1e-8)


@pytest.mark.parametrize("how", NORMALIZATIONS)
def test_users_without_ratings_are_harmless(how):
    ratings = od.Ratings([1, 1], [0, 1], [2, 4], user_names=["a", "b", "c"])
    found = Normalization.of(how, ratings)
    assert np.isfinite(found(np.array([0, 1, 2]), np.ones(3))).all()


def test_other_kinds_are_refused():
    with pytest.raises(od.InputError, match="normalize must be one of 'zscore', 'share', 'none'"):
        scores("mean", [0, 0], [0, 1], [1, 2])

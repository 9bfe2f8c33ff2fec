import numpy as np

from ordinate.ratings.connected import SCALES, has_pairs, same_share_of_each, with_enough


def test_pairs_need_one_owner_with_two_scores():
    assert has_pairs(np.array([0, 1, 1]), np.array([1.0, 2.0, 3.0]))
    assert not has_pairs(np.array([0, 1, 1]), np.array([1.0, 2.0, 2.0]))


def test_with_enough_marks_what_remains():
    kept = with_enough(np.array([0, 0, 1]), np.array([0, 1, 0]), 1, 2)
    np.testing.assert_array_equal(kept, [True, False, True])


def test_shares_are_random_but_equal():
    users = np.repeat([0, 2], [10, 20])
    chosen = same_share_of_each(users, 0.3, np.random.default_rng(0))
    assert chosen[:10].sum() == 3
    assert chosen[10:].sum() == 6
    other = same_share_of_each(users, 0.3, np.random.default_rng(1))
    assert not np.array_equal(chosen, other)


def test_scales_of_users_without_ratings_are_harmless():
    for scale in SCALES.values():
        shift, divisor = scale(np.array([1, 1]), np.array([2.0, 4.0]), 3)
        assert np.isfinite(shift).all()
        assert (divisor > 0).all()

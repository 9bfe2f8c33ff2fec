import numpy as np
import pytest

from ordinate.ratings.ranked_lists import RankedLists


def test_lists_hold_each_rating_twice_in_order_of_rank():
    users, items = np.array([0, 0, 1], dtype=np.int32), np.array([0, 1, 1], dtype=np.int32)
    lists = RankedLists(users, items, np.array([2.0, 1.0, 2.0]), 2, 2)
    np.testing.assert_array_equal(lists.offsets, [0, 2, 3, 4, 6])
    np.testing.assert_array_equal(lists.entries[:, 0], [3, 2, 3, 0, 0, 1])
    np.testing.assert_array_equal(lists.entries[:, 1], [0, 1, 0, 0, 0, 1])


def test_ties_share_a_rank_and_keep_their_order():
    items = np.array([4, 1, 3, 0, 2])
    lists = RankedLists(np.zeros(5, int), items, np.array([2.0, 7.0, 2.0, 7.0, 5.0]), 1, 5)
    np.testing.assert_array_equal(lists.entries[:5, 0], 1 + np.array([4, 3, 2, 1, 0]))
    np.testing.assert_array_equal(lists.entries[:5, 1], [0, 0, 1, 2, 2])
    assert lists.count_pairs()[0] == 8


@pytest.mark.parametrize("n_threads", [2, 5])
def test_order_of_ratings_and_threads_change_nothing(n_threads):
    rng = np.random.default_rng(0)
    users, items = np.nonzero(rng.random((60, 80)) < 0.5)
    scores = rng.normal(size=len(users))
    mixed = rng.permutation(len(users))
    one = RankedLists(users, items, scores, 60, 80)
    many = RankedLists(users[mixed], items[mixed], scores[mixed], 60, 80, n_threads)
    np.testing.assert_array_equal(many.offsets, one.offsets)
    np.testing.assert_array_equal(many.entries, one.entries)
    np.testing.assert_array_equal(many.count_pairs(), one.count_pairs())

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordinate.engine.ranked_lists import RankedLists


def make_lists(seed, n_users, n_items, n_levels, share=0.6):
    rng = np.random.default_rng(seed)
    users, items = np.nonzero(rng.random((n_users, n_items)) < share)
    scores = rng.integers(0, n_levels, len(users)).astype(float)
    lists = RankedLists(users.astype(np.int32), items.astype(np.int32), scores, n_users, n_items)
    return lists, list(zip(users, items, scores, strict=True)), rng


def count_by_hand(ratings, points, n_users, n_items):
    n = n_users + n_items
    right, pairs, right_in, pairs_in = (np.zeros(n, dtype=int) for _ in range(4))
    for side in (0, 1):
        for one, two in itertools.combinations(ratings, 2):
            if one[side] != two[side] or one[2] == two[2]:
                continue
            better, worse = (one, two) if one[2] > two[2] else (two, one)
            owner = one[side] + side * n_users
            members = [entry[1 - side] + (1 - side) * n_users for entry in (better, worse)]
            near, far = (np.sum((points[owner] - points[m]) ** 2) for m in members)
            pairs[owner] += 1
            right[owner] += near < far
            pairs_in[members] += 1
            right_in[members] += near < far
    return right, pairs, right_in, pairs_in


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    n_users=st.integers(1, 7),
    n_items=st.integers(1, 9),
    n_levels=st.integers(1, 4),
    grid=st.booleans(),
)
def test_counts_are_those_by_hand_even_with_ties(seed, n_users, n_items, n_levels, grid):
    lists, ratings, rng = make_lists(seed, n_users, n_items, n_levels)
    points = rng.normal(size=(n_users + n_items, 2))
    if grid:
        points = np.round(points)
    expected = count_by_hand(ratings, points, n_users, n_items)
    for found, known in zip(lists.count_right(points), expected, strict=True):
        np.testing.assert_array_equal(found, known)
    np.testing.assert_array_equal(lists.count_pairs(), expected[1])


@pytest.mark.parametrize("n_threads", [2, 5])
def test_threads_change_nothing(n_threads):
    lists, _, rng = make_lists(0, 60, 80, 5)
    points = rng.normal(size=(140, 3))
    one, many = lists.count_right(points), lists.count_right(points, n_threads)
    for found, known in zip(many, one, strict=True):
        np.testing.assert_array_equal(found, known)
    np.testing.assert_array_equal(lists.count_pairs(n_threads), one.pairs)


def test_lists_hold_each_rating_twice_in_order_of_rank():
    users, items = np.array([0, 0, 1], dtype=np.int32), np.array([0, 1, 1], dtype=np.int32)
    lists = RankedLists(users, items, np.array([2.0, 1.0, 2.0]), 2, 2)
    np.testing.assert_array_equal(lists.offsets, [0, 2, 3, 4, 6])
    np.testing.assert_array_equal(lists.entries[:, 0], [3, 2, 3, 0, 0, 1])
    np.testing.assert_array_equal(lists.entries[:, 1], [0, 1, 1, 1, 0, 1])


def test_subtraction_leaves_the_other_pairs():
    lists, _, rng = make_lists(1, 5, 6, 3)
    counts = lists.count_right(rng.normal(size=(11, 2)))
    assert all((part == 0).all() for part in counts - counts)

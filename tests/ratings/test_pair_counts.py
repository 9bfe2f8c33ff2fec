import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordinate.ratings.pair_counts import count_right
from ordinate.ratings.ranked_lists import RankedLists


def make_lists(seed, n_users, n_items, n_levels, n_threads=1):
    rng = np.random.default_rng(seed)
    users, items = np.nonzero(rng.random((n_users, n_items)) < 0.6)
    scores = rng.integers(0, n_levels, len(users)).astype(float)
    lists = RankedLists(users, items, scores, n_users, n_items, n_threads)
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
    for found, known in zip(count_right(lists, points), expected, strict=True):
        np.testing.assert_array_equal(found, known)
    np.testing.assert_array_equal(lists.count_pairs(), expected[1])


@pytest.mark.parametrize("n_threads", [2, 5])
def test_threads_change_nothing(n_threads):
    one, _, rng = make_lists(0, 60, 80, 5)
    many, _, _ = make_lists(0, 60, 80, 5, n_threads)
    points = rng.normal(size=(140, 3))
    for found, known in zip(count_right(many, points), count_right(one, points), strict=True):
        np.testing.assert_array_equal(found, known)


def test_subtraction_leaves_the_other_pairs():
    lists, _, rng = make_lists(1, 5, 6, 3)
    counts = count_right(lists, rng.normal(size=(11, 2)))
    assert all((part == 0).all() for part in counts - counts)

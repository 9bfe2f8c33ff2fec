import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split

import ordinate as od
from ordinate import DroppedRowsWarning
from ordinate.ratings.record import rows_with_enough_ratings, same_share_of_each


def test_ratings_are_sorted_and_keep_what_the_caller_gave():
    users, items, values = np.array([1, 0, 0]), np.array([0, 2, 1]), np.array([3.0, 4.0, 5.0])
    ratings = od.Ratings(users, items, values)
    np.testing.assert_array_equal(ratings.users, [0, 0, 1])
    np.testing.assert_array_equal(ratings.items, [1, 2, 0])
    np.testing.assert_array_equal(ratings.values, [5, 4, 3])
    np.testing.assert_array_equal(users, [1, 0, 0])
    with pytest.raises(ValueError, match="read-only"):
        ratings.values[0] = 1


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, dict])
def test_frames_keep_the_names_of_users_and_items(frame):
    table = frame({"who": [42, 7, 7], "film": ["Big", "Big", "Heat"], "stars": [1.5, 5, 4]})
    ratings = od.read_ratings(table, user="who", item="film", value="stars")
    assert ratings.user_names == (7, 42)
    assert ratings.item_names == ("Big", "Heat")
    assert ratings.user_number(42) == ratings.user_number(np.int64(42)) == 1
    assert ratings.item_number("Heat") == 1
    with pytest.raises(od.InputError, match=r"no user 5; users are called 7, 42"):
        ratings.user_number(5)


@pytest.mark.parametrize(
    ("column", "entries", "message"),
    [
        ("user", [1, None, 2], "Row 1 has no entry in column 'user' .1 missing in all."),
        ("rating", [1.0, 2.0, np.nan], "Value 2 is nan .1 are not finite."),
        ("rating", ["1", "x", "2"], "Column 'rating' holds 'x'; entries must be numbers"),
    ],
)
def test_bad_columns_are_refused(column, entries, message):
    frame = {"user": [1, 1, 2], "item": [1, 2, 3], "rating": [1, 2, 3]} | {column: entries}
    with pytest.raises(od.InputError, match=message):
        od.read_ratings(frame)


def test_what_is_not_a_table_is_refused():
    with pytest.raises(od.InputError, match="Expected a path or a data frame; got list"):
        od.read_ratings([[1, 2, 3]])
    with pytest.raises(od.InputError, match="header does not apply"):
        od.read_ratings({"user": [1], "item": [2], "rating": [3]}, header=True)


def test_unknown_columns_are_refused_with_those_there_are():
    with pytest.raises(od.InputError, match="no column 'item'; there are 'user', 'thing'"):
        od.read_ratings({"user": [1], "thing": [2], "rating": [3]})


def test_bad_arrays_are_refused():
    with pytest.raises(od.InputError, match=r"users\[1\] is -1; numbers go from 0 to 0"):
        od.Ratings([0, -1], [0, 1], [1, 2])
    with pytest.raises(od.InputError, match=r"items\[1\] is 2; numbers go from 0 to 1"):
        od.Ratings([0, 0], [0, 2], [1, 2], item_names=["a", "b"])
    with pytest.raises(od.InputError, match=r"items must have one entry per value, shape \(2,\)"):
        od.Ratings([0, 0], [0], [1, 2])
    with pytest.raises(od.InputError, match="users must be whole numbers"):
        od.Ratings(["a", "b"], [0, 0], [1, 2])
    with pytest.raises(od.InputError, match="user_names must differ"):
        od.Ratings([0, 1], [0, 0], [1, 2], user_names=["a", "a"])
    with pytest.raises(od.InputError, match=r"values must be a list of at least one number"):
        od.Ratings([], [], [])


def test_pairs_with_two_values_are_refused_and_repeats_dropped_with_a_count():
    with pytest.raises(od.InputError, match=r"'Al' has 1 and 4 for item 0 \(pairs like it: 1\)"):
        od.Ratings([0, 0, 0], [0, 1, 0], [1, 2, 4], user_names=["Al"])
    with pytest.warns(DroppedRowsWarning, match="Dropped 1 of 3 rows"):
        ratings = od.Ratings([0, 0, 0], [0, 1, 0], [1, 2, 1])
    assert len(ratings) == 2


def test_filter_continues_until_all_that_remain_have_enough():
    # leaving out item 2 leaves user 2 with one rating, whose loss leaves item 1 with one
    users, items = [0, 0, 1, 1, 2, 2], [0, 3, 0, 3, 1, 2]
    ratings = od.Ratings(users, items, [1, 2, 3, 1, 5, 4], item_names=["a", "b", "c", "d"])
    kept = ratings.filter(min_per_user=2, min_per_item=2)
    assert kept.item_names == ("a", "d")
    assert len(kept) == 4
    with pytest.raises(od.InputError, match="lower min_per_user or min_per_item"):
        ratings.filter(min_per_item=3)


def test_split_takes_the_same_share_of_each_user_and_keeps_the_values():
    rng = np.random.default_rng(0)
    users = np.repeat(np.arange(30), 10)
    items = np.concatenate([rng.choice(50, 10, replace=False) for _ in range(30)])
    ratings = od.Ratings(users, items, rng.integers(1, 6, 300))
    train, test = ratings.train_test_split(0.2, random_state=3)
    np.testing.assert_array_equal(np.bincount(test.users), 2)
    np.testing.assert_array_equal(np.bincount(train.users), 8)
    pairs = zip(ratings.users, ratings.items, strict=True)
    found = dict(zip(pairs, ratings.values, strict=True))
    for part in (train, test):
        assert part.n_items == ratings.n_items
        for user, item, value in zip(part.users, part.items, part.values, strict=True):
            assert found.pop((user, item)) == value
    assert not found
    again, _ = ratings.train_test_split(0.2, random_state=3)
    np.testing.assert_array_equal(again.items, train.items)
    with pytest.raises(od.InputError, match="leaves one part empty"):
        ratings.train_test_split(0.01, random_state=0)


def test_ratings_can_be_pickled():
    ratings = od.Ratings([0, 0], [0, 1], [1, 2])
    assert repr(pickle.loads(pickle.dumps(ratings))) == repr(ratings)


def test_with_enough_marks_what_remains():
    kept = rows_with_enough_ratings(np.array([0, 0, 1]), np.array([0, 1, 0]), 1, 2)
    np.testing.assert_array_equal(kept, [True, False, True])


def test_shares_are_random_but_equal():
    users = np.repeat([0, 2], [10, 20])
    chosen = same_share_of_each(users, 0.3, np.random.default_rng(0))
    assert chosen[:10].sum() == 3
    assert chosen[10:].sum() == 6
    other = same_share_of_each(users, 0.3, np.random.default_rng(1))
    assert not np.array_equal(chosen, other)


def test_rows_are_indexed_as_in_numpy_and_stay_sorted():
    ratings = od.Ratings([0, 0, 1, 1, 2], [0, 1, 0, 2, 1], [5, 4, 1, 2, 3])
    mask = np.array([True, False, True, False, True])
    for part in (ratings[[4, 0, -3]], ratings[mask], ratings[::2], ratings[[0, 2, 4], ...]):
        np.testing.assert_array_equal(part.users, [0, 1, 2])
        np.testing.assert_array_equal(part.values, [5, 1, 3])
        assert (part.n_users, part.n_items) == (3, 3)
    assert len(ratings[1]) == 1
    assert ratings.shape == (5, 3)
    with pytest.raises(od.InputError, match="Row 2 is asked for more than once"):
        ratings[[2, 0, 2]]
    with pytest.raises(IndexError):
        ratings[[9]]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learn_splits_and_searches():
    rng = np.random.default_rng(0)
    users, items = np.divmod(np.arange(300), 15)
    liked = rng.normal(size=15)
    ratings = od.Ratings(users, items, np.round(liked[items] + 0.1 * rng.normal(size=300), 3))
    train, test = train_test_split(ratings, test_size=0.25, random_state=0)
    assert (len(train), len(test)) == (225, 75)
    scores = cross_val_score(od.CFEE(max_iter=50, random_state=0), ratings, cv=3)
    assert len(scores) == 3
    assert np.isfinite(scores).all()
    model = od.COE(draws_per_object=300, random_state=0)
    search = GridSearchCV(model, {"n_components": [1, 2]}, cv=2).fit(ratings)
    assert search.best_score_ > 0.7

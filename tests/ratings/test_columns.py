import tracemalloc

import numpy as np
import pyarrow as pa

import ordinate as od
from ordinate.io.tables import ArrowTable
from ordinate.ratings.record import (
    check_numbers,
    check_values,
    frame_columns,
    sorted_pairs,
)


def test_values_are_copied():
    values = np.array([1.0, 2.0])
    assert not np.shares_memory(check_values(values), values)


def test_names_default_to_the_range_of_numbers():
    numbers, names = check_numbers("user", [2, 0], None, 2)
    assert numbers.dtype == np.int32
    assert names == range(3)


def test_dictionary_columns_and_text_numbers_are_read():
    table = pa.table(
        {"u": pa.array(["b", "a"]).dictionary_encode(), "i": [3, 1], "v": ["1.5", "2"]}
    )
    (users, names), (items, item_names), values = frame_columns(ArrowTable(table), "u", "i", "v")
    assert names == ("a", "b")
    assert item_names == (1, 3)
    np.testing.assert_array_equal(users, [1, 0])
    np.testing.assert_array_equal(items, [1, 0])
    np.testing.assert_array_equal(values, [1.5, 2])


def test_sorted_ratings_stay_as_they_are_and_others_are_sorted():
    users, items = np.array([0, 0, 1], np.int32), np.array([1, 2, 0], np.int32)
    values, names = np.array([3.0, 4.0, 5.0]), (range(2), range(3))
    assert sorted_pairs(users, items, values, names)[2] is values
    found = sorted_pairs(users[::-1], items[::-1], values[::-1], names)
    for part, known in zip(found, (users, items, values), strict=True):
        np.testing.assert_array_equal(part, known)


def test_memory_follows_the_ratings_and_not_the_largest_number():
    tracemalloc.start()
    try:
        ratings = od.Ratings([0, 0], [0, 3_000_000], [1.0, 2.0])
        assert tracemalloc.get_traced_memory()[1] < 1e6
    finally:
        tracemalloc.stop()
    assert ratings.n_items == 3_000_001

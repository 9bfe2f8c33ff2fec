import numpy as np
import pyarrow as pa

from ordinate.sources.rating_columns import check_numbers, check_values, frame_columns


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
    (users, names), (items, item_names), values = frame_columns(table, "u", "i", "v")
    assert names == ("a", "b")
    assert item_names == (1, 3)
    np.testing.assert_array_equal(users, [1, 0])
    np.testing.assert_array_equal(items, [1, 0])
    np.testing.assert_array_equal(values, [1.5, 2])

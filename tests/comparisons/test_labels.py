import numpy as np
import pytest

from ordinate import InputError
from ordinate.comparisons.labels import in_natural_order, is_number, number_labels, number_objects


@pytest.mark.parametrize("text", ["0", "-3", "+3", "2.5", "1.", ".5", "1e9", "007"])
def test_numbers(text):
    assert is_number(text)


@pytest.mark.parametrize("text", ["", "cat", "1_000", "nan", "inf", "3 4", "0x1", "1,5", "٣x"])
def test_names(text):
    assert not is_number(text)


@pytest.mark.parametrize(
    "labels",
    [
        ["item2", "item10", "item10b", "item11"],
        ["-1", "0.5", "007", "7", "1500000000"],
        ["9", "a1b2", "a1b10", "b"],
    ],
)
def test_natural_order(labels):
    assert in_natural_order(reversed(labels)) == labels


def test_names_are_numbered_in_natural_order_over_all_vocabularies():
    names, numbers = number_labels([["dog", "ant"], ["cat", "dog"]])
    assert names == ("ant", "cat", "dog")
    assert [table.tolist() for table in numbers] == [[2, 0], [1, 2]]


def test_names_given_keep_their_order():
    names, numbers = number_labels([["dog", "ant"]], ["dog", "cow", "ant"])
    assert names == ("dog", "cow", "ant")
    assert numbers[0].tolist() == [0, 2]


def test_a_name_that_is_not_given():
    with pytest.raises(InputError, match="Object 'yak' is not among the 2 names given"):
        number_labels([["yak"]], ["dog", "cow"])


def test_arrays_keep_their_shape():
    (pairs, single), names = number_objects([[["b", "a"], ["c", "b"]], ["d"]])
    assert pairs.tolist() == [[1, 0], [2, 1]]
    assert single.tolist() == [3]
    assert names == ("a", "b", "c", "d")


def test_numbers_stay():
    given = np.array([[5, 3]])
    (found,), names = number_objects([given])
    assert found is given
    assert names is None


def test_some_names_some_numbers():
    with pytest.raises(InputError, match="all names or all numbers"):
        number_objects([["a"], [1]])

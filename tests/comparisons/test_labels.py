import numpy as np
import pytest

import ordinate as od
from ordinate import InputError
from ordinate.comparisons.labels import (
    in_natural_order,
    is_number,
    look_alike,
    number_labels,
    number_objects,
)


@pytest.mark.parametrize("text", ["0", "-3", "+3", "2.5", "1.", ".5", "1e9", "007"])
def test_numbers_are_recognised(text):
    assert is_number(text)


@pytest.mark.parametrize("text", ["", "cat", "1_000", "nan", "inf", "3 4", "0x1", "1,5", "٣x"])
def test_names_are_not_numbers(text):
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


def test_numbers_of_objects_stay_as_they_are():
    given = np.array([[5, 3]])
    (found,), names = number_objects([given])
    assert found is given
    assert names is None


def test_some_names_some_numbers():
    with pytest.raises(InputError, match="all names or all numbers"):
        number_objects([["a"], [1]])


def test_labels_of_more_digits_than_an_int_takes():
    long, longer = "item" + "9" * 4300, "item" + "1" * 4301
    assert in_natural_order([longer, long, "item0", "item007"]) == [
        "item0",
        "item007",
        long,
        longer,
    ]


@pytest.mark.parametrize(
    ("vocabularies", "names", "known", "numbers"),
    [
        ([["1", "2"], ["2.0", "1.0", "3.0"]], None, ("1", "2", "3.0"), [[0, 1], [1, 0, 2]]),
        ([["1.00", "1.0"]], None, ("1.0",), [[0, 0]]),
        ([["1", "2"]], ["2.0", "1.0"], ("2.0", "1.0"), [[1, 0]]),
        ([["1", "1.0"]], ["1.0", "1"], ("1.0", "1"), [[1, 0]]),
        ([["01", "1", "1.5", "1.50"]], None, ("01", "1", "1.5", "1.50"), [[0, 1, 2, 3]]),
    ],
)
def test_whole_numbers_of_one_value_are_one_object(vocabularies, names, known, numbers):
    labels, tables = number_labels(vocabularies, names)
    assert labels == known
    assert [table.tolist() for table in tables] == numbers


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("caf\u00e9", "cafe\u0301"),
        ("Tea", "tea"),
        ("STRASSE", "stra\u00dfe"),
        ("tea", "tea "),
        ("green tea", "green\u00a0tea"),
        ("tea", "te\u200ba"),
        ("7", "07"),
        ("100000", "1e5"),
    ],
)
def test_labels_that_look_alike(one, other):
    assert look_alike([one, "milk", other]) == ((one, other),)
    with pytest.warns(od.DoubtfulObjectsWarning, match="look alike and may be one object"):
        answers = od.read_comparisons({"anchor": [one], "near": ["milk"], "far": [other]})
    assert [set(labels) for labels in answers.describe().look_alike] == [{one, other}]
    assert "look alike" in str(answers.describe())


def test_labels_that_do_not_look_alike():
    labels = ["tea", "teas", "m2", "m\u00b2", "1", "10", "9" * 400, "8" * 400, "-1"]
    assert look_alike(labels) == ()


def test_parts_put_together_share_the_spelling_of_numbers():
    parts = [
        od.Comparisons([[0, 1, 2]], names=names) for names in (["1", "2", "a"], ["2.0", "b", "1.0"])
    ]
    assert od.Comparisons.concatenate(parts).names == ("1", "2", "a", "b")

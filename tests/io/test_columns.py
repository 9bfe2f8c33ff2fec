import numpy as np
import pyarrow as pa
import pytest

from ordinate import InputError
from ordinate.io.columns import as_answers, as_labels, as_objects, as_weights


def column(values, type=None):
    """Split over two chunks, as long columns are."""
    return pa.chunked_array([values[:1], values[1:]], type=type)


def objects(*columns, names=None):
    given = {name: column(values) for name, values in zip("xyz", columns, strict=False)}
    return as_objects(given, names, "Row {}".format)


def test_numbers_stay_numbers():
    rows, names = objects([0, 5], [1, 6], [2, 7])
    assert rows.tolist() == [[0, 1, 2], [5, 6, 7]]
    assert names is None


def test_text_that_is_numbers_all_over():
    rows, names = objects(["0", "05"], ["1.0", "6"], ["+2", "7"])
    assert rows.tolist() == [[0, 1, 2], [5, 6, 7]]
    assert rows.dtype == np.int64
    assert names is None


def test_names_are_numbered_in_sorted_order():
    rows, names = objects(["cat", "ant"], ["ant", "bee"], ["bee", "cat"])
    assert rows.tolist() == [[2, 0, 1], [0, 1, 2]]
    assert names == ("ant", "bee", "cat")


def test_numbers_that_are_all_names_given_are_names():
    rows, names = objects([300, 1917], ["1917", "300"], names=["1917", "300", "Up"])
    assert rows.tolist() == [[1, 0], [0, 1]]
    assert names == ("1917", "300", "Up")


def test_numbers_beside_other_names_stay_numbers():
    rows, names = objects([0, 1], [1, 2], names=["ant", "bee", "cat"])
    assert rows.tolist() == [[0, 1], [1, 2]]
    assert names == ["ant", "bee", "cat"]


def test_dictionary_columns_and_nulls():
    values = pa.array(["b", None, "a"], pa.string()).dictionary_encode()
    given = {"x": pa.chunked_array([values]), "y": pa.chunked_array([["c", "c", None]])}
    rows, names = as_objects(given, None, str)
    assert names == ("a", "b", "c")
    assert rows[0].tolist() == [1, 2]


def test_name_among_numbers():
    with pytest.raises(InputError, match=r"Row 1 has '12a' in column 'y' where other objects"):
        objects([1, 2], ["3", "12a"])


def test_header_among_the_rows():
    with pytest.raises(
        InputError, match=r"Row 1 is a header in the wrong place: .'Anchor', 'near'"
    ):
        objects(["1", "Anchor"], ["2", "near"], ["3", "far"])
    with pytest.raises(InputError, match=r"Row 1 is a header in the wrong place: .'x', 'y', 'z'"):
        objects(["ant", "x"], ["bee", "y"], ["cat", "z"])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([True, False], "Column 'x' holds booleans; expected objects"),
        ([[1], [2]], r"Column 'x' has type list<item: int64>; expected text or numbers"),
    ],
)
def test_columns_that_hold_no_objects(values, message):
    with pytest.raises(InputError, match=message):
        objects(values, ["a", "b"])


@pytest.mark.parametrize(
    "values",
    [[True, False], ["true", "False"], ["TRUE", "0"], [1, 0], ["1", "0"], [1.0, 0.0]],
)
def test_boolean_answers(values):
    found = as_answers("ok", column(values))
    assert found.dtype == bool
    assert found.tolist() == [True, False]


@pytest.mark.parametrize("values", [[1, -1], ["+1", "-1"], [1.0, -1.0]])
def test_signed_answers(values):
    assert as_answers("ok", column(values)).tolist() == [1, -1]


def test_answers_in_other_words():
    with pytest.raises(InputError, match="Column 'ok' holds 'left'; answers are true and false"):
        as_answers("ok", column(["true", "left"]))


@pytest.mark.parametrize("values", [[1.0, 2.5], ["1", "2.5"]])
def test_weights(values):
    assert as_weights("w", column(values)).tolist() == [1, 2.5]


def test_weights_in_words():
    with pytest.raises(InputError, match="Column 'w' holds 'many'; weights must be numbers"):
        as_weights("w", column(["1", "many"]))


@pytest.mark.parametrize("values", [[3, 1], [0.5, 2.0], [True, False], ["P2", "01"]])
def test_labels_keep_their_type(values):
    found = as_labels("who", column(values))
    np.testing.assert_array_equal(found, np.array(values))
    assert found.dtype.kind == np.array(values).dtype.kind


def test_objects_may_be_called_like_usual_columns():
    _, names = objects(["i", "j"], ["j", "k"], ["k", "i"])
    assert names == ("i", "j", "k")

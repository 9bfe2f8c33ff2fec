import numpy as np
import pyarrow as pa
import pytest

import ordinate as od
from ordinate import DroppedRowsWarning, InputError
from ordinate.io.columns import (
    as_labels,
    as_numbers,
    as_objects,
    only_occurring,
    parse_truth_values,
)


def column(values, type=None):
    """Split over two chunks, as long columns are."""
    return pa.chunked_array([values[:1], values[1:]], type=type)


def objects(*columns, names=None):
    given = {name: column(values) for name, values in zip("xyz", columns, strict=False)}
    return as_objects(given, names, "Row {}".format)


def test_numbers_are_labels_in_the_order_of_their_values():
    rows, names = objects([1001, 17], [17, 3084], [3084, 1001])
    assert names == ("17", "1001", "3084")
    assert rows.tolist() == [[1, 0, 2], [0, 2, 1]]


def test_text_that_is_numbers_stays_as_it_is_written():
    rows, names = objects(["017", "2"], ["2", "1e9"], ["1e9", "017"])
    assert names == ("2", "017", "1e9")
    assert rows.tolist() == [[1, 0, 2], [0, 2, 1]]


def test_whole_numbers_that_pandas_holds_as_floats():
    _, names = objects([3.0, 12.0], [12.0, None])
    assert names == ("3", "12")
    _, names = objects([0.5, 12.0], [12.0, 0.5])
    assert names == ("0.5", "12.0")


def test_names_and_numbers_may_be_mixed():
    _, names = objects([1, 2], ["2", "12a"])
    assert names == ("1", "2", "12a")


def test_names_are_numbered_in_sorted_order():
    rows, names = objects(["cat", "ant"], ["ant", "bee"], ["bee", "cat"])
    assert rows.tolist() == [[2, 0, 1], [0, 1, 2]]
    assert names == ("ant", "bee", "cat")


def test_names_given_say_the_order_and_may_be_more():
    rows, names = objects([300, 1917], ["1917", "300"], names=["1917", "300", "Up"])
    assert rows.tolist() == [[1, 0], [0, 1]]
    assert names == ("1917", "300", "Up")
    with pytest.raises(InputError, match="Object '0' is not among the 2 names given"):
        objects([0, 1], names=["ant", "bee"])


def test_dictionary_columns_and_nulls():
    values = pa.array(["b", None, "a"], pa.string()).dictionary_encode()
    given = {"x": pa.chunked_array([values]), "y": pa.chunked_array([["c", "c", None]])}
    rows, names = as_objects(given, None, str)
    assert names == ("a", "b", "c")
    assert rows[0].tolist() == [1, 2]


def test_header_among_the_rows():
    unnamed = {
        str(at): column(values)
        for at, values in enumerate([["1", "Anchor"], ["2", "near"], ["3", "far"]])
    }
    with pytest.raises(
        InputError, match=r"Row 1 is a header in the wrong place: .'Anchor', 'near'"
    ):
        as_objects(unnamed, None, "Row {}".format)
    with pytest.raises(InputError, match=r"Row 1 is a header in the wrong place: .'x', 'y', 'z'"):
        objects(["ant", "x"], ["bee", "y"], ["cat", "z"])


def test_objects_may_be_called_as_the_columns_are():
    rows, names = objects(["X", "X", "w"], ["Y", "w", "Y"], ["Z", "Z", "Z"])
    assert set(names) == {"w", "X", "Y", "Z"}
    assert rows.shape == (3, 3)


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
def test_boolean_answers_are_read(values):
    found = parse_truth_values("ok", column(values))
    assert found.dtype == bool
    assert found.tolist() == [True, False]


@pytest.mark.parametrize("values", [[1, -1], ["+1", "-1"], [1.0, -1.0]])
def test_signed_answers_are_read(values):
    assert parse_truth_values("ok", column(values)).tolist() == [1, -1]


def test_answers_in_other_words():
    with pytest.raises(InputError, match="Column 'ok' holds 'left'; answers are true and false"):
        parse_truth_values("ok", column(["true", "left"]))


@pytest.mark.parametrize("values", [[1.0, 2.5], ["1", "2.5"]])
def test_weights_are_read_as_numbers(values):
    assert as_numbers("w", column(values), "weights").tolist() == [1, 2.5]


def test_weights_in_words():
    with pytest.raises(InputError, match="Column 'w' holds 'many'; weights must be numbers"):
        as_numbers("w", column(["1", "many"]), "weights")


@pytest.mark.parametrize("values", [[3, 1], [0.5, 2.0], [True, False], ["P2", "01"]])
def test_labels_keep_their_type(values):
    found = as_labels("who", column(values))
    np.testing.assert_array_equal(found, np.array(values))
    assert found.dtype.kind == np.array(values).dtype.kind


def test_objects_may_be_called_like_usual_columns():
    _, names = objects(["i", "j"], ["j", "k"], ["k", "i"])
    assert names == ("i", "j", "k")


def test_labels_in_no_row_are_left_out():
    rows, labels = only_occurring(np.array([[3, 1], [1, 4]], dtype=np.int32), tuple("abcde"))
    assert rows.tolist() == [[1, 0], [0, 2]]
    assert labels == ("b", "d", "e")


ROWS = np.array([[0, 1, 2], [3, 3, 1], [2, 1, 0]])


def test_parts_of_a_table():
    table = pa.table(
        {
            "far": ["c", "a"],
            "near": ["b", "b"],
            "anchor": ["a", "c"],
            "answer": [True, False],
            "weight": [2, 3],
            "trial": [7, 8],
            "note": ["x", "y"],
        }
    )
    answers = od.read_comparisons(table, answer="answer")
    assert answers.names == ("a", "b", "c")
    assert answers.rows.tolist() == [[0, 1, 2], [2, 0, 1]]
    assert answers.weights.tolist() == [2, 3]
    assert answers.groups.keys() == {"trial"}


def test_repeated_object_is_refused_with_its_place():
    with pytest.raises(
        InputError, match=r"Row 1 names 'd' twice.*\(1 such row\).*on_invalid='drop'"
    ):
        od.read_comparisons(ROWS, names=["a", "b", "c", "d"])


def test_rows_that_say_nothing_are_dropped_with_all_that_belongs_to_them():
    table = dict(zip(("i", "j", "k"), ROWS.T, strict=True))
    table |= {"answer": [True, True, False], "weight": [1.0, 2.0, 3.0], "trial": [5, 6, 7]}
    with pytest.warns(DroppedRowsWarning, match="Dropped 1 of 3 rows: 1 with an object or pair tw"):
        answers = od.read_comparisons(table, names=list("0123"), on_invalid="drop")
    assert answers.rows.tolist() == [[0, 1, 2], [2, 0, 1]]
    assert answers.weights.tolist() == [1, 3]
    assert answers.groups["trial"].tolist() == [5, 7]
    assert answers.n_objects == 4


def test_missing_entries_are_refused_or_dropped():
    table = pa.table(
        {
            "anchor": [0, None, 1, 4],
            "near": [1, 2, 2, 4],
            "far": [2, 3, 3, 1],
            "answer": [True, True, None, True],
        }
    )
    with pytest.raises(InputError, match=r"Row 1 has no entry in column 'anchor' \(1 missing in"):
        od.read_comparisons(table)
    with pytest.warns(DroppedRowsWarning, match="3 of 4 rows: 2 with a missing entry, 1 with an"):
        answers = od.read_comparisons(table, on_invalid="drop")
    assert answers.rows.tolist() == [[0, 1, 2]]
    assert answers.names == ("0", "1", "2"), "labels of dropped rows do not count"


def test_places_are_right_although_rows_before_are_dropped():
    rows = np.array([[1, 1, 3], [-5, 2, 3]])
    with pytest.raises(InputError, match="Row 1, column 0 is -5; object numbers start at 0"):
        od.read_comparisons(rows, on_invalid="drop")


def test_a_table_without_valid_rows_is_refused():
    with (
        pytest.warns(DroppedRowsWarning, match="Dropped 1 of 1 rows"),
        pytest.raises(InputError, match="No comparisons; expected at least"),
    ):
        od.read_comparisons(ROWS[[1]], on_invalid="drop")


@pytest.mark.parametrize("empty", ["near", "answer", "weight", "trial"])
def test_a_column_without_any_entry(empty):
    columns = {"anchor": ["a"], "near": ["b"], "far": ["c"], "answer": [1], "weight": [1]}
    table = pa.table(columns | {"trial": ["t"], empty: pa.nulls(1)})
    with pytest.raises(InputError, match=f"Column '{empty}' has no entries at all"):
        od.read_comparisons(table, groups="trial")


def test_a_group_without_any_entry_is_left_out_unless_asked_for():
    columns = {"anchor": ["a"], "near": ["b"], "far": ["c"], "session": ["s"]}
    table = pa.table(columns | {"participant_id": pa.nulls(1)})
    assert list(od.read_comparisons(table).groups) == ["session"]
    with pytest.raises(InputError, match="'participant_id' has no entries"):
        od.read_comparisons(table, groups={"participant": "participant_id"})


def test_0_is_asked_for_unless_one_was_told_what_it_means():
    with pytest.raises(InputError, match="'ok' holds 0, which may mean that a row does not hold"):
        parse_truth_values("ok", column([1, 0]), told=False)
    assert parse_truth_values("ok", column([1, -1]), told=False).tolist() == [1, -1]


def test_labels_that_single_precision_has_rounded_are_refused():
    numbers = pa.chunked_array([pa.array([2.0**24, 1.0], pa.float32())])
    with pytest.raises(InputError, match=r"Column 'x' holds 1\.67772e\+07"):
        as_objects({"x": numbers}, None, str)

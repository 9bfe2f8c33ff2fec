import numpy as np
import pyarrow as pa
import pytest

from ordinate import DroppedRowsWarning, InputError
from ordinate.io.frames import Parts, parts_of_table
from ordinate.io.layout import Layout

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
    answers = parts_of_table(table, Layout()).build("raise")
    assert answers.names == ("a", "b", "c")
    assert answers.rows.tolist() == [[0, 1, 2], [2, 0, 1]]
    assert answers.weights.tolist() == [2, 3]
    assert answers.groups.keys() == {"trial"}


def test_repeated_object_is_refused_with_its_place():
    parts = Parts(ROWS, place="Line {}".format)
    with pytest.raises(
        InputError, match=r"Line 1 compares nothing.*\(3, 3, 1\) \(rows like it: 1\)"
    ):
        parts.build("raise")
    named = Parts(ROWS, names=["a", "b", "c", "d"])
    with pytest.raises(InputError, match=r"Row 1 .* twice in \('d', 'd', 'b'\).*on_invalid='drop'"):
        named.build("raise")


def test_rows_that_say_nothing_are_dropped_with_all_that_belongs_to_them():
    parts = Parts(
        ROWS,
        answers=np.array([True, True, False]),
        weights=np.array([1.0, 2.0, 3.0]),
        groups={"trial": np.array([5, 6, 7])},
        n_objects=4,
    )
    with pytest.warns(DroppedRowsWarning, match="Dropped 1 of 3 rows: 1 with an object or pair tw"):
        answers = parts.build("drop")
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
    parts = parts_of_table(table, Layout())
    with pytest.raises(InputError, match=r"Row 1 has no entry in column 'anchor' \(1 missing in"):
        parts.build("raise")
    with pytest.warns(DroppedRowsWarning, match="3 of 4 rows: 2 with a missing entry, 1 with an"):
        answers = parts.build("drop")
    assert answers.rows.tolist() == [[0, 1, 2]]


def test_no_warning_when_nothing_is_dropped():
    assert len(Parts(ROWS[[0, 2]]).build("drop")) == 2


def test_places_are_right_although_rows_before_are_dropped():
    table = pa.table({"anchor": [None, 1, -5], "near": [1, 1, 2], "far": [2, 3, 3]})
    with pytest.raises(InputError, match="Row 2, column 0 is -5; object numbers start at 0"):
        parts_of_table(table, Layout()).build("drop")


def test_nothing_left():
    with (
        pytest.warns(DroppedRowsWarning, match="Dropped 1 of 1 rows"),
        pytest.raises(InputError, match="No comparisons; expected at least one row"),
    ):
        Parts(ROWS[[1]]).build("drop")


@pytest.mark.parametrize("empty", ["near", "answer", "weight", "trial"])
def test_a_column_without_any_entry(empty):
    columns = {"anchor": ["a"], "near": ["b"], "far": ["c"], "answer": [1], "weight": [1]}
    table = pa.table(columns | {"trial": ["t"], empty: pa.nulls(1)})
    with pytest.raises(InputError, match=f"Column '{empty}' has no entries at all"):
        parts_of_table(table, Layout())


def test_lengths_must_agree():
    with pytest.raises(InputError, match="answers must have one entry per comparison"):
        Parts(ROWS[[0, 2]], answers=np.array([1])).build("drop")

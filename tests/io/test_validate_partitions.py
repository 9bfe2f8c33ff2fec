import numpy as np
import pytest

import ordinate as od
from ordinate.io.dask_data import FramePiece
from ordinate.io.layout import Layout
from ordinate.io.layout_table import find_layout
from ordinate.io.partition_reader import validate_partitions

HEADER = ["anchor", "near", "far"]


def validated(*tables, positions=True, names=None, n_objects=None, on_invalid="raise"):
    """Validate one partition per table of (anchor, near, far) rows."""
    partitions = [
        [
            FramePiece(
                number, dict(zip(("anchor", "near", "far"), zip(*rows, strict=False), strict=True))
            )
        ]
        for number, rows in enumerate(tables)
    ]
    options = Layout(groups=(), names=names, n_objects=n_objects, on_invalid=on_invalid)
    found = find_layout(HEADER, options)
    return validate_partitions(partitions, found, options, positions=positions)


def test_numbers_are_the_same_objects_everywhere():
    answers = validated([(0, 1, 2)], [(4, 1, 2), (0, 2, 1)])
    assert answers.n_objects == 5
    assert answers.names is None
    assert answers[:].rows.tolist() == [[0, 1, 2], [4, 1, 2], [0, 2, 1]]


def test_objects_that_do_not_occur_can_be_counted():
    assert validated([(0, 1, 2)], n_objects=7).n_objects == 7


def test_names_are_numbered_in_the_order_of_all_partitions():
    answers = validated([("d", "b", "c")], [("a", "b", "c")], positions=False)
    assert answers.names == ("a", "b", "c", "d")
    assert answers[:] == od.Comparisons([[3, 1, 2], [0, 1, 2]], names="abcd")


def test_given_names_set_the_numbers():
    answers = validated([("d", "b", "c")], positions=False, names=["d", "x", "c", "b"])
    assert answers[:] == od.Comparisons([[0, 3, 2]], names=["d", "x", "c", "b"])


def test_numbers_may_be_names():
    answers = validated([(10, 20, 30)], [(30, 10, 20)], positions=False, names=["30", "20", "10"])
    assert answers[:].rows.tolist() == [[2, 1, 0], [0, 2, 1]]


@pytest.mark.parametrize("kind", [int, str])
def test_labels_that_count_from_0_are_numbers_and_names(kind):
    answers = validated(
        [tuple(map(kind, (0, 1, 2)))], [tuple(map(kind, (3, 1, 2)))], positions=False
    )
    assert answers[:] == od.Comparisons([[0, 1, 2], [3, 1, 2]], names="0123")


def test_labels_have_no_n_objects():
    with pytest.raises(od.InputError, match="n_objects counts the positions of an array"):
        validated([("a", "b", "c")], positions=False, n_objects=4)


def test_an_unknown_name_is_refused_with_its_partition():
    with pytest.raises(od.InputError, match="Partition 1: Object 'x' is not among the 3 names"):
        validated([("a", "b", "c")], [("a", "b", "x")], positions=False, names="abc")


def test_names_and_n_objects_must_agree():
    with pytest.raises(od.InputError, match="names has 3 entries; n_objects is 4"):
        validated([("a", "b", "c")], positions=False, names="abc", n_objects=4)


def test_of_several_errors_the_first_is_raised():
    good, bad = [(0, 1, 2)], [(0, 1, 2), (1, 1, 2)]
    for _ in range(5):
        with pytest.raises(od.InputError, match=r"Partition 1: Row 1 .*compares nothing"):
            validated(good, bad, [(0, 0, 0)], bad)


def test_dropped_rows_are_counted():
    with pytest.warns(od.DroppedRowsWarning, match="Dropped 2 of 4 rows"):
        answers = validated([(0, 1, 1), (0, 1, 2)], [(5, 5, 2), (3, 1, 2)], on_invalid="drop")
    np.testing.assert_array_equal(answers[:].rows, [[0, 1, 2], [3, 1, 2]])


@pytest.mark.parametrize("tables", [[], [[(0, 0, 1)]]], ids=["nothing", "nothing-left"])
def test_nothing_is_refused(tables):
    with pytest.raises(od.InputError, match="No comparisons; expected at least one row"):
        validated(*tables, on_invalid="drop", positions=bool(tables))


def test_on_invalid_is_checked():
    with pytest.raises(od.InputError, match="on_invalid must be one of 'raise', 'drop'"):
        validated([(0, 1, 2)], on_invalid="ignore")

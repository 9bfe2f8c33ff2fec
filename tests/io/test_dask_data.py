import dask
import dask.array
import dask.dataframe
import numpy as np
import pandas as pd
import pytest

import ordinate as od
from ordinate.io.dask_data import FramePiece, from_dask

FRAME = pd.DataFrame(
    {
        "winner": ["a", "b", "c", "a"],
        "loser": ["b", "c", "d", "d"],
        "head": ["c", "a", "b", "b"],
        "sure": [1.0, 0.5, 2.0, 1.0],
    }
)


def test_chunks_of_an_array_become_partitions():
    rows = np.array([[0, 1, 2], [2, 1, 0], [1, 0, 2], [3, 0, 1]])
    answers = from_dask(dask.array.from_array(rows, chunks=(3, 2)))
    assert repr(answers) == "PartitionedComparisons(4 triplets in 2 partitions, 4 objects)"
    np.testing.assert_array_equal(answers[:].rows, rows)


def test_chunks_of_unknown_size_are_counted():
    rows = dask.array.from_array([[0, 1, 2], [2, 1, 0], [5, 1, 0]], chunks=(2, 3))
    answers = from_dask(rows[rows[:, 0] < 4])
    assert len(answers) == 2


def test_a_frame_is_read_as_in_memory():
    frame = dask.dataframe.from_pandas(FRAME, npartitions=3)
    expected = od.read_comparisons(FRAME, weight="sure")
    assert from_dask(frame, weight="sure")[:] == expected


def test_quadruplets_stay_quadruplets():
    answers = from_dask(dask.array.from_array([[0, 1, 2, 3], [0, 2, 1, 3]]))
    assert answers.kind == "quadruplet"


def test_arrays_of_other_shapes_are_refused():
    with pytest.raises(od.InputError, match=r"2-D array.*got 1 dimension"):
        from_dask(dask.array.from_array([0, 1, 2]))
    with pytest.raises(od.InputError, match="Which columns hold the objects"):
        from_dask(dask.array.from_array([[0, 1]]))


def test_other_things_of_dask_are_refused():
    with pytest.raises(od.InputError, match="Expected a Dask array or data frame; got Delayed"):
        od.SOE().fit(dask.delayed([[0, 1, 2]]))


def test_errors_name_the_partition_and_the_row():
    rows = dask.array.from_array([[0, 1, 2], [2, 1, 0], [1, 1, 2]], chunks=(2, 3))
    with pytest.raises(od.InputError, match=r"Partition 1: Row 0 .*compares nothing"):
        from_dask(rows)


def test_columns_of_a_frame_are_labels():
    frame = dask.dataframe.from_pandas(FRAME.assign(head=[10, 9, 2, 3]), npartitions=2)
    assert from_dask(frame).names == ("2", "3", "9", "10", "a", "b", "c", "d")


def test_a_piece_has_a_name():
    assert FramePiece(3, None).name == "Partition 3"


def test_arrays_that_count_from_1_and_numbers_that_are_labels():
    rows = np.array([[1, 2, 3], [2, 3, 1], [3, 1, 2]])
    with pytest.warns(od.DoubtfulObjectsWarning, match="Object 0 occurs in no row"):
        od.from_dask(dask.array.from_array(rows, chunks=(2, 3)))
    rows[0, 0] = 2**31 - 2
    with pytest.raises(od.InputError, match="largest object number is 2147483646"):
        od.from_dask(dask.array.from_array(rows, chunks=(2, 3)))
    rows[0, 0] = 1_000_000
    many = np.tile(rows, (200, 1))  # all have enough entries, a single chunk has not
    with pytest.warns(od.DoubtfulObjectsWarning):
        assert od.from_dask(dask.array.from_array(many, chunks=(3, 3))).n_objects == 1_000_001

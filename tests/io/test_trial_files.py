"""Trials from the text files of THINGS, arrays and logs of studies."""

import numpy as np
import pytest

import ordinate as od


@pytest.mark.parametrize("ending", ["txt", "npy"])
def test_published_text_and_arrays(tmp_path, ending):
    rows = np.array([[3, 1, 0, 7], [2, 0, 1, 7], [1, 2, 3, 8]])
    path = tmp_path / f"trials.{ending}"
    np.savetxt(path, rows, fmt="%d") if ending == "txt" else np.save(path, rows)
    read = od.read_trials(path, names=["a", "b", "c", "d"])
    np.testing.assert_array_equal(read.rows, rows[:, :3])
    np.testing.assert_array_equal(read.groups["participant"], [7, 7, 8])
    assert od.read_trials(rows[:, :3]).groups == {}


def test_a_log_with_a_header(tmp_path):
    path = tmp_path / "log.txt"
    path.write_text("a b c odd_one_out\ncat car dog car\nbus dog car dog\n")
    read = od.read_trials(path)
    named = [[read.names[number] for number in row] for row in read.rows]
    assert named == [["cat", "dog", "car"], ["bus", "car", "dog"]]


def test_a_file_with_other_columns_is_refused(tmp_path):
    path = tmp_path / "pairs.txt"
    path.write_text("0 1\n1 2\n")
    with pytest.raises(od.InputError, match=r"3 columns .* or 4"):
        od.read_trials(path)

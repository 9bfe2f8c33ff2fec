import numpy as np
import pandas as pd
import pytest

import ordinate as od
from ordinate._checks import (
    InputError,
    check_choice,
    check_dimension,
    check_index_rows,
    check_integer,
    check_points,
    check_real,
    check_row_labels,
    check_weights,
    degenerate_rows,
    weighted_mean,
)


def test_objects_fill_no_more_dimensions_than_they_are():
    assert check_dimension("n_components", 10, 10) == 10
    with pytest.raises(InputError, match=r"must be at most 10, the number of objects.*; got 50\."):
        check_dimension("n_components", 50, 10)
    answers = od.sources.random_triplets(np.random.default_rng(0).normal(size=(10, 2)), 60)
    for method in (od.SOE(50), od.STE(50), od.DMOE(50), od.WeightedSpaces(50)):
        record = od.Comparisons(answers.rows, groups={"participant": ["A", "B"] * 30})
        with pytest.raises(InputError, match="must be at most 10, the number"):
            method.fit(record)


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_integers_of_any_type_are_accepted(value):
    found = check_integer("size", value, minimum=1)
    assert found == 3
    assert type(found) is int


@pytest.mark.parametrize(
    ("value", "maximum", "message"),
    [
        (0, None, "size must be an integer >= 1; got 0"),
        (9, 8, "size must be an integer >= 1 and <= 8; got 9"),
        (2.0, None, "size must be an integer >= 1; got 2.0"),
        (True, None, "size must be an integer >= 1; got True"),
        ("2", None, "size must be an integer >= 1; got '2'"),
        (None, None, "size must be an integer >= 1; got None"),
    ],
)
def test_other_integers_are_refused(value, maximum, message):
    with pytest.raises(InputError, match=message):
        check_integer("size", value, minimum=1, maximum=maximum)


@pytest.mark.parametrize("value", [0, 0.5, np.float32(0.5), 1])
def test_numbers_of_any_type_are_accepted(value):
    found = check_real("share", value, minimum=0, maximum=1)
    assert found == value
    assert type(found) is float


@pytest.mark.parametrize(
    ("value", "options", "message"),
    [
        (2, {"minimum": 0, "maximum": 1}, r"share must be a number in \[0, 1\]; got 2"),
        (0, {"minimum": 0, "open_minimum": True}, r"in \(0, inf\); got 0"),
        (1, {"minimum": 0, "maximum": 1, "open_maximum": True}, r"in \[0, 1\); got 1"),
        (np.nan, {}, r"in \(-inf, inf\); got nan"),
        (np.inf, {}, r"in \(-inf, inf\); got inf"),
        (True, {}, "got True"),
        ("1", {}, "got '1'"),
    ],
)
def test_other_numbers_are_refused(value, options, message):
    with pytest.raises(InputError, match=message):
        check_real("share", value, **options)


def test_a_choice_must_be_one_of_those_listed():
    assert check_choice("method", "soe", ("soe", "ste")) == "soe"
    for wrong in ("loe", None, ["soe"]):
        with pytest.raises(InputError, match="method must be one of 'soe', 'ste'; got"):
            check_choice("method", wrong, ("soe", "ste"))


def test_points_are_checked():
    points = check_points("points", [[1, 2], [3, 4]], n_rows=2)
    assert points.dtype == np.float64
    given = np.zeros((2, 2))
    assert check_points("points", given) is given


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[1, 2], [3, np.inf]], "points must be finite; row 1, column 1 is inf"),
        ([1, 2], r"2-D array with one row per object; got shape \(2,\)"),
        (np.zeros((2, 0)), r"got shape \(2, 0\)"),
        ([["a", "b"]], "points must be a 2-D array of numbers"),
        ([[1, 2], [3]], "points must be a 2-D array of numbers"),
        ([[1, 2]], "points has 1 rows; expected 2, one per object"),
    ],
)
def test_bad_points_are_refused(points, message):
    with pytest.raises(InputError, match=message):
        check_points("points", points, n_rows=2)


def test_index_rows_are_a_copy():
    given = np.array([[0, 1, 2]], dtype=np.int32)
    found = check_index_rows(given, None)
    found[0, 0] = 7
    assert given[0, 0] == 0
    assert found.flags.c_contiguous
    assert check_index_rows(np.asfortranarray([[0, 1, 2], [3, 4, 5]]), None).flags.c_contiguous


def test_index_rows_say_where():
    with pytest.raises(InputError, match="Line 1, column 2 is -1"):
        check_index_rows([[0, 1, 2], [0, 1, -1]], None, "Line {}".format)


def test_labels_are_a_copy():
    given = np.array([1, 2])
    check_row_labels("trial", given, 2)[0] = 9
    assert given.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([0, 1, 2], False),
        ([0, 0, 2], True),
        ([0, 2, 0], True),
        ([0, 1, 1], True),
        ([0, 1, 2, 3], False),
        ([0, 1, 0, 2], False),
        ([0, 1, 2, 1], False),
        ([0, 0, 1, 2], True),
        ([0, 1, 2, 2], True),
        ([0, 1, 0, 1], True),
        ([0, 1, 1, 0], True),
    ],
)
def test_degenerate_rows_are_found(row, expected):
    assert degenerate_rows(np.array([row], dtype=np.int32)).tolist() == [expected]


@pytest.mark.parametrize("weight", [1e300, 1e-300])
def test_weights_that_no_loss_survives_are_refused(weight):
    with pytest.raises(InputError, match=r"Weight 1 is 1e.*300; weights other than 0 must be"):
        check_weights([1.0, weight, 0.0], 3)


def test_the_mean_of_a_part_that_does_not_count_is_plain():
    values = np.array([True, False, False, True])
    assert weighted_mean(values, np.zeros(4)) == 0.5
    assert weighted_mean(values, np.array([3.0, 1.0, 0.0, 0.0])) == 0.75
    assert weighted_mean(values, None) == 0.5


def test_a_frame_is_not_taken_by_position_silently():
    rows = [[0, 1, 2], [1, 2, 0]]
    ordered = pd.DataFrame(rows, columns=["anchor", "near", "far"])
    np.testing.assert_array_equal(od.Comparisons(ordered).rows, rows)
    np.testing.assert_array_equal(od.Comparisons(pd.DataFrame(rows)).rows, rows)
    for columns in (["x", "y", "z"], ["far", "near", "anchor"]):
        frame = pd.DataFrame(rows, columns=columns)
        with pytest.raises(
            od.InputError, match=rf"columns '{columns[0]}'.*read_comparisons\(frame\)"
        ):
            od.SOE(2).fit(frame)


def test_comparisons_of_any_class_are_refused_as_coordinates():
    class Mine(od.Comparisons):
        pass

    with pytest.raises(od.InputError, match="points must hold one row of numbers per object"):
        check_points("points", Mine([[0, 1, 2]]))


@pytest.mark.parametrize("model", [od.SOE(), od.COE()])
def test_a_path_is_to_be_read_first(model):
    with pytest.raises(od.InputError, match=r"got the path 'a\.csv'\. Read the file first"):
        model.fit("a.csv")


def test_a_ranking_reads_frames_of_names_itself():
    rows = pd.DataFrame({"winner": ["tea", "milk"], "loser": ["milk", "wine"]})
    assert od.Ranking().fit(rows).names_ == ("milk", "tea", "wine")

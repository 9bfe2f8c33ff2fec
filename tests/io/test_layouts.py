import numpy as np
import pytest

from ordinate import InputError
from ordinate.io.layouts import OBJECTS, Wanted, find_layout


@pytest.mark.parametrize("layout", OBJECTS, ids="-".join)
def test_usual_names_in_any_order_and_case(layout):
    columns = ["extra", *(name.upper() for name in reversed(layout))]
    assert find_layout(columns, Wanted()).objects == [name.upper() for name in layout]


def test_four_letters_are_quadruplets():
    assert find_layout(["i", "j", "k"], Wanted()).objects == ["i", "j", "k"]
    assert find_layout(["i", "j", "k", "l"], Wanted()).objects == ["i", "j", "k", "l"]


def test_columns_without_names():
    assert find_layout(["0", "1", "2"], Wanted()).objects == ["0", "1", "2"]
    with pytest.raises(InputError, match="There are '0', '1', '2', '3', '4'"):
        find_layout(list("01234"), Wanted())


def test_extras_are_found_by_name():
    names = ["anchor", "near", "far", "Participant", "trial", "weight", "answer", "age"]
    found = find_layout(names, Wanted())
    assert (found.answer, found.weight) == ("answer", "weight")
    assert found.groups == {"participant": "Participant", "trial": "trial"}
    assert "age" not in found.used


def test_extras_that_are_not_there():
    found = find_layout(["anchor", "near", "far"], Wanted())
    assert (found.answer, found.weight, found.groups) == (None, None, {})


def test_choices_by_name_and_position():
    names = ["t", "x", "y", "z", "ok", "n"]
    found = find_layout(names, Wanted(["z", 1, "y"], 4, "n", ["t"]))
    assert found.objects == ["z", "x", "y"]
    assert (found.answer, found.weight, found.groups) == ("ok", "n", {"t": "t"})


@pytest.mark.parametrize("groups", ["who", 3, np.int64(3), ["who"]])
def test_one_group(groups):
    names = ["anchor", "near", "far", "who", "trial"]
    assert find_layout(names, Wanted(groups=groups)).groups == {"who": "who"}


def test_groups_can_get_other_names_or_be_left_out():
    names = ["anchor", "near", "far", "who", "trial"]
    renamed = find_layout(names, Wanted(groups={"participant": "who"}))
    assert renamed.groups == {"participant": "who"}
    assert find_layout(names, Wanted(groups=[])).groups == {}


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (Wanted(["i", "j", "d"]), "columns: there is no column 'd'; there are 'i', 'j', 'k'"),
        (Wanted(["i", "j", 3]), "columns: there is no column 3; there are 'i', 'j', 'k'"),
        (Wanted(["i", "j"]), r"3 different columns .* or 4 .*; got \['i', 'j'\]"),
        (Wanted(["i", "j", "j"]), r"3 different columns .*; got \['i', 'j', 'j'\]"),
        (Wanted(answer="ok"), "answer: there is no column 'ok'; there are 'i', 'j', 'k'"),
        (Wanted(answer=True), "answer takes names or positions of columns; got True"),
        (Wanted(weight="w"), "weight: there is no column 'w'"),
        (Wanted(groups=["who"]), "groups: there is no column 'who'"),
        (Wanted(groups={"who": "id"}), "groups: there is no column 'id'"),
    ],
)
def test_columns_that_are_not_there(layout, message):
    with pytest.raises(InputError, match=message):
        find_layout(["i", "j", "k"], layout)


def test_column_names_must_differ():
    with pytest.raises(InputError, match="Two columns are called 'i'"):
        find_layout(["i", "j", "k", "i"], Wanted())

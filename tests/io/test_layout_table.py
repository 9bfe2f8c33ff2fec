import numpy as np
import pytest

import ordinate as od
from ordinate import InputError
from ordinate.io.headings import OBJECTS
from ordinate.io.layout import Layout
from ordinate.io.layout_table import find_layout


@pytest.mark.parametrize("layout", OBJECTS, ids="-".join)
def test_usual_names_in_any_order_and_case(layout):
    columns = ["extra", *(name.upper() for name in reversed(layout))]
    assert find_layout(columns, Layout()).objects == [name.upper() for name in layout]


def test_four_letters_are_quadruplets():
    assert find_layout(["i", "j", "k"], Layout()).objects == ["i", "j", "k"]
    assert find_layout(["i", "j", "k", "l"], Layout()).objects == ["i", "j", "k", "l"]


def test_columns_without_names():
    assert find_layout(["0", "1", "2"], Layout()).objects == ["0", "1", "2"]
    with pytest.raises(InputError, match="There are '0', '1', '2', '3', '4'"):
        find_layout(list("01234"), Layout())


def test_extras_are_found_by_name():
    names = ["anchor", "near", "far", "Participant", "trial", "weight", "answer", "age"]
    found = find_layout(names, Layout())
    assert (found.answer, found.weight) == ("answer", "weight")
    assert found.groups == {"participant": "Participant", "trial": "trial"}
    assert "age" not in found.used


def test_extras_that_are_not_there():
    found = find_layout(["anchor", "near", "far"], Layout())
    assert (found.answer, found.weight, found.groups) == (None, None, {})


def test_choices_by_name_and_position():
    names = ["t", "x", "y", "z", "ok", "n"]
    found = find_layout(names, Layout(columns=["z", 1, "y"], answer=4, weight="n", groups=["t"]))
    assert found.objects == ["z", "x", "y"]
    assert (found.answer, found.weight, found.groups) == ("ok", "n", {"t": "t"})


@pytest.mark.parametrize("groups", ["who", 3, np.int64(3), ["who"]])
def test_one_group_may_be_chosen(groups):
    names = ["anchor", "near", "far", "who", "trial"]
    assert find_layout(names, Layout(groups=groups)).groups == {"who": "who"}


def test_groups_can_get_other_names_or_be_left_out():
    names = ["anchor", "near", "far", "who", "trial"]
    renamed = find_layout(names, Layout(groups={"participant": "who"}))
    assert renamed.groups == {"trial": "trial", "participant": "who"}
    assert find_layout(names, Layout(groups=[])).groups == {}


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (
            Layout(columns=["i", "j", "d"]),
            "columns: there is no column 'd'; there are 'i', 'j', 'k'",
        ),
        (Layout(columns=["i", "j", 3]), "columns: there is no column 3; there are 'i', 'j', 'k'"),
        (Layout(columns=["i", "j"]), r"3 different columns .* or 4 .*; got \['i', 'j'\]"),
        (Layout(columns=["i", "j", "j"]), r"3 different columns .*; got \['i', 'j', 'j'\]"),
        (Layout(answer="ok"), "answer: there is no column 'ok'; there are 'i', 'j', 'k'"),
        (Layout(answer=True), "answer takes names or positions of columns; got True"),
        (Layout(weight="w"), "weight: there is no column 'w'"),
        (Layout(groups=["who"]), "groups: there is no column 'who'"),
        (Layout(groups={"who": "id"}), "groups: there is no column 'id'"),
    ],
)
def test_columns_that_are_not_there(layout, message):
    with pytest.raises(InputError, match=message):
        find_layout(["i", "j", "k"], layout)


def test_columns_called_alike_or_after_the_loser_are_refused():
    with pytest.raises(InputError, match="'Left' and 'left' may both hold the objects"):
        find_layout(["anchor", "Left", "left", "right", "response"], Layout())
    with pytest.raises(od.LayoutError) as caught:
        find_layout(["x", "loser", "winner"], Layout(columns=["x", "loser", "winner"]))
    assert caught.value.codes == ("negative-name",)


def test_column_names_must_differ():
    with pytest.raises(InputError, match="Two columns are called 'i'"):
        find_layout(["i", "j", "k", "i"], Layout())


def test_a_name_for_one_group_leaves_the_others_found():
    frame = {
        "anchor": list("ab"),
        "near": list("ba"),
        "far": list("cc"),
        "code": ["p", "q"],
        "trial": [1, 2],
    }
    assert set(od.read_comparisons(frame, groups={"participant": "code"}).groups) == {
        "participant",
        "trial",
    }

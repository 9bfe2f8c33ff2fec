"""Columns that name what was shown must agree with the answer, with options as without."""

import pytest

import ordinate as od

SHOWN = {"anchor": list("uvwx"), "x1": list("vwxu"), "x2": list("wxuv")}
ITEMS = {"item_a": list("uvwx"), "item_b": list("vwxu")}
FIRST = {"columns": ["anchor", "x1", "x2"]}


@pytest.mark.parametrize(
    "beside",
    [
        {"wahl": [1, 2, 1, 2]},
        {"wahl": ["yes", "no", "no", "no"]},
        {"wahl": list("wwuu")},
        {"disliked": list("vwxu")},
        {"odd_one": list("uuxx")},
    ],
)
def test_chosen_columns_beside_what_may_be_the_answer_are_refused(beside):
    with pytest.raises(od.LayoutError):
        od.read_comparisons(SHOWN | beside, **FIRST)
    assert len(od.read_comparisons(SHOWN | beside, **FIRST, answer=[])) == 4


def test_what_names_a_side_in_no_row_is_left_alone():
    beside = {"note": ["left"] * 4, "age": [31, 31, 40, 40], "copy": list("vwxu")}
    assert len(od.read_comparisons(SHOWN | beside, **FIRST)) == 4


def test_chosen_columns_that_state_the_comparison_need_no_answer():
    stated = dict(zip(("anchor", "near", "far"), SHOWN.values(), strict=True))
    beside = {"flag": [1, 0, 0, 1], "wahl": list("wwuu")}
    assert len(od.read_comparisons(stated | beside, columns=["anchor", "near", "far"])) == 4


def test_chosen_columns_may_be_called_after_what_was_not_chosen():
    names = ["anchor", "selected", "not_selected"]
    stated = dict(zip(names, SHOWN.values(), strict=True))
    beside = {"correct": [1, 0, 0, 1], "left": list("vxxv"), "right": list("wwuu")}
    assert len(od.read_comparisons(stated | beside, columns=names)) == 4
    with pytest.raises(od.LayoutError):
        od.read_comparisons(stated | {"response": list("wxuv")}, columns=names)


def test_winners_must_be_what_was_shown():
    shown = {"head": list("uvw"), "left": list("vwu"), "right": list("wuv")}
    numbers = {"winner": ["11", "12", "13"], "loser": ["12", "13", "11"]}
    with pytest.raises(od.LayoutError, match="do not hold the objects in 'left' and 'right'"):
        od.read_comparisons(shown | numbers)
    agreeing = {"winner": list("vuu"), "loser": list("wwv")}
    assert len(od.read_comparisons(shown | agreeing)) == 3


def test_a_column_called_anchor_is_the_anchor():
    stated = dict(zip(("anchor", "near", "far"), SHOWN.values(), strict=True))
    answers = od.read_comparisons(stated | {"reference": list("xxuu")})
    assert [answers.names[row[0]] for row in answers.rows] == list("uvwx")
    other = {"probe" if name == "anchor" else name: of for name, of in stated.items()}
    with pytest.raises(od.InputError, match="may both hold the anchor"):
        od.read_comparisons(other | {"reference": list("xxuu")})
    odd = {"item1": list("uv"), "item2": list("vw"), "item3": list("wu"), "odd": list("uv")}
    assert len(od.read_comparisons(odd | {"probe": list("xy")})) == 4


@pytest.mark.parametrize(
    ("columns", "choices"),
    [
        (["anchor", "x1", "x2", "x3"], {"choose_k"}),
        (["cue", "rank1", "rank2", "rank3"], {"choose_k"}),
    ],
)
def test_four_chosen_columns_are_two_pairs_only_if_they_are_called_so(columns, choices):
    table = dict(zip(columns, ("u", "v", "w", "x"), strict=True))
    table = {name: [entry] for name, entry in table.items()}
    with pytest.raises(od.LayoutError, match="or in a pair with") as caught:
        od.read_comparisons(table, columns=columns)
    assert caught.value.choices[0]["question"] in choices
    pairs = dict(zip(("left_1", "left_2", "right_1", "right_2"), table.values(), strict=True))
    assert len(od.read_comparisons(pairs, columns=[*pairs], answer=[])) == 1


def test_three_chosen_columns_and_a_choice_may_be_an_odd_one_out():
    table = {"left": list("uv"), "middle": list("vw"), "right": list("wu"), "pick": list("vw")}
    for told in ({}, {"answer": "pick"}):
        with pytest.raises(od.LayoutError, match="the odd one out"):
            od.read_comparisons(table, columns=["left", "middle", "right"], **told)


@pytest.mark.parametrize(
    ("beside", "is_read"),
    [
        ({"loser": list("vxxx")}, True),
        ({"loser": list("uwwu")}, False),
        ({"more_similar": list("vvxx")}, False),
        ({"more_similar": ["b", "a", "b", "b"]}, False),
        ({"more_similar": ["a", "b", "a", "b"]}, True),
        ({"subject_response": [2, 1, 2, 1]}, False),
        ({"other": list("vvxx")}, True),
        ({"some_item": list("uvxx")}, False),
        ({"correct_answer": list("uvxx")}, True),
        ({"top_item": list("uwxu"), "low_item": list("vvwx")}, True),
        ({"note": list("abab")}, True),
        ({"remark": ["u", "good", "good", "x"]}, True),
    ],
)
def test_witnesses_of_a_winner(beside, is_read):
    table = ITEMS | {"winner": list("uwwu")} | beside
    for told in ({}, {"columns": ["item_a", "item_b"]}):
        if is_read:
            assert od.read_pairs(table, **told).outcomes.tolist() == [1, -1, 1, -1]
        else:
            with pytest.raises(od.InputError, match="do not agree"):
                od.read_pairs(table, **told)
    told = od.read_pairs(table, answer="winner", coding="name")
    assert told.outcomes.tolist() == [1, -1, 1, -1]


def test_codes_beside_the_items_are_not_the_winner():
    table = {
        "img0": list("uvwx"),
        "img1": list("vwxu"),
        "chosen": [1] * 4,
        "rejected": list("vwxu"),
    }
    with pytest.raises(od.InputError, match="can be read in two ways"):
        od.read_pairs(table)


def test_a_column_called_after_the_loser_says_who_lost():
    table = {"preferred": list("uv"), "nonpreferred": list("vw"), "choice": ["left", "right"]}
    for told in ({}, {"columns": ["preferred", "nonpreferred"]}):
        assert od.read_pairs(table, **told).outcomes.tolist() == [1, 1]

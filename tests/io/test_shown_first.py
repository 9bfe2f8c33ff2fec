"""Which item was shown first: columns that say it, and what is refused."""

import numpy as np
import pytest

import ordinate as od
from ordinate.io.layout import Layout
from ordinate.io.read import read_log

ITEMS = {"item_a": ["x", "y", "x"], "item_b": ["y", "z", "z"]}
WINNER = {"winner": ["x", "z", "tie"]}
TURNED = [["x", "y"], ["z", "y"], ["z", "x"]]
"""The items as they were shown, in every file below."""


def shown(pairs):
    return [[pairs.name_of(item) for item in row] for row in pairs.rows.tolist()]


@pytest.mark.parametrize(
    "sides",
    [
        {"shown_first": ["x", "z", "z"]},
        {"shown_first": ["a", "b", "b"]},
        {"Shown First": ["item_a", "item_b", "item_b"]},
        {"first_presented": [1, 2, 2]},
        {"shown_left": ["x", "z", "z"]},
        {"left": ["x", "z", "z"]},
        {"first": ["x", "z", "z"]},
        {"position_a": ["left", "right", "right"]},
        {"position_b": ["second", "first", "first"]},
        {"side_a": ["L", "R", "R"], "side_b": ["R", "L", "L"]},
        {"position_a": [0, 1, 1], "position_b": [1, 0, 0]},
        {"item_a_position": [1.0, 2.0, 2.0]},
    ],
)
def test_usual_columns_of_who_was_shown_first(sides):
    pairs, reading = read_log(ITEMS | WINNER | sides, Layout(), pairs=True)
    assert shown(pairs) == TURNED
    assert pairs.outcomes.tolist() == [1, 1, 0]
    assert pairs.ordered
    assert reading.example.endswith("; x was shown first")
    assert not reading.ignored


def test_the_column_can_be_named():
    table = ITEMS | WINNER | {"on_top": ["x", "z", "z"]}
    assert shown(od.read_pairs(table)) != TURNED
    assert shown(od.read_pairs(table, shown_first="on_top")) == TURNED


def test_winners_counts_and_scores_may_say_who_was_shown_first():
    won = {"winner": ["x", "z"], "loser": ["y", "y"]}
    pairs = od.read_pairs(won | {"winner_side": ["left", "right"]})
    assert shown(pairs) == [["x", "y"], ["y", "z"]]
    assert pairs.outcomes.tolist() == [1, -1]
    assert pairs.ordered
    assert od.read_pairs(won | {"chosen_side": ["right", "left"]}).outcomes.tolist() == [-1, 1]
    first = {"shown_first": ["x", "z", "z"]}
    counted = od.read_pairs(ITEMS | first | {"wins_a": [3, 1, 0], "wins_b": [0, 2, 4]})
    plain = od.read_pairs(ITEMS | {"wins_a": [3, 1, 0], "wins_b": [0, 2, 4]})
    assert counted.ordered
    np.testing.assert_array_equal(counted.counts().wins(), plain.counts().wins())
    scored = od.read_pairs(ITEMS | first | {"score_a": [3, 1, 1], "score_b": [0, 2, 4]})
    assert scored.outcomes.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("sides", "winner"),
    [
        ({"left": ["x", "z", "z"]}, ["left", "left", "tie"]),
        ({"shown_first": ["x", "z", "z"]}, ["first", "first", "tie"]),
        ({"shown_first": ["x", "z", "z"]}, ["a", "b", "tie"]),
    ],
)
def test_an_answer_may_say_on_which_side_the_winner_was_shown(sides, winner):
    pairs = od.read_pairs(ITEMS | sides | {"winner": winner})
    assert shown(pairs) == TURNED
    assert pairs.outcomes.tolist() == [1, 1, 0]


def test_columns_of_sides_come_before_others():
    table = ITEMS | {"first_item": ["x", "z", "z"], "second_item": ["y", "y", "x"]}
    assert shown(od.read_pairs(table | WINNER)) == TURNED
    table = ITEMS | {"left": ["x", "z", "z"], "right": ["y", "y", "x"]}
    assert shown(od.read_pairs(table | WINNER)) == TURNED
    assert shown(od.read_pairs(table | WINNER, columns=["item_a", "item_b"])) == TURNED


def test_names_that_leave_no_doubt_come_first():
    table = ITEMS | WINNER | {"first": [9, 8, 7], "position_a": ["left", "right", "right"]}
    assert shown(od.read_pairs(table)) == TURNED


def test_what_is_not_a_side_is_left_alone():
    for other in ({"left": [3, 2, 1]}, {"position_a": [7, 1, 4]}, {"first": ["q", "x", "y"]}):
        pairs, reading = read_log(ITEMS | WINNER | other, Layout(), pairs=True)
        assert shown(pairs) == [["x", "y"], ["y", "z"], ["x", "z"]]
        assert reading.example.endswith("; x is taken as shown first")
        assert reading.ignored == tuple(other)
    for empty in ({"shown_first": [None] * 3}, {"position_a": [None] * 3}):
        assert od.read_pairs(ITEMS | WINNER | empty).rows.tolist() == pairs.rows.tolist()
    some = ITEMS | WINNER | {"shown_first": ["x", None, "z"]}
    with pytest.warns(od.DroppedRowsWarning, match="Dropped 1 of 3 rows"):
        assert shown(od.read_pairs(some, on_invalid="drop")) == [TURNED[0], TURNED[2]]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (WINNER | {"shown_first": [0, 1, 1]}, "can be read in two ways; write the name"),
        (WINNER | {"shown_first": [True, False, True]}, "can be read in two ways; write the name"),
        (WINNER | {"shown_first": ["left", "right", "left"]}, "Row 0 has 'left' in column 'shown_"),
        (WINNER | {"shown_first": ["x", "x", "x"]}, "Row 1 has 'x' in column 'shown_first'"),
        (WINNER | {"position_a": [0, 1, 1]}, "may count from 0 or say that the item was shown fir"),
        (WINNER | {"side_a": ["left"] * 3, "side_b": ["left"] * 3}, "has 'left' in both 'side_a'"),
        (WINNER | {"shown_first": ["x", None, "z"]}, "Row 1 has no entry in column 'shown_first'"),
        (
            {"winner": [1, 2, 1], "shown_first": ["x", "z", "z"]},
            "may be columns, or places in the order shown",
        ),
        (
            {"winner": ["left", "right", "left"], "shown_first": ["x", "z", "z"]},
            "may be columns, or places in the order shown",
        ),
    ],
)
def test_bad_arguments_are_refused(table, message):
    with pytest.raises(od.InputError, match=message):
        od.read_pairs(ITEMS | table)


def test_a_coding_that_is_given_counts_columns():
    table = ITEMS | {"winner": [1, 2, 1], "shown_first": ["x", "z", "z"]}
    assert od.read_pairs(table, coding="from-1").outcomes.tolist() == [1, 1, -1]


def test_an_advantage_of_the_side_is_found_only_with_the_column():
    rng = np.random.default_rng([7])
    left = rng.random(900) < 0.5
    wins_first = rng.random(900) < 0.7
    names = np.array(["x", "y"])
    table = {
        "item_a": ["x"] * 900,
        "item_b": ["y"] * 900,
        "winner": np.where(wins_first == left, "x", "y"),
        "shown_first": names[1 - left],
    }
    model = od.Ranking(side=True, random_state=0).fit(od.read_pairs(table))
    # seven standard errors from the true log odds
    assert abs(model.side_ - np.log(0.7 / 0.3)) < 0.5
    assert abs(model.scores_[0] - model.scores_[1]) < 0.5

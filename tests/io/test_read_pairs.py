"""Tables of pairs as people have them, and what is refused."""

import numpy as np
import pandas as pd
import pytest

import ordinate as od
from ordinate.io.layout import Layout
from ordinate.io.read import read_log

ITEMS = {"item_a": ["x", "y", "z"], "item_b": ["y", "z", "x"]}


@pytest.mark.parametrize(
    ("winner", "outcomes"),
    [
        (["x", "z", "x"], [1, -1, -1]),
        (["x", "z", "tie"], [1, -1, 0]),
        (["a", "b", "Tie"], [1, -1, 0]),
        (["item_a", "item_b", "tie (bothbad)"], [1, -1, 0]),
        (["left", "right", "draw"], [1, -1, 0]),
        (["first", "second", "both"], [1, -1, 0]),
        ([1, 2, 1], [1, -1, 1]),
    ],
)
def test_codings_of_the_winner(winner, outcomes):
    pairs = od.read_pairs(ITEMS | {"winner": winner})
    assert pairs.outcomes.tolist() == outcomes
    assert pairs.names == ("x", "y", "z")
    assert pairs.ordered


@pytest.mark.parametrize(
    ("codes", "tie", "coding"),
    [([1, 2, 0], "0", "auto"), ([1, -1, 0], "0", "holds"), ([1.0, 0.0, 0.5], "0.5", "holds")],
)
def test_a_number_for_a_tie_is_asked_for(codes, tie, coding):
    """0 may also have lost where 2 won and 1 is a draw."""
    log = ITEMS | {"winner": codes}
    with pytest.raises(od.LayoutError, match=f"If {tie} means a tie, say so with map=") as asked:
        od.read_pairs(log, coding=coding)
    assert asked.value.choices == ({"map": {tie: "tie"}},)
    told = od.read_pairs(log, coding=coding, **asked.value.choices[0])
    assert told.outcomes.tolist() == [1, -1, 0]


@pytest.mark.parametrize(
    "columns",
    [("model_a", "model_b"), ("left", "right"), ("a", "b"), ("item1", "item2"), ("x", "y")],
)
def test_usual_names_of_the_items(columns, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(f"{columns[0]},{columns[1]},winner,judge,prompt\nu,v,v,7,p\nv,u,v,8,q\n")
    pairs = od.read_pairs(path)
    assert pairs.outcomes.tolist() == [-1, 1]
    assert pairs.groups["participant"].tolist() == [7, 8]
    assert pairs.groups["prompt"].tolist() == ["p", "q"]


def test_winners_and_losers():
    pairs = od.read_pairs({"winner": ["x", "y"], "loser": ["y", "z"], "weight": [2, 1]})
    assert pairs.outcomes.tolist() == [1, 1]
    assert pairs.weights.tolist() == [2, 1]
    assert not pairs.ordered
    assert od.read_pairs([["x", "y"], ["y", "z"]]).outcomes.tolist() == [1, 1]


def test_counts_and_scores_of_both_sides():
    counted = ITEMS | {"wins_a": [3, 0, 1], "wins_b": [1, 2, 0], "ties": [0, 1, 0]}
    pairs = od.read_pairs(counted)
    assert pairs.counts().per_item.tolist() == [[3, 1, 3], [0, 1, 1], [2, 5, 0]]
    assert not pairs.ordered
    scored = od.read_pairs(ITEMS | {"score_a": [3, 0, 1], "score_b": [1, 2, 1]})
    assert scored.outcomes.tolist() == [1, -1, 0]


def test_a_square_table_of_wins():
    table = {"": ["x", "y", "z"], "x": [0, 3, 1], "y": [1, 0, 2], "z": [2, 2, 0]}
    with pytest.raises(od.InputError, match="matrix='rows-win' or matrix='columns-win'"):
        od.read_pairs(table)
    rows = od.read_pairs(table, matrix="rows-win").counts().wins()
    np.testing.assert_array_equal(rows, [[0, 1, 2], [3, 0, 2], [1, 2, 0]])
    columns = od.read_pairs(table, matrix="columns-win").counts().wins()
    np.testing.assert_array_equal(columns, rows.T)
    frame = pd.DataFrame(table).set_index("").rename_axis(None)
    assert od.read_pairs(frame, matrix="rows-win") == od.read_pairs(table, matrix="rows-win")


def test_the_first_row_is_shown_in_words_and_conditions_count(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("phase,a,b,winner,rater\npractice,u,v,a,1\ntest,u,v,b,2\ntest,v,u,tie,2\n")
    pairs, reading = read_log(path, Layout(where="phase=test"), pairs=True)
    assert len(pairs) == 2
    assert reading.example == "line 3: v beat u, said by 2"
    assert reading.columns["winner"].endswith("tie for a tie")
    assert "Left out 1 of 3 rows" in reading.left_out_in_words


def test_columns_of_sides_are_what_an_answer_speaks_of():
    log = {"model_x": [1, 2], "model_y": [2, 1], "left": ["u", "v"], "right": ["v", "u"]}
    pairs = od.read_pairs(log | {"winner": ["left", "tie"]})
    assert pairs.names == ("u", "v")


NEGATIVE_ANSWERS = (
    *("worse", "Worse.Item", "loser", "not_chosen", "least_liked", "negative_choice", "lost"),
    *("eliminated", "disliked", "weaker", "discarded", "excluded", "removed", "outlier", "wrong"),
    *("less_preferred", "rejected"),
)


@pytest.mark.parametrize("name", NEGATIVE_ANSWERS)
def test_an_answer_that_names_the_loser_is_refused(name):
    with pytest.raises(od.InputError, match="is called as if it named what was not chosen"):
        od.read_pairs(ITEMS | {name: ITEMS["item_a"]}, answer=name)
    with pytest.raises(od.InputError, match="which column says who won"):
        od.read_pairs(ITEMS | {name: ITEMS["item_a"]})


def test_two_columns_of_answers_must_agree():
    one, other = {"response": ["x", "z", "x"]}, {"choice": ["y", "y", "z"]}
    with pytest.raises(od.InputError, match="'response' and 'choice' both say what was chosen"):
        od.read_pairs(ITEMS | one | other)
    assert od.read_pairs(ITEMS | one | other, answer="choice").outcomes.tolist() == [-1, 1, 1]
    same = od.read_pairs(ITEMS | one | {"choice": ["a", "b", "b"]})
    assert same.outcomes.tolist() == [1, -1, -1]
    with pytest.raises(od.InputError, match="but do not agree: Row 2 has 'x' and 'tie'"):
        od.read_pairs(ITEMS | one | {"choice": ["a", "b", "tie"]})
    with pytest.raises(od.InputError, match="but do not agree: Row 0 has 'tie'"):
        od.read_pairs(ITEMS | {"response": ["tie"] * 3, "choice": ["a", "b", "tie"]})


def test_an_answer_must_not_name_the_loser():
    table = ITEMS | {"answer": ["y", "y", "z"], "loser": ["y", "y", "z"]}
    with pytest.raises(od.InputError, match="'answer' and 'loser' do not agree on what was chosen"):
        od.read_pairs(table)
    with pytest.raises(od.InputError, match="'answer' and 'loser' do not agree on what was chosen"):
        od.read_pairs(table, answer="answer")
    told = od.read_pairs(table, answer="answer", coding="name")
    assert told.outcomes.tolist() == [-1, 1, 1]
    agreeing = od.read_pairs(ITEMS | {"answer": ["x", "z", "x"], "loser": ["y", "y", "z"]})
    assert agreeing.outcomes.tolist() == [1, -1, -1]


CHOSEN = {"cand_chosen": ["x", "z", "x"], "cand_not_chosen": ["y", "y", "z"]}


@pytest.mark.parametrize(
    "spelling",
    [
        ("cand_chosen", "cand_not_chosen"),
        ("chosenItem", "unchosenItem"),
        ("selected_id", "not_selected_id"),
        ("essay.preferred", "essay.rejected"),
        ("Winner", "Loser"),
    ],
)
def test_columns_that_say_who_won_are_read(spelling):
    pairs = od.read_pairs(dict(zip(spelling, CHOSEN.values(), strict=True)))
    assert [[pairs.name_of(item) for item in row] for row in pairs.rows.tolist()] == [
        ["x", "y"],
        ["z", "y"],
        ["x", "z"],
    ]
    assert pairs.outcomes.tolist() == [1, 1, 1]


@pytest.mark.parametrize("columns", [list(CHOSEN), ["winner", "loser"]])
def test_an_answer_beside_columns_that_say_who_won_must_agree(columns):
    stated = dict(zip(columns, CHOSEN.values(), strict=True))
    sides = stated | {"choice": ["left", "right", "right"]}
    for told in ({"columns": columns}, {}):
        assert od.read_pairs(sides, **told).outcomes.tolist() == [1, 1, 1], "a side of the screen"
        with pytest.raises(od.InputError, match="say who won, but 'choice', which holds left and"):
            od.read_pairs(sides, answer="choice", **told)
        with pytest.raises(od.InputError, match="say who won, but 'answer', which holds x and y"):
            od.read_pairs(stated | {"answer": ["y", "y", "x"]}, **told)
        with pytest.raises(od.InputError, match="say who won, but 'answer'"):
            od.read_pairs(stated | {"answer": ["x", "tie", "x"]}, **told)
    same = stated | {"answer": ["x", "z", "x"]}
    assert od.read_pairs(same).outcomes.tolist() == [1, 1, 1]
    other = stated | {"answer": ["y", "y", "x"]}
    assert od.read_pairs(other, answer=[]).outcomes.tolist() == [1, 1, 1]


def test_two_columns_of_one_name_are_refused(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("a,b,answer,answer\nu,v,u,v\nv,w,w,v\n")
    with pytest.raises(od.InputError, match="Two columns are called 'answer'"):
        od.read_pairs(path)


@pytest.mark.parametrize(
    ("columns", "answer"),
    [
        (("left", "right"), "chose_second"),
        (("p0", "p1"), "chose_second"),
        (("compA", "compB"), "is_compB_selected"),
        (("item_a", "item_b"), "b_won"),
    ],
)
def test_a_column_may_be_called_after_the_choice_of_the_second(columns, answer):
    table = dict(zip(columns, ITEMS.values(), strict=True)) | {answer: ["yes", "no", "yes"]}
    for coding in ("auto", "holds"):
        pairs = od.read_pairs(table, columns=columns, answer=answer, coding=coding)
        assert pairs.outcomes.tolist() == [-1, 1, -1]
    turned = od.read_pairs(table, columns=columns[::-1], answer=answer)
    assert turned.names[turned.rows[0, 0]] == "y"
    if answer != "chose_second":
        assert od.read_pairs(table).outcomes.tolist() == [-1, 1, -1]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (ITEMS | {"winner": [0, 1, 1]}, "can be read in two ways"),
        (ITEMS | {"winner": [1, -1, 0]}, "can be read in two ways"),
        (ITEMS | {"winner": ["x", "q", "x"]}, "Row 1 has 'q'.*A tie is written tie or draw"),
        (ITEMS, "which column says who won"),
        ({"item_a": ["x"], "item_b": ["x"], "winner": ["x"]}, "compares nothing"),
        ({"foo": [1], "bar": [2]}, r"Which columns hold the two items.*\['A', 'B'\]\.$"),
        ({"who": [1], "ranking": ["a > b"]}, "If 'ranking' holds rankings, add question='ranking'"),
        (
            {"m_a": ["u"], "m_b": ["v"], "k_x": ["u"], "k_y": ["v"], "winner": ["u"]},
            "'m_a' and 'm_b' or 'k_x' and 'k_y' may hold the items",
        ),
        (
            {"a1": ["u"], "a2": ["v"], "b1": ["w"], "b2": ["x"], "answer": [1]},
            "If people compared the differences of two pairs, use `od.scale_differences`",
        ),
        ({"a": ["same", "u"], "b": ["u", "v"], "winner": ["same", "u"]}, "or a tie; rename"),
        (ITEMS | {"wins_a": [-1, 0, 0], "wins_b": [1, 1, 1]}, "Row 0 has a negative count"),
    ],
)
def test_bad_arguments_are_refused(table, message):
    with pytest.raises(od.InputError, match=message):
        od.read_pairs(table)


@pytest.mark.parametrize("columns", [["item_a"], ["item_a", "item_a"]])
def test_two_columns_must_be_chosen(columns):
    with pytest.raises(od.InputError, match="must choose 2 different columns of items"):
        od.read_pairs(ITEMS | {"winner": ITEMS["item_a"]}, columns=columns)


def test_rows_that_say_nothing_are_dropped_if_asked():
    table = {"a": ["u", "u"], "b": ["v", "u"], "winner": ["a", "tie"]}
    with pytest.warns(od.DroppedRowsWarning, match="Dropped 1 of 2 rows"):
        assert len(od.read_pairs(table, on_invalid="drop")) == 1


def test_one_column_per_outcome_is_read():
    pairs = od.read_pairs(
        {
            "model_a": ["x", "y", "z"],
            "model_b": ["y", "z", "x"],
            "winner_model_a": [1, 0, 0],
            "winner_model_b": [0, 0, 1],
            "winner_tie": [0, 1, 0],
        }
    )
    assert pairs.outcomes.tolist() == [1, 0, -1]


@pytest.mark.parametrize(
    ("items", "scores"),
    [
        (("home_team", "away_team"), ("home_goals", "away_goals")),
        (("a", "b"), ("left_score", "right_score")),
    ],
)
def test_scores_of_both_sides_are_not_counts(items, scores):
    table = dict(zip((*items, *scores), (["x", "y"], ["y", "z"], [3, 2], [1, 2]), strict=True))
    pairs = od.read_pairs(table)
    assert pairs.outcomes.tolist() == [1, 0]
    assert pairs.weights is None


def test_scores_and_home_sides_say_who_comes_first():
    scored = od.read_pairs(ITEMS | {"score_a": [3, 0, 1], "score_b": [1, 2, 1]})
    assert scored.ordered
    table = {"home": ["x", "y"], "away": ["y", "x"], "wins_home": [3, 2], "wins_away": [1, 1]}
    assert od.read_pairs(table).ordered
    assert not od.read_pairs(ITEMS | {"wins_a": [3, 2, 0], "wins_b": [1, 1, 2]}).ordered


def test_ties_beside_winners_and_losers_are_not_taken_for_wins(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("winner,loser,tie\na,b,no\nb,c,no\na,c,yes\n")
    with pytest.raises(od.InputError, match="'tie' may say that nobody did"):
        od.read_pairs(path)
    assert len(od.read_pairs(path, exclude={"tie": "yes"})) == 2

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ordinate import InputError
from ordinate.sources import from_choices, from_most_central, from_odd_one_out, from_pair_choices

DATA = os.environ.get("ORDINATE_DATA")


def test_odd_one_out():
    answers = from_odd_one_out([[4, 2, 0], [1, 2, 3]], [2, 3], participant=["ann", "bob"])
    assert answers.rows.tolist() == [[4, 0, 2], [0, 4, 2], [1, 2, 3], [2, 1, 3]]
    assert answers.groups["participant"].tolist() == ["ann", "ann", "bob", "bob"]
    assert answers.groups["trial"].tolist() == [0, 0, 1, 1]


def test_the_most_central_object_gives_two_comparisons():
    answers = from_most_central([["red", "pink", "blue"]], ["pink"], trial=[17])
    assert answers.names == ("blue", "pink", "red")
    assert answers.rows.tolist() == [[2, 1, 0], [0, 1, 2]]
    assert answers.groups["trial"].tolist() == [17, 17]


def test_choices_without_order():
    answers = from_choices([9, 9], [[0, 1, 2, 3], [4, 5, 6, 7]], [[2, 0], [4, 5]])
    assert {tuple(row) for row in answers.rows[:4].tolist()} == {
        (9, 2, 1),
        (9, 2, 3),
        (9, 0, 1),
        (9, 0, 3),
    }
    assert len(answers) == 8
    assert answers.groups["trial"].tolist() == [0] * 4 + [1] * 4


def test_choices_with_order():
    plain = from_choices([9], [[0, 1, 2, 3]], [[2, 0]])
    ranked = from_choices([9], [[0, 1, 2, 3]], [[2, 0]], ranked=True)
    added = {tuple(r) for r in ranked.rows.tolist()} - {tuple(r) for r in plain.rows.tolist()}
    assert added == {(9, 2, 0)}


def test_one_choice_may_come_as_a_vector():
    one = from_choices(["p"], [["a", "b", "c"]], ["b"])
    assert one == from_choices(["p"], [["a", "b", "c"]], [["b"]])
    assert [tuple(one.names[o] for o in row) for row in one.rows] == [
        ("p", "b", "a"),
        ("p", "b", "c"),
    ]


def test_choosing_all_says_nothing_without_order():
    assert len(from_choices([9], [[0, 1]], [[1, 0]], ranked=True)) == 1
    with pytest.raises(InputError, match="No comparisons; expected at least one row"):
        from_choices([9], [[0, 1]], [[1, 0]])


@pytest.mark.parametrize("nearer", [[True, False], [1, -1]])
def test_pairs_give_quadruplets(nearer):
    answers = from_pair_choices([[0, 1], [0, 1]], [[2, 3], [1, 2]], nearer, participant=[5, 6])
    assert answers.rows.tolist() == [[0, 1, 2, 3], [1, 2, 0, 1]]
    assert answers.kind == "quadruplet"
    assert answers.groups["participant"].tolist() == [5, 6]


def test_columns_of_a_frame():
    frame = pd.DataFrame({"l": ["cat"], "m": ["car"], "r": ["dog"], "odd": ["car"], "who": ["ann"]})
    shown = frame[["l", "m", "r"]]
    answers = from_odd_one_out(shown, frame["odd"], participant=frame["who"])
    assert answers == from_odd_one_out([["cat", "car", "dog"]], ["car"], participant=["ann"])
    as_objects = shown.to_numpy(dtype=object), frame["odd"].to_numpy(dtype=object)
    assert from_odd_one_out(*as_objects, participant=["ann"]) == answers


def test_objects_that_do_not_occur():
    assert from_odd_one_out([[0, 1, 2]], [0], n_objects=10).n_objects == 10
    named = from_odd_one_out([["b", "c", "d"]], ["d"], names=["d", "c", "b", "a"])
    assert named.names == ("d", "c", "b", "a")
    assert named.rows.tolist() == [[2, 1, 0], [1, 2, 0]]


def test_split_by_trial_keeps_a_trial_together():
    shown = np.arange(300).reshape(100, 3)
    train, test = from_odd_one_out(shown, shown[:, 1]).train_test_split(
        0.3, by="trial", random_state=0
    )
    assert not set(train.groups["trial"]) & set(test.groups["trial"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: from_odd_one_out([[5, 6, 7]], [1]),
            r"Trial 0: odd is 1, but shown were \[5, 6, 7",
        ),
        (lambda: from_odd_one_out([[5, 6]], [5]), r"shown must have shape \(n_trials, 3\)"),
        (lambda: from_odd_one_out([[5, 6, 7]], [5, 6]), "got shown 1, odd 2"),
        (lambda: from_odd_one_out([["a", "b", "c"]], [0]), "all names or all numbers"),
        (lambda: from_odd_one_out([[-1, 0, 1]], [0]), "object numbers start at 0"),
        (
            lambda: from_most_central([["a", "b", "c"]], ["d"]),
            r"Trial 0: central is 'd', but shown were \['a', 'b', 'c'\]",
        ),
        (lambda: from_choices([0], [[1, 2, 3]], [[1, 4]]), "Trial 0: chosen is 1, 4, but shown"),
        (lambda: from_choices([0], [[1, 2, 3]], [[1, 1]]), "Trial 0: chosen has an object twice"),
        (lambda: from_choices([1], [[1, 2, 3]], [[2]]), "the three objects of a triplet must dif"),
        (lambda: from_choices([0, 1], [[1, 2, 3]], [[1]]), "got probe 2, shown 1"),
        (
            lambda: from_pair_choices([[0, 1]], [[2, 3]], [0.5]),
            "Answer 0 is 0.5; answers must be booleans or",
        ),
        (lambda: from_pair_choices([[0, 0]], [[2, 3]], [True]), "first has an object twice"),
        (lambda: from_pair_choices([[0, 1]], [[1, 0]], [True]), "the two pairs must differ"),
        (
            lambda: from_odd_one_out([[0, 1, 2]], [0], participant=[1, 2]),
            "participant must have one entry per trial",
        ),
    ],
)
def test_bad_statements_are_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


@pytest.mark.skipif(DATA is None, reason="ORDINATE_DATA is not set")
def test_published_counts_of_the_car_survey():
    rows = np.loadtxt(
        Path(DATA) / "car60/ordinal_data_preprocessed/T_ALL.csv", delimiter=",", dtype=int
    )
    answers = from_most_central(rows - 1, rows[:, 0] - 1)
    assert (len(answers), len(answers.merge_repeats()), answers.n_objects) == (13_514, 12_502, 60)

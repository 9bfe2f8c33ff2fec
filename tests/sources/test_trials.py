import numpy as np
import pytest

from ordinate import InputError
from ordinate.sources._trials import (
    Labels,
    check_trials,
    expand,
    positions_of,
    stack_trials,
)
from ordinate.tasks import make_task, repeats_within


def test_expand_keeps_trials_together():
    items, chosen = np.array([[5, 6, 7], [1, 2, 3]]), np.array([[2], [0]])
    task, labels = make_task("odd_one_out"), Labels(["a", "b"], None)
    answers = expand(task, items, chosen, labels, None, 9)
    assert answers.rows.tolist() == [[5, 6, 7], [6, 5, 7], [2, 3, 1], [3, 2, 1]]
    assert answers.groups["participant"].tolist() == ["a", "a", "b", "b"]
    assert answers.groups["trial"].tolist() == [0, 0, 1, 1]
    assert answers.n_objects == 9


def test_labels_become_groups():
    assert Labels(None, None).groups(2, [1, 1]).keys() == {"trial"}
    groups = Labels(["x", "y"], [7, 8]).groups(2, [1, 3])
    assert groups["trial"].tolist() == [7, 8, 8, 8]
    with pytest.raises(InputError, match=r"participant must have one entry per trial, .*\(3,\)"):
        Labels(["x", "y", "z"], None).groups(2, [1, 1])


@pytest.mark.parametrize("n", [1, 3, 9])
def test_repeats_within_trials(n):
    trials = np.random.default_rng(n).integers(-1, 12, size=(200, n))
    expected = [len({*row} - {-1}) < sum(o != -1 for o in row) for row in trials.tolist()]
    assert repeats_within(trials).tolist() == expected
    expected = [len({*row}) < n for row in trials.tolist()]
    assert repeats_within(trials.astype(str), absent=None).tolist() == expected


def test_positions_of_what_was_chosen():
    shown = np.array([[3, 1, 2], [4, 5, 6]])
    assert positions_of("odd", shown, np.array([[1], [6]])).tolist() == [[1], [2]]
    assert positions_of("chosen", shown, np.array([[2, 3], [4, 6]])).tolist() == [[2, 0], [0, 2]]


def test_chosen_must_be_among_the_shown():
    with pytest.raises(
        InputError, match=r"Trial 1: odd is 0, but shown were \[4, 5, 6\]; give obj"
    ):
        positions_of("odd", np.array([[3, 1, 2], [4, 5, 6]]), np.array([[1], [0]]))


def test_arrays_must_agree():
    with pytest.raises(InputError, match="one entry per trial; got shown 2, odd 1"):
        stack_trials(shown=np.zeros((2, 3), dtype=int), odd=np.zeros((1, 1), dtype=int))
    with pytest.raises(InputError, match=r"all names or all numbers; got shown int64, odd <U1"):
        stack_trials(shown=np.zeros((1, 3), dtype=np.int64), odd=np.array([["a"]]))


@pytest.mark.parametrize(
    ("objects", "n_columns", "message"),
    [
        ([[1, 2]], 3, r"shown must have shape \(n_trials, 3\); got \(1, 2\)"),
        ([1, 2, 3], 3, r"shown must have shape \(n_trials, 3\); got \(3,\)"),
        ([[1, 2]], 1, r"shown must have shape \(n_trials,\); got \(1, 2\)"),
        ([[[1]]], None, r"shown must have shape \(n_trials, n\); got \(1, 1, 1\)"),
        (np.zeros((0, 3), dtype=int), 3, r"got \(0, 3\)"),
        ([[0.0, 1.0, 2.0]], 3, "as whole numbers or names; got dtype float64"),
        ([[True, False]], 2, "as whole numbers or names; got dtype bool"),
        ([[1, 2, 3], [4, 5, 4]], 3, r"Trial 1: shown has an object twice: \[4, 5, 4\]"),
        ([["a", "b", "a"]], 3, r"Trial 0: shown has an object twice: \['a', 'b', 'a'\]"),
    ],
)
def test_bad_trials_are_refused(objects, n_columns, message):
    with pytest.raises(InputError, match=message):
        check_trials("shown", objects, n_columns)

"""The record of pairs: what it takes, what it refuses, and its counts."""

import pickle

import numpy as np
import pytest

import ordinate as od

ROWS = [["b", "a"], ["a", "b"], ["a", "c"], ["b", "a"]]


def test_rows_are_summed_to_counts():
    counts = od.Pairs(ROWS, [1, 0, -1, 1], ordered=False).counts()
    assert counts.first.tolist() == [0, 0]
    assert counts.second.tolist() == [1, 2]
    assert counts.counts.tolist() == [[0, 0], [1, 0], [2, 1]]
    assert counts.per_item.tolist() == [[0, 2, 1], [1, 1, 0], [3, 0, 0]]
    assert counts.wins()[1, 0] == 2


def test_orders_of_a_pair_stay_apart_where_they_were_shown():
    counts = od.Pairs(ROWS, [1, 0, -1, 1]).counts()
    assert counts.first.tolist() == [0, 0, 1]
    assert counts.counts[:, 2].tolist() == [2, 0, 0]


def test_counts_by_sorting_are_those_of_the_table():
    rng = np.random.default_rng(0)
    rows = rng.integers(60, size=(400, 2))
    rows = rows[rows[:, 0] != rows[:, 1]]
    outcomes, weights = rng.integers(-1, 2, len(rows)), rng.random(len(rows)) + 0.1
    few = od.Pairs(rows, outcomes, weights=weights, n_objects=60).counts()
    many = od.Pairs(rows, outcomes, weights=weights, n_objects=10**5).counts()
    for name in ("first", "second", "counts"):
        np.testing.assert_allclose(getattr(few, name), getattr(many, name))
    judge = np.arange(len(rows)) % 3
    apart = od.Pairs(rows, outcomes, weights=weights).counts(judge)
    assert apart.counts.sum() == pytest.approx(weights.sum())
    assert set(apart.judge) == {0, 1, 2}


def test_parts_and_pickles():
    pairs = od.Pairs(ROWS, [1, 0, -1, 1], groups={"participant": ["x", "y", "x", "y"]})
    again = pickle.loads(pickle.dumps(pairs))
    assert repr(again) == "Pairs(4 answers, 1 tie, 3 items, grouped by participant)"
    other = od.Pairs([["c", "d"]], [1], groups={"participant": ["z"]})
    both = od.Pairs.concatenate([pairs[1:], other])
    assert both.names == ("a", "b", "c", "d")
    assert both.rows[-1].tolist() == [2, 3]
    assert both.groups["participant"].tolist() == ["y", "x", "y", "z"]
    assert pairs.question_groups().tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([["a", "a"]],), "Row 0 compares 'a' with itself"),
        (([[0, 1, 2]],), r"Pairs need 2 columns \(first, second\); got 3"),
        (([[0, 1]], [2]), r"outcomes must be 1 \(first won\), 0 \(tie\) or -1.*entry 0 is 2"),
        (([[0, 1]], ["left"]), "outcomes must be 1"),
        (([[0, 1]], [1, 1]), "outcomes must have one entry"),
        (([],), "Comparisons need a 2-D array"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(od.InputError, match=message):
        od.Pairs(*arguments)


def test_counts_without_order_say_the_same():
    rng = np.random.default_rng(0)
    rows = np.argsort(rng.random((80, 6)), axis=1)[:, :2]
    judge = rng.integers(3, size=80)
    pairs = od.Pairs(rows, rng.integers(-1, 2, 80), n_objects=6)
    for by in (None, judge):
        counts = pairs.counts(by)
        folded = counts.without_order()
        assert (folded.first < folded.second).all()
        np.testing.assert_array_equal(folded.wins(), counts.wins())
        np.testing.assert_array_equal(folded.per_item, counts.per_item)
        assert len(folded.first) < len(counts.first)

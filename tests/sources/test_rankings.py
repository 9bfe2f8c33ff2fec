import numpy as np
import pytest

from ordinate import InputError
from ordinate.sources import all_triplets, from_rankings


def rows_of(*args, **kwargs):
    return {tuple(row) for row in from_rankings(*args, **kwargs).rows.tolist()}


def test_partial_rankings_of_different_lengths():
    answers = from_rankings([0, 3], [[1, 3, 2], [2, 0]], participant=["ann", "bob"])
    assert answers.rows.tolist() == [[0, 1, 3], [0, 1, 2], [0, 3, 2], [3, 2, 0]]
    assert answers.groups["participant"].tolist() == ["ann"] * 3 + ["bob"]
    assert answers.groups["trial"].tolist() == [0, 0, 0, 1]


def test_full_rankings_are_all_triplets():
    points = np.random.default_rng(0).normal(size=(8, 2))
    order = np.linalg.norm(points[:, None] - points, axis=2).argsort(axis=1)
    assert rows_of(order[:, 0], order[:, 1:]) == {
        tuple(row) for row in all_triplets(points).rows.tolist()
    }


def test_unranked_objects():
    assert rows_of([0], [[3, 1]], n_objects=5) == {(0, 3, 1)}
    assert rows_of([0], [[3, 1]], n_objects=5, unranked_are_farther=True) == {
        (0, 3, 1),
        (0, 3, 2),
        (0, 3, 4),
        (0, 1, 2),
        (0, 1, 4),
    }


def test_neighbours_in_the_ranking_only():
    assert rows_of([0], [[3, 1, 2]], adjacent_only=True) == {(0, 3, 1), (0, 1, 2)}
    farther = rows_of([0], [[3, 1]], n_objects=5, adjacent_only=True, unranked_are_farther=True)
    assert farther == {(0, 3, 1), (0, 1, 2), (0, 1, 4)}


def test_rankings_may_hold_names():
    answers = from_rankings(["b"], [["c", "a"]])
    assert answers.names == ("a", "b", "c")
    assert answers.rows.tolist() == [[1, 2, 0]]
    listed = from_rankings(["b"], [["c"]], names=list("dcba"), unranked_are_farther=True)
    assert listed.rows.tolist() == [[2, 1, 0], [2, 1, 3]]


@pytest.mark.parametrize(
    ("anchors", "rankings", "message"),
    [
        ([0], [[1, 2], [2, 1]], "one ranking per anchor; got 1 anchors and 2 rankings"),
        ([0], [[]], r"Ranking 0 must be a list of objects, nearest first; got shape \(0,\)"),
        ([5, 0], [[1, 2], [1, 0]], r"Ranking 1 around 0 must name other objects.*got \[1, 0\]"),
        (["x"], [["a", "a"]], r"Ranking 0 around 'x' must name other.*got \['a', 'a'\]"),
        ([0], [["a", "b"]], "all names or all numbers"),
        ([[0]], [[[1, 2]]], "Ranking 0 must be a list"),
        ([0], [[1]], "No comparisons"),
        ([0], [[1, -1]], "object numbers start at 0"),
    ],
)
def test_bad_rankings_are_refused(anchors, rankings, message):
    with pytest.raises(InputError, match=message):
        from_rankings(anchors, rankings)

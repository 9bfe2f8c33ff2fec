"""Simulated trials: probabilities, ties to the similarities, refusals."""

import numpy as np
import pytest

import ordinate as od


def test_pairs_are_kept_together_as_often_as_the_formula_says():
    similar = np.array([[0, 1.0, 0.2], [1.0, 0, -0.5], [0.2, -0.5, 0]])
    trials = od.sources.random_trials(similar, 40_000, similarity="precomputed", random_state=0)
    odd = np.bincount(trials.rows[:, 2], minlength=3) / len(trials)
    weight = np.exp([-0.5, 0.2, 1.0])
    np.testing.assert_allclose(odd, weight / weight.sum(), atol=0.01)


def test_three_different_objects_all_equally_often():
    trials = od.sources.random_trials(np.zeros((5, 1)), 50_000, random_state=1)
    assert (np.diff(np.sort(trials.rows, axis=1)) > 0).all()
    _, counts = np.unique(np.sort(trials.rows, axis=1), axis=0, return_counts=True)
    np.testing.assert_allclose(counts / len(trials), 1 / 10, atol=0.01)


def test_without_noise_the_most_similar_pair_stays_together():
    points = np.array([[3.0, 0], [2, 0], [0, 1], [0, 4]])
    for similarity in ("dot", "cosine"):
        trials = od.sources.random_trials(points, 50, similarity=similarity, temperature=0)
        of_three = {0: {1}, 1: {0}, 2: {3}, 3: {2}}
        assert all(b in of_three[a] for a, b, _ in trials.rows.tolist())


def test_more_than_one_block():
    trials = od.sources.random_trials(np.eye(4), 2**18 + 5, random_state=0)
    assert len(trials) == 2**18 + 5
    assert trials.rows[-1].any()


def test_bad_arguments_are_refused():
    with pytest.raises(od.InputError, match="symmetric matrix"):
        od.sources.random_trials(np.ones((4, 3)), 5, similarity="precomputed")
    with pytest.raises(od.InputError, match="three objects"):
        od.sources.random_trials(np.ones((2, 3)), 5)

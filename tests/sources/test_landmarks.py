import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from ordinate import InputError
from ordinate.sources import (
    FlippedAnswers,
    choose_landmarks,
    count_landmark_questions,
    landmark_questions,
    landmark_triplets,
)

N, LANDMARKS = 9, [7, 2, 4, 0]
POINTS = np.random.default_rng(0).normal(size=(N, 2))


def questions_by_definition(design):
    asked = set()
    for a, i, j in itertools.permutations(range(N), 3):
        k1 = i in LANDMARKS and j in LANDMARKS
        k2 = a in LANDMARKS and (i in LANDMARKS or j in LANDMARKS)
        if k1 if design == "k1" else k2:
            asked.add((a, frozenset((i, j))))
    return asked


@pytest.mark.parametrize("design", ["k1", "k2"])
def test_questions_are_those_of_the_definition_once(design):
    rows = landmark_questions(N, LANDMARKS, design=design)
    asked = [(a, frozenset((i, j))) for a, i, j in rows.tolist()]
    assert len(asked) == len(set(asked))
    assert set(asked) == questions_by_definition(design)


def test_all_objects_may_be_landmarks():
    everything = {tuple(row) for row in landmark_questions(5, range(5)).tolist()}
    assert len(everything) == 5 * 4 * 3 // 2
    assert len(landmark_questions(5, range(5), design="k2")) == len(everything)


@pytest.mark.parametrize("design", ["k1", "k2"])
def test_landmark_answers_agree_with_the_points(design):
    answers = landmark_triplets(POINTS, LANDMARKS, design=design)
    a, near, far = answers.rows.T
    assert len(answers) == len(landmark_questions(N, LANDMARKS, design=design))
    assert answers.n_objects == N
    assert (
        np.linalg.norm(POINTS[a] - POINTS[near], axis=1)
        < np.linalg.norm(POINTS[a] - POINTS[far], axis=1)
    ).all()


def test_random_subset_has_no_repeats():
    answers = landmark_triplets(POINTS, LANDMARKS, size=20, random_state=0)
    assert len(answers) == len(answers.merge_repeats()) == 20
    assert answers == landmark_triplets(POINTS, LANDMARKS, size=20, random_state=0)
    assert answers != landmark_triplets(POINTS, LANDMARKS, size=20, random_state=1)


def test_noise_and_metric():
    right = landmark_triplets(POINTS, LANDMARKS)
    assert landmark_triplets(POINTS, LANDMARKS, noise=FlippedAnswers(1.0)) == right.reversed()
    assert landmark_triplets(POINTS, LANDMARKS, metric="cityblock") != right


@pytest.mark.parametrize(
    ("landmarks", "message"),
    [
        ([3], r"numbers of two objects or more; got shape \(1,\)"),
        ([[1, 2]], r"1-D array with the numbers of two objects or more; got shape \(1, 2\)"),
        ([0.5, 1.0], "dtype float64"),
        ([0, 9], "landmarks must hold numbers of objects, from 0 to 8; got 9"),
        ([-1, 2], "landmarks must hold numbers of objects, from 0 to 8; got -1"),
        ([1, 2, 1], "Landmarks must differ; 1 occurs twice"),
    ],
)
def test_bad_landmarks_are_refused(landmarks, message):
    with pytest.raises(InputError, match=message):
        landmark_questions(N, landmarks)


def test_bad_design_and_size():
    with pytest.raises(InputError, match="design must be one of 'k1', 'k2'; got 'k3'"):
        landmark_questions(N, LANDMARKS, design="k3")
    with pytest.raises(InputError, match="size must be an integer >= 1 and <= 42; got 43"):
        landmark_triplets(POINTS, LANDMARKS, size=43)


@pytest.mark.parametrize("design", ["k1", "k2"])
@given(n_objects=st.integers(3, 12), data=st.data())
def test_count_is_the_length_of_the_list(design, n_objects, data):
    n_landmarks = data.draw(st.integers(2, n_objects))
    listed = landmark_questions(n_objects, range(n_landmarks), design=design)
    assert count_landmark_questions(n_objects, n_landmarks, design=design) == len(listed)


def test_random_landmarks_differ_and_follow_the_seed():
    chosen = choose_landmarks(10, n_objects=12, random_state=0)
    assert len(set(chosen.tolist())) == 10
    assert set(chosen.tolist()) <= set(range(12))
    np.testing.assert_array_equal(chosen, choose_landmarks(10, n_objects=12, random_state=0))
    assert (chosen != choose_landmarks(10, n_objects=12, random_state=1)).any()


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "precomputed"])
def test_spread_landmarks_are_each_the_farthest_from_those_before(metric):
    points = np.random.default_rng(0).standard_normal((30, 2))
    distances = cdist(points, points, "cityblock" if metric == "cityblock" else "euclidean")
    known = distances if metric == "precomputed" else points
    chosen = choose_landmarks(6, points=known, metric=metric, random_state=0)
    for rank in range(1, 6):
        assert chosen[rank] == distances[chosen[:rank]].min(axis=0).argmax()


def test_spread_landmarks_differ_even_where_objects_coincide():
    chosen = choose_landmarks(4, points=np.zeros((4, 1)), random_state=0)
    assert sorted(chosen.tolist()) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "either n_objects or points"),
        ({"n_objects": 9, "points": POINTS}, "either n_objects or points"),
        ({"n_objects": 4}, "n_landmarks must be an integer >= 2 and <= 4; got 5"),
        ({"points": POINTS[:4]}, "n_landmarks must be an integer >= 2 and <= 4; got 5"),
    ],
)
def test_bad_choices_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        choose_landmarks(5, **options)

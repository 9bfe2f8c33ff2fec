import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from ordinate import InputError
from ordinate._checks import degenerate_rows
from ordinate.sources import (
    FlippedAnswers,
    all_quadruplets,
    all_triplets,
    random_quadruplets,
    random_triplets,
)

POINTS = np.random.default_rng(0).normal(size=(9, 2))


def holds(rows, points):
    i, j, k, l = rows.T if rows.shape[1] == 4 else rows.T[[0, 1, 0, 2]]  # noqa: E741
    near = np.linalg.norm(points[i] - points[j], axis=1)
    return near < np.linalg.norm(points[k] - points[l], axis=1)


def test_all_triplets_are_all_there_once():
    answers = all_triplets(POINTS)
    n = len(POINTS)
    assert len(answers) == n * (n - 1) * (n - 2) // 2
    assert len(answers.merge_repeats()) == len(answers)
    assert len(answers.contradictions()) == 0
    assert holds(answers.rows, POINTS).all()


def test_all_quadruplets_are_all_there_once():
    answers = all_quadruplets(POINTS)
    n_pairs = len(POINTS) * (len(POINTS) - 1) // 2
    assert len(answers) == n_pairs * (n_pairs - 1) // 2
    assert len(answers.merge_repeats()) == len(answers)
    assert len(answers.contradictions()) == 0
    assert holds(answers.rows, POINTS).all()


def test_ties_give_no_row():
    square = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    # of its two neighbours and the opposite corner each corner can tell the neighbours from that
    assert len(all_triplets(square)) == 8
    # four sides against two diagonals
    assert len(all_quadruplets(square)) == 8


@pytest.mark.parametrize("draw", [random_triplets, random_quadruplets])
@settings(max_examples=50, deadline=None)
@given(n=st.integers(3, 12), size=st.integers(1, 300), seed=st.integers(0, 2**31))
def test_random_rows_are_valid_and_hold(draw, n, size, seed):
    points = np.random.default_rng(1).normal(size=(n, 2))
    answers = draw(points, size, random_state=seed)
    assert len(answers) == size
    assert answers.n_objects == n
    assert not degenerate_rows(answers.rows).any()
    assert answers.rows.flags.c_contiguous
    assert holds(answers.rows, points).all()


@pytest.mark.parametrize(
    ("draw", "list_all"), [(random_triplets, all_triplets), (random_quadruplets, all_quadruplets)]
)
def test_random_rows_are_uniform(draw, list_all):
    points = POINTS[:5]
    drawn = draw(points, 40_000, random_state=0).merge_repeats()
    assert len(drawn) == len(list_all(points))
    assert chisquare(drawn.weights).pvalue > 1e-4


@pytest.mark.parametrize("draw", [random_triplets, random_quadruplets])
def test_the_seed_decides_the_draw(draw):
    first, second, other = (draw(POINTS, 100, random_state=seed) for seed in (0, 0, 1))
    assert first == second
    assert first != other


@pytest.mark.parametrize("draw", [random_triplets, random_quadruplets])
def test_noise_reaches_the_answers(draw):
    answers = draw(POINTS, 20_000, noise=FlippedAnswers(0.25), random_state=0)
    assert holds(answers.rows, POINTS).mean() == pytest.approx(0.75, abs=0.015)
    assert not holds(all_triplets(POINTS, noise=FlippedAnswers(1.0)).rows, POINTS).any()
    assert not holds(all_quadruplets(POINTS, noise=FlippedAnswers(1.0)).rows, POINTS).any()


@pytest.mark.parametrize("make", [all_triplets, all_quadruplets])
def test_metric_reaches_the_answers(make):
    matrix = np.abs(POINTS[:, None] - POINTS).sum(axis=2)
    assert make(POINTS, metric="cityblock") == make(matrix, metric="precomputed")
    assert make(POINTS, metric="cityblock") != make(POINTS)


@pytest.mark.parametrize("draw", [random_triplets, random_quadruplets])
def test_metric_reaches_random_answers(draw):
    matrix = np.abs(POINTS[:, None] - POINTS).sum(axis=2)
    by_name = draw(POINTS, 50, metric="cityblock", random_state=0)
    assert by_name == draw(matrix, 50, metric="precomputed", random_state=0)


def test_points_stay_as_they_are():
    points = POINTS.copy()
    random_triplets(points, 100, random_state=0)
    np.testing.assert_array_equal(points, POINTS)


@pytest.mark.parametrize("size", [0, -3, 2.5, True])
def test_a_bad_size_is_refused(size):
    with pytest.raises(InputError, match=f"size must be an integer >= 1; got {size}"):
        random_triplets(POINTS, size)


@pytest.mark.parametrize("make", [all_triplets, all_quadruplets])
def test_two_objects_are_too_few(make):
    with pytest.raises(InputError, match="points must hold 3 objects or more; got 2"):
        make(POINTS[:2])


def test_points_must_be_finite():
    with pytest.raises(InputError, match="points must be finite; row 1, column 0 is nan"):
        random_triplets([[0.0], [np.nan], [1.0]], 3)


def test_too_many_to_list():
    with pytest.raises(InputError, match=r"4,878,905,469,375.* draw some .* random_quadruplets"):
        all_quadruplets(np.zeros((2500, 1)))
    with pytest.raises(InputError, match=r"triplets to list.* random_triplets"):
        all_triplets(np.zeros((1000, 1)))

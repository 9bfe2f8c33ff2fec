import numpy as np
import pytest
from scipy.stats import chisquare

from ordinate import InputError
from ordinate.sources import FlippedAnswers, neighbor_triplets

POINTS = np.random.default_rng(0).normal(size=(12, 2))
DISTANCES = np.linalg.norm(POINTS[:, None] - POINTS, axis=2)


def test_near_is_a_neighbour_and_far_is_not():
    rows = neighbor_triplets(POINTS, 5000, n_neighbors=3, random_state=0).rows
    rank = DISTANCES.argsort(axis=1).argsort(axis=1)
    assert set(rank[rows[:, 0], rows[:, 1]]) == {1, 2, 3}
    assert set(rank[rows[:, 0], rows[:, 2]]) == set(range(4, 12))


def test_draws_are_uniform():
    drawn = neighbor_triplets(POINTS, 50_000, n_neighbors=3, random_state=0).merge_repeats()
    assert len(drawn) == 12 * 3 * 8
    assert chisquare(drawn.weights).pvalue > 1e-4


def test_most_neighbours_possible():
    rows = neighbor_triplets(POINTS, 1000, n_neighbors=10, random_state=0).rows
    farthest = DISTANCES.argmax(axis=1)
    assert (rows[:, 2] == farthest[rows[:, 0]]).all()


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_metric_reaches_the_neighbours(metric):
    order = 2 if metric == "euclidean" else 1
    matrix = np.linalg.norm(POINTS[:, None] - POINTS, ord=order, axis=2)
    by_name = neighbor_triplets(POINTS, 500, n_neighbors=1, metric=metric, random_state=0)
    assert by_name == neighbor_triplets(
        matrix, 500, n_neighbors=1, metric="precomputed", random_state=0
    )


def test_noise_and_seed():
    first, second, noisy = (
        neighbor_triplets(POINTS, 1000, noise=FlippedAnswers(p), random_state=0) for p in (0, 0, 1)
    )
    assert first == second
    assert noisy == first.reversed()


@pytest.mark.parametrize("wrong", [0, 11, 1.5])
def test_bad_number_of_neighbours(wrong):
    with pytest.raises(
        InputError, match=f"n_neighbors must be an integer >= 1 and <= 10; got {wrong}"
    ):
        neighbor_triplets(POINTS, 10, n_neighbors=wrong)

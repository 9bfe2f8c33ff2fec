import numpy as np
import pytest

import ordinate as od
from ordinate.graphs.choices import NeighborChoices, shares_of_edges

RNG = np.random.default_rng([3])
EDGES = RNG.integers(0, 12, size=(25, 2))
GRAPH = od.NeighborGraph.from_edges(EDGES, n_objects=12, weights=RNG.uniform(1, 3, size=25))
POINTS = RNG.standard_normal((12, 3)).astype(np.float32)


def loss_and_gradient(points, seed=0, **options):
    return NeighborChoices(GRAPH, n_others=20, seed=seed, **options)(points)


def test_gradient_is_that_of_the_loss():
    gradient = loss_and_gradient(POINTS)[1]
    step = 1e-2
    for i in range(12):
        for s in range(3):
            ahead, behind = POINTS.copy(), POINTS.copy()
            ahead[i, s] += step
            behind[i, s] -= step
            slope = (loss_and_gradient(ahead)[0] - loss_and_gradient(behind)[0]) / (2 * step)
            assert 12 * slope == pytest.approx(gradient[i, s], rel=0.02, abs=2e-3)


def test_an_object_counts_once_however_many_neighbours_it_has():
    heads = np.repeat(np.arange(12), GRAPH.degrees)
    totals = np.bincount(heads, shares_of_edges(GRAPH), minlength=12)
    np.testing.assert_allclose(totals[GRAPH.degrees > 0], 1, rtol=1e-6)


def test_loss_of_one_neighbour_and_one_other_is_that_of_a_triplet():
    graph = od.NeighborGraph.from_edges([[0, 1]], directed=True, n_objects=3)
    points = np.array([[0.0], [1.0], [2.0]], dtype=np.float32)
    # 1 and 2 have the kernels 1/2 and 1/5: every draw of 2, of some forty, adds 1/5
    value = np.exp(3 * NeighborChoices(graph, n_others=40, seed=1)(points)[0])
    drawn = (value - 1) * 0.5 / 0.2
    assert drawn == pytest.approx(round(drawn), abs=1e-4)
    assert 1 <= drawn <= 40


def test_draws_change_and_repeat():
    one = NeighborChoices(GRAPH, n_others=3, seed=0)
    first, second = one(POINTS)[0], one(POINTS)[0]
    assert first != second
    assert NeighborChoices(GRAPH, n_others=3, seed=0)(POINTS)[0] == first

import numpy as np
import pytest

import ordinate as od
from ordinate.graphs.initialization import (
    at_neighbor_gaps,
    edge_lengths,
    estimate_reach,
    geodesic_start,
)


@pytest.mark.usual_data
def test_reach_is_read_off_the_directions():
    points = od.datasets.make_two_squares(1500, random_state=0).points
    graph = od.NeighborGraph.from_points(points, 15)
    true_reach = edge_lengths(graph, points).reshape(-1, 15).max(axis=1)
    estimated = estimate_reach(graph, 2)
    assert np.corrcoef(np.log(true_reach), np.log(estimated))[0, 1] > 0.9


def test_undirected_graphs_have_one_reach():
    graph = od.NeighborGraph.from_edges([[0, 1], [1, 2]])
    np.testing.assert_array_equal(estimate_reach(graph, 2), 1)


@pytest.mark.usual_data
def test_the_start_resembles_the_truth():
    points = np.random.default_rng(0).uniform(size=(800, 2))
    graph = od.NeighborGraph.from_points(points, 12)
    start = geodesic_start(graph, 2, np.random.default_rng(0))
    assert od.metrics.procrustes_distance(start, points) < 0.01


def test_open_dimensions_are_filled_but_stay_thin():
    path = od.NeighborGraph.from_edges([[i, i + 1] for i in range(9)])
    start = geodesic_start(path, 3, np.random.default_rng(0))
    spread = start.std(axis=0)
    assert spread[0] > 100 * spread[1] > 0
    assert (np.abs(np.diff(np.argsort(start[:, 0]))) == 1).all()


def test_the_scale_leaves_room_for_the_margin():
    points = np.random.default_rng(0).uniform(size=(300, 2))
    graph = od.NeighborGraph.from_points(points, 10)
    scaled = at_neighbor_gaps(points, graph, np.random.default_rng(0))
    reach = edge_lengths(graph, scaled).reshape(-1, 10).max(axis=1)
    np.testing.assert_allclose(np.median(reach), 2 * 10, rtol=0.02)
    apart = at_neighbor_gaps(np.zeros((300, 2)), graph, np.random.default_rng(0))
    assert len(np.unique(apart, axis=0)) == 300

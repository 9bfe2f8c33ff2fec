"""GraphStress: one loss of paths, neighbours and separated nodes."""

import networkx as nx
import numpy as np
import pytest
from scipy.spatial.distance import cdist

import ordinate as od
from ordinate.graphs.graph_stress import StressObjective, merge_neighbors


def graph_of(network):
    return od.NeighborGraph.from_adjacency(nx.to_numpy_array(network, weight=None))


def paths_of(network):
    return np.array(nx.floyd_warshall_numpy(network, weight=None))


def objective_of(network, neighbor_weight=0.3, pivots=None):
    paths = paths_of(network)
    pivots = np.arange(len(paths)) if pivots is None else np.array(pivots)
    return StressObjective(graph_of(network), pivots, paths[:, pivots], neighbor_weight, 1)


def caterpillar(length):
    """Return a path with three leaves at each of its nodes."""
    leaves = [(i, length + 3 * i + k) for i in range(length) for k in range(3)]
    return nx.Graph([*nx.path_graph(length).edges, *leaves])


def overplotted(points):
    distances = cdist(points, points)
    np.fill_diagonal(distances, np.inf)
    return np.mean(distances.min(axis=1) < 0.004 * np.ptp(points, axis=0).max())


def stress(points, paths):
    gaps, lengths = cdist(points, points), paths
    far = lengths > 0
    ratio = gaps[far] / lengths[far]
    return np.mean((ratio * ratio.sum() / (ratio**2).sum() - 1) ** 2)


def test_the_stress_is_that_of_all_pairs():
    network = nx.petersen_graph()
    points = np.random.default_rng(0).normal(size=(10, 2)).astype(np.float32) * 3
    value = objective_of(network, neighbor_weight=0)(points)[0]
    paths, far = paths_of(network), ~np.eye(10, dtype=bool)
    ratio = cdist(points, points)[far] / paths[far]
    covered = np.maximum(0, 1 - cdist(points, points)[far] / 0.2)
    assert value == pytest.approx(np.mean((ratio - 1) ** 2) + (covered**2).sum() / 80, rel=1e-4)


@pytest.mark.parametrize("pivots", [None, [0, 3, 6]])
def test_a_step_along_the_gradient_lowers_the_loss(pivots):
    network = nx.karate_club_graph()
    objective = objective_of(network, pivots=pivots)
    points = np.random.default_rng(1).normal(size=(34, 2)).astype(np.float32) * 2
    gradient = objective(points)[1]
    at = np.linalg.norm(gradient)
    before, after = (
        objective.judged((points - step * gradient / at).astype(np.float32)) for step in (0, 0.05)
    )
    assert after < before


def test_the_gradient_is_that_of_finite_differences():
    objective = objective_of(nx.petersen_graph())
    points = np.random.default_rng(2).normal(size=(10, 2)).astype(np.float32) * 2
    gradient = objective(points)[1] / 10
    for place in [(0, 0), (3, 1), (7, 0)]:
        step = np.zeros_like(points)
        step[place] = 5e-3
        slope = (
            objective._at(points + step, 0, 10)[0] - objective._at(points - step, 0, 10)[0]
        ) / 1e-2
        assert gradient[place] == pytest.approx(slope, rel=0.03, abs=2e-3)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("network", "best"),
    [
        (nx.ring_of_cliques(10, 6), 0.05),
        (caterpillar(40), 0.06),
        (nx.grid_2d_graph(9, 9), 0.03),
        (nx.les_miserables_graph(), 0.13),
    ],
    ids=["cliques", "caterpillar", "grid", "novel"],
)
def test_paths_are_kept_and_no_node_is_hidden(network, best):
    network = nx.convert_node_labels_to_integers(network)
    model = od.GraphStress(random_state=0).fit(graph_of(network))
    assert overplotted(model.embedding_) == 0
    assert stress(model.embedding_, paths_of(network)) < best
    plain = od.GraphStress(neighbor_weight=0, random_state=0).fit(graph_of(network))
    kept, without = (
        od.metrics.neighborhood_jaccard(graph_of(network), each.embedding_)
        for each in (model, plain)
    )
    assert kept >= without - 0.02


@pytest.mark.compiled
def test_large_graphs_begin_at_a_drawing_of_half_of_them():
    network = nx.random_labeled_tree(1200, seed=1)
    model = od.GraphStress(random_state=0, max_iter=100).fit(graph_of(network))
    assert od.metrics.neighborhood_jaccard(graph_of(network), model.embedding_) > 0.6
    assert overplotted(model.embedding_) < 0.03


def test_neighbours_are_merged_in_pairs():
    adjacency = nx.to_scipy_sparse_array(nx.path_graph(6), format="csr")
    parents, n_merged = merge_neighbors(adjacency.indptr, adjacency.indices, np.arange(6))
    assert parents.tolist() == [0, 0, 1, 1, 2, 2]
    star = nx.to_scipy_sparse_array(nx.star_graph(5), format="csr")
    parents, n_merged = merge_neighbors(star.indptr, star.indices, np.arange(6))
    assert n_merged == 1


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore:GraphStress stopped")
def test_the_same_bits_with_any_number_of_threads():
    graph = graph_of(nx.watts_strogatz_graph(700, 6, 0.1, seed=0))
    one, two = (
        od.GraphStress(random_state=3, max_iter=20, n_jobs=n).fit(graph).embedding_ for n in (1, 2)
    )
    assert (one == two).all()


@pytest.mark.parametrize(
    "arguments", [{"neighbor_weight": -1}, {"n_pivots": 0}, {"init": "nowhere"}, {"max_iter": 0}]
)
def test_bad_arguments_are_refused(arguments):
    with pytest.raises(od.InputError, match=next(iter(arguments))):
        od.GraphStress(**arguments).fit(graph_of(nx.petersen_graph()))


@pytest.mark.compiled
def test_small_and_split_graphs_are_drawn():
    assert od.GraphStress(random_state=0).fit(
        [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    ).embedding_.shape == (3, 2)
    two = nx.disjoint_union(nx.cycle_graph(5), nx.path_graph(4))
    with pytest.warns(UserWarning, match="2 connected components"):
        od.GraphStress(random_state=0).fit(graph_of(two))

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array, csr_matrix
from scipy.spatial.distance import cdist

import ordinate as od
from ordinate.graphs import recovery as graphs
from ordinate.metrics import graph_adjusted_rand_index

LOE = json.loads((Path(__file__).parents[1] / "data" / "loe_gari.json").read_text())
PATH = np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]])

seeds = st.integers(0, 2**32)


def loe_graph():
    rows, columns = np.transpose(LOE["edges"])
    return coo_array((np.ones(len(rows)), (rows, columns)), shape=(30, 30))


def nearest_graph(degree, points):
    """Join each object to as many nearest ones as `degree` says."""
    distances = cdist(points, points)
    np.fill_diagonal(distances, np.inf)
    rank = np.argsort(np.argsort(distances, axis=1), axis=1)
    return rank < np.asarray(degree)[:, None]


def by_definition(given_graph, recovered):
    """The paper's sums, written out."""
    n = len(given_graph)
    above = below = 0.0
    for i in range(n):
        k = sum(given_graph[i][j] for j in range(n) if j != i)
        agree = sum(given_graph[i][j] == recovered[i][j] for j in range(n) if j != i)
        expected = (n - 1) + 2 * k * (k - n + 1) / (n - 1)
        above += agree - expected
        below += (n - 1) - expected
    return above / below


def random_graph(seed, n=14):
    return (np.random.default_rng(seed).random((n, n)) < 0.3) & ~np.eye(n, dtype=bool)


@pytest.mark.parametrize("name", ["X0", "truth", "BFGS"])
def test_values_of_the_r_package(name):
    index = graph_adjusted_rand_index(loe_graph(), embedding=LOE["maps"][name])
    assert index == pytest.approx(LOE["gari"][name], abs=1e-14)


@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_two_graphs_equal_the_definition(seed):
    a, b = random_graph(seed), random_graph(seed + 1)
    assert graph_adjusted_rand_index(a, b) == pytest.approx(by_definition(a, b))


@settings(max_examples=25, deadline=None)
@given(seed=seeds)
def test_a_map_equals_the_graph_it_gives(seed):
    graph, points = random_graph(seed), np.random.default_rng(seed).normal(size=(14, 2))
    recovered = nearest_graph(graph.sum(axis=1), points)
    expected = graph_adjusted_rand_index(graph, recovered)
    assert graph_adjusted_rand_index(graph, embedding=points) == pytest.approx(expected)


@pytest.mark.parametrize("form", [np.asarray, csr_array, csr_matrix, coo_array, np.ndarray.tolist])
@pytest.mark.parametrize("dtype", [bool, np.int8, float])
def test_dense_and_sparse_agree(form, dtype):
    graph = form(PATH.astype(dtype))
    assert graph_adjusted_rand_index(graph, graph) == 1
    assert graph_adjusted_rand_index(graph, embedding=[[0], [1], [3], [1.8]]) == 0.25


def test_loops_are_left_out():
    looped = PATH + np.eye(4, dtype=int)
    assert graph_adjusted_rand_index(looped, PATH) == 1
    assert graph_adjusted_rand_index(PATH, looped) == 1


def test_duplicate_points_do_not_become_their_own_neighbours():
    ring = np.roll(np.eye(4), 1, axis=1)
    assert graph_adjusted_rand_index(ring, embedding=np.zeros((4, 2))) <= 1
    pairs = np.kron(np.eye(2), [[0, 1], [1, 0]])
    assert graph_adjusted_rand_index(pairs, embedding=[[0], [0], [1], [1]]) == 1


def test_batches_give_the_same(monkeypatch):
    graph, points = random_graph(3, n=40), np.random.default_rng(3).normal(size=(40, 2))
    graph[0] = np.arange(40) > 0
    graph[1] = False
    whole = graph_adjusted_rand_index(graph, embedding=points)
    monkeypatch.setattr(graphs, "MOST_CANDIDATES", 50)
    assert graph_adjusted_rand_index(graph, embedding=points) == whole


@pytest.mark.usual_data
def test_unrelated_graphs_are_near_zero():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 400, 2))
    graph = nearest_graph(np.full(400, 10), a)
    assert abs(graph_adjusted_rand_index(graph, embedding=b)) < 0.02


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((PATH,), "exactly one of recovered and embedding; got none"),
        ((PATH[:3], PATH), r"adjacency must be square.*got shape \(3, 4\)"),
        ((2 * PATH, PATH), "adjacency must hold 0 and 1 only; found 2.*`adjacency != 0`"),
        ((PATH, PATH[:3, :3]), r"recovered has shape \(3, 3\); adjacency has \(4, 4\)"),
        ((np.zeros((4, 4)), PATH), "either no neighbour or all"),
        ((np.ones((4, 4)), PATH), "either no neighbour or all"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(od.InputError, match=message):
        graph_adjusted_rand_index(*arguments)


def test_refuses_both_and_a_map_of_other_objects():
    with pytest.raises(od.InputError, match="got both"):
        graph_adjusted_rand_index(PATH, PATH, embedding=np.eye(4))
    with pytest.raises(od.InputError, match="embedding has 3 rows; expected 4"):
        graph_adjusted_rand_index(PATH, embedding=np.eye(3))


def test_a_neighbor_graph_needs_no_conversion():
    points = np.random.default_rng(0).standard_normal((30, 2))
    graph = od.NeighborGraph.from_points(points, 4)
    blurred = points + 0.3 * np.random.default_rng(1).standard_normal((30, 2))
    index = od.metrics.graph_adjusted_rand_index(graph, embedding=blurred)
    assert index == od.metrics.graph_adjusted_rand_index(graph.adjacency, embedding=blurred)
    other = od.NeighborGraph.from_points(blurred, 4)
    assert od.metrics.graph_adjusted_rand_index(graph, other) == pytest.approx(index)


def test_the_error_is_the_share_of_differing_entries():
    points = np.random.default_rng(3).normal(size=(12, 2))
    truth = nearest_graph([3] * 12, points)
    other = nearest_graph([3] * 12, points + np.random.default_rng(4).normal(size=(12, 2)))
    expected = (truth != other).sum() / (12 * 11)
    assert expected > 0
    assert od.metrics.graph_error(truth, other) == pytest.approx(expected)
    assert od.metrics.graph_error(truth, embedding=points) == 0
    with pytest.raises(od.InputError, match="exactly one of recovered and embedding"):
        od.metrics.graph_error(truth)

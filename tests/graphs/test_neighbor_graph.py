import pickle

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import ordinate as od
from ordinate.graphs import neighbor_graph as graphs
from ordinate.graphs.neighbor_graph import check_ends, edges_of_graph, edges_of_matrix, expand


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6))), st.booleans())
def test_edges_and_matrix_give_the_same_graph(edges, directed):
    graph = od.NeighborGraph.from_edges(
        np.array(edges, dtype=int).reshape(-1, 2), directed=directed, n_objects=7
    )
    matrix = np.zeros((7, 7), dtype=int)
    for i, j in edges:
        matrix[i, j] = 1
        if not directed:
            matrix[j, i] = 1
    np.fill_diagonal(matrix, 0)
    np.testing.assert_array_equal(graph.adjacency.toarray(), matrix)
    again = od.NeighborGraph.from_adjacency(matrix)
    np.testing.assert_array_equal(again.indices, graph.indices)
    np.testing.assert_array_equal(again.indptr, graph.indptr)
    pairs = edges if directed else [tuple(sorted(edge)) for edge in edges]
    loops = [i for i, j in pairs if i == j]
    assert graph.n_loops == len(loops)
    assert graph.n_repeats == len(pairs) - len(loops) - len({p for p in pairs if p[0] != p[1]})


def test_points_give_the_nearest_ones():
    points = np.random.default_rng(0).normal(size=(40, 3))
    graph = od.NeighborGraph.from_points(points, n_neighbors=4)
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    np.fill_diagonal(distances, np.inf)
    expected = np.sort(np.argsort(distances, axis=1)[:, :4], axis=1)
    np.testing.assert_array_equal(graph.indices.reshape(40, 4), expected)
    by_matrix = od.NeighborGraph.from_points(
        np.nan_to_num(distances, posinf=0), 4, metric="precomputed"
    )
    np.testing.assert_array_equal(by_matrix.indices, graph.indices)
    with pytest.raises(
        od.InputError, match="n_neighbors must be an integer >= 1 and <= 39; got 40"
    ):
        od.NeighborGraph.from_points(points, 40)


def test_graphs_of_other_libraries_come_in():
    from_networkx = od.NeighborGraph.from_adjacency(nx.karate_club_graph())
    from_igraph = od.NeighborGraph.from_adjacency(igraph.Graph.Famous("Zachary"))
    np.testing.assert_array_equal(from_networkx.indices, from_igraph.indices)
    assert from_networkx.n_edges == 2 * 78
    directed = od.NeighborGraph.from_adjacency(nx.DiGraph([("a", "b"), ("b", "c")]))
    assert directed.names == ("a", "b", "c")
    assert directed.degrees.tolist() == [1, 1, 0]


def test_names_must_fit():
    with pytest.raises(od.InputError, match="names has 1 entries; the graph has 2 objects"):
        od.NeighborGraph.from_adjacency([[0, 1], [1, 0]], names=["a"])
    with pytest.raises(od.InputError, match=r"two columns.*got shape \(1, 3\)"):
        od.NeighborGraph.from_edges([[0, 1, 2]])
    with pytest.raises(od.InputError, match="n_objects must be an integer >= 2"):
        od.NeighborGraph.from_edges([[0, 0]])


def test_comparisons_are_written_out_only_when_they_are_few(monkeypatch):
    graph = od.NeighborGraph.from_edges([["a", "b"], ["b", "c"], ["c", "d"]])
    comparisons = graph.to_comparisons()
    assert len(comparisons) == graph.n_comparisons == 8
    assert comparisons.names == graph.names
    matrix = graph.adjacency.toarray()
    for i, j, l in comparisons.rows:  # noqa: E741
        assert (matrix[i, j], matrix[i, l]) == (1, 0)
    monkeypatch.setattr(graphs, "MOST_ROWS", 7)
    with pytest.raises(od.InputError, match=r"stands for 8 comparisons.*LOE takes the graph as it"):
        graph.to_comparisons()


def test_parts_are_numbered_by_size():
    graph = od.NeighborGraph.from_edges([[0, 3], [1, 2], [2, 4]], directed=True, n_objects=6)
    assert graph.connected_components().tolist() == [1, 0, 0, 1, 0, 2]
    part = graph.subgraph(np.array([1, 2, 4]))
    assert part.indices.tolist() == [1, 2]
    assert part.n_objects == 3


def test_a_graph_is_read_only_and_can_be_pickled():
    graph = od.NeighborGraph.from_edges([[0, 1]])
    with pytest.raises(ValueError, match="read-only"):
        graph.indices[0] = 0
    again = pickle.loads(pickle.dumps(graph))
    np.testing.assert_array_equal(again.indices, graph.indices)
    assert repr(again) == "NeighborGraph(2 objects, 2 edges)"


def test_ends_are_whole_numbers_of_objects():
    np.testing.assert_array_equal(check_ends(np.array([[0.0, 2.0]]), 3), [[0, 2]])
    with pytest.raises(
        od.InputError, match=r"Edge 0, column 1 is 0.5; object numbers must be whol"
    ):
        check_ends(np.array([[0, 0.5]]), None)
    with pytest.raises(od.InputError, match=r"Edge 1, column 0 is -1; object numbers start at 0"):
        check_ends(np.array([[0, 1], [-1, 2]]), None)
    with pytest.raises(od.InputError, match="n_objects is 2, so numbers end at 1"):
        check_ends(np.array([[0, 2]]), 2)
    with pytest.raises(od.InputError, match="got dtype bool"):
        check_ends(np.array([[True, False]]), None)


def test_networkx_keeps_order_and_names():
    edges, n, names = edges_of_graph(nx.Graph([("b", "a"), ("a", "c")]))
    np.testing.assert_array_equal(edges, [[0, 1], [1, 2]])
    assert (n, names) == (3, ["b", "a", "c"])
    assert edges_of_graph(nx.path_graph(3))[2] is None


def test_igraph_keeps_order_and_names():
    graph = igraph.Graph([(0, 2)], n=4)
    assert edges_of_graph(graph)[1:] == (4, None)
    graph.vs["name"] = ["a", "b", "c", "d"]
    edges, _, names = edges_of_graph(graph)
    np.testing.assert_array_equal(edges, [[0, 2]])
    assert names == ["a", "b", "c", "d"]


def test_explicit_zeros_of_a_matrix_are_not_edges():
    matrix = csr_array((np.array([1, 0]), (np.array([0, 1]), np.array([1, 0]))), shape=(2, 2))
    heads, tails, _, n = edges_of_matrix(matrix)
    assert (heads.tolist(), tails.tolist(), n) == ([0], [1], 2)


def test_matrices_that_are_not_graphs_are_refused():
    with pytest.raises(od.InputError, match=r"must be square.*got shape \(2, 3\)"):
        edges_of_matrix(np.zeros((2, 3)))
    with pytest.raises(
        od.InputError, match=r"0 and 1 only; found 0.5.*weighted=True.*`adjacency != 0`"
    ):
        edges_of_matrix(np.array([[0, 0.5], [1, 0]]))


def test_all_triplets_are_written_out():
    rows = expand(np.array([0, 1, 1, 3]), np.array([2, 0, 1], dtype=np.int32))
    np.testing.assert_array_equal(rows, [[0, 2, 1]])


@pytest.mark.parametrize("tail", [7, -1, 0.5])
def test_an_edge_to_nowhere_is_refused(tail):
    with pytest.raises(od.InputError, match=r"Edge 0, column 1 is .*; "):
        od.NeighborGraph(heads=[0], tails=[tail], n_objects=3)


def test_weights_follow_their_edges():
    graph = od.NeighborGraph.from_edges([[2, 1], [0, 1], [1, 0], [1, 1]], weights=[5, 2, 1, 9])
    assert graph.indices.tolist() == [1, 0, 2, 1]
    assert graph.weights.tolist() == [3, 3, 5, 5], "repeated edges add up"
    assert graph.subgraph(np.array([2, 1])).weights.tolist() == [5, 5]
    matrix = np.array([[0, 0.5, 0], [0, 0, 2.0], [0, 0, 0]])
    assert od.NeighborGraph.from_adjacency(matrix, weighted=True).weights.tolist() == [0.5, 2]
    network = nx.Graph()
    network.add_weighted_edges_from([("a", "b", 3), ("b", "c", 4)])
    assert od.NeighborGraph.from_adjacency(network).weights is None
    found = od.NeighborGraph.from_adjacency(network, weighted=True)
    assert found.weights.tolist() == [3, 3, 4, 4]
    drawn = igraph.Graph([(0, 1)], edge_attrs={"weight": [7]})
    assert od.NeighborGraph.from_adjacency(drawn, weighted=True).weights.tolist() == [7, 7]


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (-np.eye(2)[::-1], "must be above 0; found -1"),
        (nx.path_graph(3), "has no attribute 'weight'"),
        (igraph.Graph([(0, 1)]), "has no attribute 'weight'"),
    ],
)
def test_weights_that_are_none_are_refused(graph, message):
    with pytest.raises(od.InputError, match=message):
        od.NeighborGraph.from_adjacency(graph, weighted=True)
    with pytest.raises(od.InputError, match=r"one entry per edge, 1; got \(2,\)"):
        od.NeighborGraph.from_edges([[0, 1]], weights=[1, 2])

import pickle

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordinate as od
from ordinate.graphs import neighbor_graph as graphs


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
    assert graph.parts().tolist() == [1, 0, 0, 1, 0, 2]
    part = graph.part(np.array([1, 2, 4]))
    assert part.indices.tolist() == [1, 2]
    assert part.n_objects == 3


def test_a_graph_is_read_only_and_can_be_pickled():
    graph = od.NeighborGraph.from_edges([[0, 1]])
    with pytest.raises(ValueError, match="read-only"):
        graph.indices[0] = 0
    again = pickle.loads(pickle.dumps(graph))
    np.testing.assert_array_equal(again.indices, graph.indices)
    assert repr(again) == "NeighborGraph(2 objects, 2 edges)"

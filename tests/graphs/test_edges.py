import igraph
import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

import ordinate as od
from ordinate.graphs.edges import check_ends, edges_of_graph, edges_of_matrix, expand


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


def test_explicit_zeros_of_a_matrix_are_no_edges():
    matrix = csr_array((np.array([1, 0]), (np.array([0, 1]), np.array([1, 0]))), shape=(2, 2))
    heads, tails, n = edges_of_matrix(matrix)
    assert (heads.tolist(), tails.tolist(), n) == ([0], [1], 2)


def test_matrices_that_are_no_graphs_are_refused():
    with pytest.raises(od.InputError, match=r"must be square.*got shape \(2, 3\)"):
        edges_of_matrix(np.zeros((2, 3)))
    with pytest.raises(od.InputError, match=r"0 and 1 only; found 0.5.*pass `adjacency != 0`"):
        edges_of_matrix(np.array([[0, 0.5], [1, 0]]))


def test_all_triplets_are_written_out():
    rows = expand(np.array([0, 1, 1, 3]), np.array([2, 0, 1], dtype=np.int32))
    np.testing.assert_array_equal(rows, [[0, 2, 1]])

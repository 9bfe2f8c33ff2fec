import json

import networkx as nx
import numpy as np
import pytest

import ordinate as od
from ordinate.graphs.description import symmetrized_neighbors


def test_what_says_nothing_is_counted():
    edges = [[0, 1], [1, 0], [1, 2], [2, 2], [0, 2], [3, 4]]
    description = od.NeighborGraph.from_edges(edges, directed=True, n_objects=6).describe()
    assert description.n_edges == 5
    assert description.mutual == 2 / 5
    assert description.degrees == (0, 0.5, 2)
    assert description.n_without == 3
    assert description.n_with_all == 0
    assert description.component_sizes == (3, 2, 1)
    assert (description.n_loops, description.n_repeats) == (1, 0)
    assert "3, the largest of 3 objects" in str(description)
    assert json.loads(json.dumps(description.to_dict()))["component_sizes"] == [3, 2, 1]


def test_objects_with_all_others_as_neighbours_are_counted():
    star = od.NeighborGraph.from_edges([[0, 1], [0, 2], [0, 3]])
    assert star.describe().n_with_all == 1
    assert star.describe().n_comparisons == 3 * 2


POINTS = np.random.default_rng([7]).standard_normal((300, 2))
DIRECTED = od.NeighborGraph.from_points(POINTS, 15)
SYMMETRIC = od.NeighborGraph.from_edges(np.column_stack(DIRECTED.adjacency.nonzero()))


@pytest.mark.parametrize(
    "graph",
    [
        nx.karate_club_graph(),
        nx.grid_2d_graph(15, 15),
        nx.desargues_graph(),
        nx.barabasi_albert_graph(300, 4, seed=1),
        nx.random_labeled_tree(200, seed=1),
    ],
)
def test_neighbours_made_symmetric_are_recognised(graph):
    assert symmetrized_neighbors(od.NeighborGraph.from_adjacency(graph)) is None
    assert symmetrized_neighbors(DIRECTED) is None
    assert symmetrized_neighbors(SYMMETRIC) == 15


def test_a_map_of_neighbours_made_symmetric_does_not_show_the_density():
    with pytest.warns(UserWarning, match=r"a 15-nearest-neighbour graph .* made symmetric"):
        od.LOE(random_state=0, init="spectral", tol=0.1).fit(SYMMETRIC)

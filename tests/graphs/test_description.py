import json

import ordinate as od


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

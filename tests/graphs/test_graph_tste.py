import networkx as nx
import numpy as np
import pytest

import ordinate as od

SMALL_WORLD = nx.connected_watts_strogatz_graph(150, 6, 0.05, seed=1)


def test_a_small_world_is_preserved_better_than_by_loe():
    graph = od.NeighborGraph.from_adjacency(SMALL_WORLD)
    model = od.GraphTSTE(random_state=0).fit(graph)
    assert model.score(graph) > 0.6
    assert model.score(graph) > od.LOE(random_state=0, n_init=1).fit(graph).score(graph) + 0.1
    assert len(model.history_) == model.n_iter_ == 400
    assert model.loss_ < model.history_[0]
    np.testing.assert_allclose(model.embedding_.mean(axis=0), 0, atol=1e-6)


def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads():
    network = nx.connected_watts_strogatz_graph(3000, 6, 0.05, seed=1)
    graph = od.NeighborGraph.from_adjacency(network)
    one, two, other = (
        od.GraphTSTE(max_iter=4, init="random", random_state=seed, n_jobs=jobs)
        for seed, jobs in [(0, 1), (0, 2), (1, 1)]
    )
    with pytest.warns(UserWarning, match="max_iter=4"):
        maps = [model.fit_transform(graph) for model in (one, two, other)]
    np.testing.assert_array_equal(maps[0], maps[1])
    assert (maps[0] != maps[2]).any()


def test_a_heavy_edge_is_shorter():
    star = [[0, i] for i in range(1, 9)] + [[i, i + 1] for i in range(1, 8)]
    weights = np.ones(len(star))
    weights[0] = 30
    lengths = []
    for given in (None, weights):
        graph = od.NeighborGraph.from_edges(star, weights=given)
        points = od.GraphTSTE(random_state=0).fit(graph).embedding_
        apart = np.linalg.norm(points[0] - points[1:], axis=1)
        lengths.append(apart[0] / apart.mean())
    assert lengths[1] < lengths[0]


def test_parts_are_laid_out_side_by_side():
    two = nx.disjoint_union(nx.cycle_graph(20), nx.cycle_graph(12))
    with pytest.warns(UserWarning, match="2 connected components"):
        model = od.GraphTSTE(random_state=0).fit(two)
    assert model.n_connected_components_ == 2
    large, small = model.embedding_[:20], model.embedding_[20:]
    assert (large.max(axis=0) < small.min(axis=0)).any() or (
        large.min(axis=0) > small.max(axis=0)
    ).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_others": 0}, "n_others must be an integer >= 1"),
        ({"init": "middle"}, "init must be one of"),
        ({"init": np.zeros((150, 3))}, "init has 3 columns; n_components is 2"),
    ],
)
def test_wrong_parameters_are_refused(options, message):
    with pytest.raises(od.InputError, match=message):
        od.GraphTSTE(**options).fit(SMALL_WORLD)
    with pytest.raises(od.InputError, match="there is nothing to compare"):
        od.GraphTSTE().fit(nx.complete_graph(4))

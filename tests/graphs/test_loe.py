import networkx as nx
import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsTransformer
from sklearn.pipeline import make_pipeline

import ordinate as od
from ordinate.graphs.components import pack
from ordinate.graphs.initialization import spectral_start

SQUARES = od.datasets.make_two_squares(400, random_state=0).points
GRAPH = od.NeighborGraph.from_points(SQUARES, 12)
DESARGUES = od.NeighborGraph.from_adjacency(nx.desargues_graph())


def gari(graph, embedding):
    return od.metrics.graph_adjusted_rand_index(graph.adjacency, embedding=embedding)


def test_two_squares_come_back_without_folds():
    model = od.LOE(random_state=0).fit(GRAPH)
    assert gari(GRAPH, model.embedding_) > 0.99
    assert od.metrics.procrustes_distance(model.embedding_, SQUARES) < 0.05
    assert model.loss_ < 1e-3 * GRAPH.n_edges
    np.testing.assert_allclose(model.embedding_.mean(axis=0), 0, atol=1e-9)
    assert len(model.history_) == model.n_iter_ + 1


def test_desargues_graph_as_in_figure_4():
    # ten starts missed the minimum in one of 15 draws: sixty do in one of ten million
    flat = od.LOE(2, delta=0.1, tol=1e-6, n_init=60, random_state=0).fit(DESARGUES)
    assert round(flat.loss_, 3) == 3.584
    assert round(gari(DESARGUES, flat.embedding_), 3) == 0.327
    solid = od.LOE(3, delta=0.1, tol=1e-6, random_state=0).fit(DESARGUES)
    assert solid.loss_ < 1e-4
    assert gari(DESARGUES, solid.embedding_) == 1


def test_delta_only_sets_the_scale():
    one, two = (od.LOE(delta=delta, random_state=0, n_init=1).fit(DESARGUES) for delta in (1, 8))
    np.testing.assert_allclose(two.embedding_, 8 * one.embedding_, rtol=1e-12)
    np.testing.assert_allclose(two.loss_, 64 * one.loss_, rtol=1e-6)
    np.testing.assert_allclose(two.history_, 64 * one.history_, rtol=1e-6)
    np.testing.assert_allclose(two.history_[-1], two.loss_, rtol=1e-6)


@pytest.mark.parametrize("solver", ["lbfgs", "majorize", "steepest"])
def test_every_solver_lowers_the_stress(solver):
    with pytest.warns(ConvergenceWarning, match="max_iter=9"):
        model = od.LOE(solver=solver, max_iter=9, tol=0, random_state=0).fit(GRAPH)
    assert model.n_iter_ == 9
    assert model.history_[-1] < model.history_[0]
    if solver == "majorize":
        assert (np.diff(model.history_) <= 0).all()


def test_parts_are_laid_out_side_by_side():
    graph = nx.disjoint_union_all([nx.desargues_graph(), nx.path_graph(2), nx.empty_graph(3)])
    with pytest.warns(UserWarning, match="5 connected components"):
        model = od.LOE(random_state=0).fit(graph)
    assert model.n_connected_components_ == 5
    alone = od.LOE(random_state=0).fit(DESARGUES)
    # objects of other parts lie out of everyone's reach, so they add nothing to the stress
    np.testing.assert_allclose(model.loss_, alone.loss_, rtol=0.01)


def test_the_same_seed_gives_the_same_bits():
    results = [
        od.LOE(random_state=seed, n_jobs=jobs, max_iter=500, verbose=verbose).fit(GRAPH)
        for seed, jobs, verbose in [(3, 1, False), (3, 2, True), (4, 1, False)]
    ]
    np.testing.assert_array_equal(results[0].embedding_, results[1].embedding_)
    assert not np.array_equal(results[0].embedding_, results[2].embedding_)


def test_a_given_start_is_used_and_left_alone():
    start = SQUARES * 100
    before = start.copy()
    model = od.LOE(init=start, max_iter=500, random_state=0).fit(GRAPH)
    np.testing.assert_array_equal(start, before)
    assert od.metrics.procrustes_distance(model.embedding_, SQUARES) < 0.01
    with pytest.raises(od.InputError, match="init has 2 columns; n_components is 3"):
        od.LOE(3, init=start).fit(GRAPH)


def test_several_starts_are_no_worse_than_one():
    one, ten = (od.LOE(n_init=n, random_state=0).fit(DESARGUES).loss_ for n in (1, 10))
    assert ten <= one


def test_it_stands_in_a_pipeline():
    pipeline = make_pipeline(
        KNeighborsTransformer(n_neighbors=10, mode="connectivity"), od.LOE(random_state=0)
    )
    assert pipeline.fit_transform(SQUARES).shape == (400, 2)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components must be an integer >= 1"),
        ({"delta": 0}, r"delta must be a number in \[1e-100"),
        ({"solver": "newton"}, "solver must be one of 'lbfgs', 'majorize', 'steepest'"),
        ({"init": "circle"}, "init must be one of 'geodesic', 'spectral', 'random'"),
        ({"n_init": 0}, "n_init must be an integer >= 1"),
        ({"max_iter": 0}, "max_iter must be an integer >= 1"),
        ({"tol": -1}, "tol must be a number in"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(od.InputError, match=message):
        od.LOE(**parameters).fit(GRAPH)


def test_a_graph_that_says_nothing_is_refused():
    with pytest.raises(
        od.InputError, match="no neighbour or all others, so there is nothing to compare"
    ):
        od.LOE().fit(nx.complete_graph(4))


@pytest.mark.parametrize("d", [1, 2, 3])
def test_maps_keep_their_shape_and_distance(d):
    rng = np.random.default_rng(d)
    maps = [rng.normal(size=(n, d)) * size for n, size in [(9, 1), (1, 1), (5, 4), (2, 0.1)]]
    packed = pack(maps, gap=2.0)
    for before, after in zip(maps, packed, strict=True):
        np.testing.assert_allclose(after - after[0], before - before[0])
    for i in range(4):
        for j in range(i):
            assert cdist(packed[i], packed[j]).min() >= 2.0 - 1e-12


def test_many_maps_fill_about_a_square():
    packed = np.concatenate(pack([np.zeros((1, 2))] * 100, gap=1.0))
    assert np.ptp(packed, axis=0).max() <= 11


@pytest.mark.parametrize("delta", [1e300, 1e-300])
def test_a_gap_whose_square_overflows_is_refused(delta):
    with pytest.raises(od.InputError, match=r"delta must be a number in \[1e-100, 1e\+100\]"):
        od.LOE(delta=delta).fit(od.NeighborGraph.from_edges([[0, 1], [1, 2], [2, 3]]))


@pytest.mark.parametrize("n", [60, 400])
def test_the_spectral_start_unfolds_small_graphs(n):
    # fixed: from this start some squares take more than the usual iterations
    points = od.datasets.make_two_squares(n, random_state=np.random.default_rng([0])).points
    graph = od.NeighborGraph.from_points(points, 15)
    model = od.LOE(2, init="spectral", random_state=0).fit(graph)
    assert od.metrics.graph_adjusted_rand_index(graph, embedding=model.embedding_) > 0.95
    again = od.LOE(2, init="spectral", random_state=0).fit(graph)
    np.testing.assert_array_equal(model.embedding_, again.embedding_)


@pytest.mark.usual_data
def test_the_spectral_start_alone_has_no_folds():
    points = od.datasets.make_two_squares(60, random_state=0).points
    start = spectral_start(od.NeighborGraph.from_points(points, 15), 2, np.random.default_rng(0))
    assert od.metrics.procrustes_distance(start, points) < 0.25


def test_the_spectral_start_of_three_objects_fills_missing_dimensions():
    graph = od.NeighborGraph.from_edges([[0, 1], [1, 2]])
    assert od.LOE(4, init="spectral", random_state=0).fit(graph).embedding_.shape == (3, 4)


def test_new_objects_are_placed_by_their_neighbours():
    points = od.datasets.make_two_squares(203, random_state=0).points
    old, new = points[:200], points[200:]
    model = od.LOE(2, n_init=1, random_state=0).fit(od.NeighborGraph.from_points(old, 15))
    nearest = np.argsort(np.linalg.norm(new[:, None] - old, axis=2), axis=1)[:, :15]
    before = model.embedding_.copy()
    placed = model.transform(nearest)
    np.testing.assert_array_equal(model.embedding_, before)
    found = np.argsort(np.linalg.norm(placed[:, None] - before, axis=2), axis=1)[:, :15]
    kept = [len(set(a) & set(b)) for a, b in zip(found, nearest, strict=True)]
    assert min(kept) >= 12
    with pytest.raises(od.InputError, match="New object 0 has 200 of 200 objects as neighbours"):
        model.transform([list(range(200))])


def test_the_score_is_the_adjusted_rand_index_matched_by_name():
    rng = np.random.default_rng(0)
    names = [f"n{number}" for number in range(40)]
    graph = od.NeighborGraph.from_points(rng.normal(size=(40, 2)), 5, names=names)
    model = od.LOE(random_state=0).fit(graph)
    expected = od.metrics.graph_adjusted_rand_index(graph, embedding=model.embedding_)
    assert model.score(graph) == expected > 0.7
    assert model.score(graph.adjacency) == expected
    order = rng.permutation(40)
    shuffled = od.NeighborGraph.from_adjacency(
        graph.adjacency[order][:, order], names=[names[at] for at in order]
    )
    assert model.score(shuffled) == pytest.approx(expected)
    with pytest.raises(od.InputError, match="The graph has 39 objects and the map 40"):
        model.score(graph.subgraph(np.arange(39)))
    strange = od.NeighborGraph.from_adjacency(graph.adjacency, names=[*names[:-1], "stranger"])
    with pytest.raises(od.InputError, match="Object 'stranger' was not in the fit"):
        model.score(strange)

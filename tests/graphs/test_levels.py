import numpy as np

import ordinate as od
from ordinate.graphs.loe import Levels


def levels(n=900):
    points = np.random.default_rng(0).uniform(size=(n, 2))
    graph = od.NeighborGraph.from_points(points, 8)
    return Levels(graph.adjacency, np.random.default_rng(0))


def test_levels_shrink_to_a_few_hundred():
    sizes = [step.shape for step in levels().steps]
    assert all(fine > 2 * coarse for fine, coarse in sizes)
    assert sizes[-1][1] <= 200
    assert Levels(np.eye(50), np.random.default_rng(0)).steps == []


def test_every_object_moves_with_the_mean_of_its_seeds():
    for step in levels().steps:
        np.testing.assert_allclose(step.sum(axis=1), 1)
        assert np.diff(step.indptr).max() <= 8


def test_collecting_is_the_transpose_of_expanding():
    rng = np.random.default_rng(1)
    by_level = levels()
    variables = rng.normal(size=(by_level.n_variables, 2))
    gradient = rng.normal(size=(900, 2))
    expanded = np.sum(by_level.expand(variables) * gradient)
    np.testing.assert_allclose(expanded, np.sum(variables * by_level.collect(gradient)))


def test_an_objective_of_the_variables_has_the_right_gradient():
    rng = np.random.default_rng(2)
    by_level = levels()
    start = rng.normal(size=(900, 2))
    objective = by_level.around(lambda x: (float(np.sum(x**2)), 2 * x), start)
    variables = rng.normal(size=(by_level.n_variables, 2))
    value, gradient = objective(variables)
    np.testing.assert_allclose(value, np.sum((start + by_level.expand(variables)) ** 2))
    step = 1e-6 * rng.normal(size=variables.shape)
    difference = objective(variables + step)[0] - objective(variables - step)[0]
    np.testing.assert_allclose(difference, 2 * np.sum(gradient * step), rtol=1e-6)


def test_a_star_ends_the_coarsening():
    star = od.NeighborGraph.from_edges([[0, i] for i in range(1, 400)])
    assert Levels(star.adjacency, np.random.default_rng(0)).n_variables >= 400

import numpy as np
import pytest
from matplotlib.collections import LineCollection

import ordinate as od
from ordinate.plots import plot_graph, save_figure
from ordinate.plots._graph import check_edges
from ordinate.plots._layout import lay_out

SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
RING = [[0, 1], [1, 2], [2, 3], [3, 0]]


def drawn_edges(ax):
    (lines,) = (c for c in ax.collections if isinstance(c, LineCollection))
    return np.array(lines.get_segments())


def test_each_edge_is_a_line_between_its_ends():
    lines = drawn_edges(plot_graph(SQUARE, RING, names=list("abcd")))
    np.testing.assert_array_equal(lines, SQUARE[[[0, 1], [0, 3], [1, 2], [2, 3]]])


def test_a_neighbor_graph_is_taken_as_it_is():
    graph = od.NeighborGraph.from_edges(RING)
    np.testing.assert_array_equal(check_edges(graph, 4), check_edges(RING, 4))


@pytest.mark.parametrize("d", [1, 3, 5])
def test_maps_of_other_dimensions_work(d, tmp_path):
    points = np.random.default_rng(d).normal(size=(4, d))
    ax = plot_graph(points, RING)
    save_figure(ax, tmp_path / "graph.png")
    assert (ax.name == "3d") == (d == 3)
    places = lay_out(points).positions
    lines = ax.collections[-1]
    drawn = lines._segments3d if d == 3 else lines.get_segments()
    np.testing.assert_allclose(drawn, places[check_edges(RING, 4)])


def test_a_large_graph_stays_a_small_file(tmp_path):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(6000, 2))
    save_figure(plot_graph(points, rng.integers(6000, size=(12_000, 2))), tmp_path / "graph.svg")
    assert (tmp_path / "graph.svg").stat().st_size < 2_000_000


def test_a_graph_without_edges_is_drawn():
    assert len(drawn_edges(plot_graph(SQUARE, np.empty((0, 2))))) == 0


def test_bad_arguments_are_refused():
    with pytest.raises(od.InputError, match="from 0 to 3; got 4"):
        plot_graph(SQUARE, [[0, 4]])
    with pytest.raises(od.InputError, match=r"two columns, an object in each; got shape \(4,\)"):
        plot_graph(SQUARE, [0, 1, 2, 3])

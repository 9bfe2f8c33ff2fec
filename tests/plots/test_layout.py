import numpy as np
import pytest

import ordinate as od
from ordinate.plots._layout import CROWDED_FROM, lay_out

POINTS = np.random.default_rng(0).normal(size=(12, 2))


def test_one_dimension_is_a_list_in_order():
    layout = lay_out(np.array([[2.0], [-1.0], [5.0]]))
    np.testing.assert_array_equal(layout.positions, [[2, 1], [-1, 0], [5, 2]])
    assert layout.ordered


def test_one_dimension_over_the_truth_keeps_the_true_order():
    layout = lay_out(np.array([[3.0], [2.0]]), np.array([[1.0], [4.0]]))
    np.testing.assert_array_equal(layout.positions, [[3, 0], [2, 1]])
    np.testing.assert_array_equal(layout.truth, [[1, 0], [4, 1]])


@pytest.mark.parametrize("d", [2, 3])
def test_two_and_three_dimensions_stay(d):
    points = np.random.default_rng(d).normal(size=(9, d))
    layout = lay_out(points)
    np.testing.assert_array_equal(layout.positions, points)
    assert layout.spatial == (d == 3)
    assert layout.axis_names == ()


def test_more_dimensions_are_seen_along_the_widest_two():
    flat = np.zeros((12, 5))
    flat[:, 1], flat[:, 4] = 10 * POINTS[:, 0], 3 * POINTS[:, 1]
    layout = lay_out(flat)
    assert layout.axis_names == ("widest direction of 5", "second widest")
    assert od.metrics.procrustes_distance(layout.positions, POINTS * [10, 3]) < 1e-12
    spread = layout.positions.std(axis=0)
    assert spread[0] > spread[1]


def test_a_single_object_of_many_dimensions_is_drawn():
    np.testing.assert_array_equal(lay_out(np.ones((1, 5))).positions, [[0, 0]])


def test_the_truth_sets_the_directions_of_both():
    truth = np.random.default_rng(1).normal(size=(12, 4))
    layout = lay_out(truth + 1e-9, truth)
    np.testing.assert_allclose(layout.positions, layout.truth, atol=1e-8)


def test_classes_are_numbered_in_sorted_order():
    layout = lay_out(POINTS[:3], labels=["b", "a", "b"])
    assert layout.coloring.classes == ("a", "b")
    np.testing.assert_array_equal(layout.coloring.codes, [1, 0, 1])


def test_more_objects_have_smaller_markers():
    sizes = [lay_out(np.zeros((n, 2))).marker_size for n in (10, 1000, 100_000)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[1] > 1 == sizes[2]


def test_a_crowd_begins_at_many():
    assert not lay_out(np.zeros((CROWDED_FROM - 1, 2))).crowded
    assert lay_out(np.zeros((CROWDED_FROM, 2))).crowded


def test_bad_arguments_are_refused():
    with pytest.raises(od.InputError, match="nothing to draw: embedding has no rows"):
        lay_out(np.empty((0, 2)))
    with pytest.raises(od.InputError, match=r"labels must have one entry per object, shape \(12,"):
        lay_out(POINTS, labels=["a"])

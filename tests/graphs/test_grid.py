import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordinate._checks import InputError
from ordinate.graphs.objective import lay_grid


@settings(deadline=None)
@given(
    n=st.integers(1, 60),
    d=st.integers(1, 5),
    width=st.floats(1e-6, 10),
    seed=st.integers(0, 99),
)
def test_every_point_stands_in_its_cell(n, d, width, seed):
    points = np.random.default_rng(seed).normal(size=(n, d))
    grid = lay_grid(points, width)
    np.testing.assert_array_equal(grid.columns.T, points[grid.order][:, grid.axes])
    np.testing.assert_array_equal(grid.order[grid.position], np.arange(n))
    assert grid.starts[0] == 0
    assert grid.starts[-1] == n
    assert len(grid.starts) - 1 == grid.shape.prod() <= max(2 * n, 1)
    along = np.zeros((3, n), dtype=int)
    for s in range(min(d, 3)):
        inside = ((grid.columns[s] - grid.corner[s]) / grid.width).astype(int)
        along[s] = np.minimum(inside, grid.shape[s] - 1)
    cell = (along[2] * grid.shape[1] + along[1]) * grid.shape[0] + along[0]
    np.testing.assert_array_equal(
        cell, np.repeat(np.arange(len(grid.starts) - 1), np.diff(grid.starts))
    )


@pytest.mark.parametrize("points", [np.zeros((4, 2)), np.array([[1e300], [-1e300]])])
def test_degenerate_extents_do_no_harm(points):
    grid = lay_grid(points, 1.0)
    assert grid.starts[-1] == len(points)
    assert len(grid.starts) <= 2 * len(points) + 1


def test_points_without_a_place_are_refused():
    with pytest.raises(InputError, match="Coordinates must be finite"):
        lay_grid(np.array([[0.0], [np.nan]]), 1.0)

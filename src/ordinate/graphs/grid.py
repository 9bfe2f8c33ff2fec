"""A uniform grid over points, in which everything near a point lies in a few runs of memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError
from ordinate._compiler import njit

_MOST_AXES = 3
"""Axes that are cut into cells. In more dimensions the widest three still rule out many points, and
the others are scanned."""
_MOST_CELLS_PER_POINT = 2.0


class Grid(NamedTuple):
    """Points sorted by cell; the cells of one row follow one another in memory.

    Attributes
    ----------
    axes : ndarray of int, shape (n_components,)
        The axes of the points from the widest to the narrowest; only the first three are cut.
    columns : ndarray of shape (n_components, n_points)
        Sorted coordinates, one row per axis in the order of `axes`.
    order : ndarray of int32, shape (n_points,)
        Which point stands at each sorted position.
    position : ndarray of int32, shape (n_points,)
        At which sorted position each point stands.
    starts : ndarray of int32, shape (n_cells + 1,)
        Where each cell begins; cells count fastest along the first axis.
    corner : ndarray of shape (3,)
        The lowest coordinates.
    shape : ndarray of int64, shape (3,)
        Number of cells along each cut axis, 1 where there is none.
    width : float
        Side of a cell.
    """

    axes: NDArray[np.intp]
    columns: NDArray[np.float64]
    order: NDArray[np.int32]
    position: NDArray[np.int32]
    starts: NDArray[np.int32]
    corner: NDArray[np.float64]
    shape: NDArray[np.int64]
    width: float


def lay_grid(points: NDArray[np.float64], width: float) -> Grid:
    """Sort points into cells.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_components)
        Finite coordinates.
    width : float
        Wanted side of a cell; it is made larger when there would be many more cells than points.

    Returns
    -------
    Grid
        The sorted points and where the cells begin.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.graphs.grid import lay_grid
    >>> grid = lay_grid(np.array([[2.5], [0.0], [0.5]]), width=1.0)
    >>> grid.order, grid.starts
    (array([1, 2, 0], dtype=int32), array([0, 2, 2, 3], dtype=int32))
    """
    low = points.min(axis=0)
    extent = points.max(axis=0) - low
    axes = np.argsort(-extent, kind="stable")
    cut = axes[:_MOST_AXES]
    corner = np.zeros(_MOST_AXES)
    corner[: len(cut)] = low[cut]
    shape, width = _cells(extent[cut], width, _MOST_CELLS_PER_POINT * len(points))
    columns = np.ascontiguousarray(points.T[axes])
    order, position, starts = _sort_by_cell(columns[:_MOST_AXES], corner, shape, width)
    return Grid(axes, columns[:, order], order, position, starts, corner, shape, width)


def _cells(
    extent: NDArray[np.float64], width: float, most: float
) -> tuple[NDArray[np.int64], float]:
    """Count the cells along each axis, and widen them until they are not too many."""
    if not np.isfinite(extent).all():
        raise InputError("Coordinates must be finite; these are not, or overflow.")
    shape = np.ones(_MOST_AXES, dtype=np.int64)
    width = max(width, float(extent.max()) / most, np.finfo(np.float64).tiny)
    while True:
        per_axis = np.floor(extent / width) + 1
        if per_axis.prod() <= most or per_axis.max() == 1:
            shape[: len(extent)] = per_axis
            return shape, width
        width *= 1.25


@njit(nogil=True, cache=True, error_model="numpy")
def _sort_by_cell(columns: Any, corner: Any, shape: Any, width: float) -> Any:
    """Sort by cell, counting; points of one cell keep their order."""
    n_axes, n = columns.shape
    cell = np.empty(n, dtype=np.int32)
    starts = np.zeros(shape.prod() + 1, dtype=np.int32)
    for i in range(n):
        number = 0
        for s in range(n_axes - 1, -1, -1):
            along = int((columns[s, i] - corner[s]) / width)
            number = number * shape[s] + min(along, shape[s] - 1)
        cell[i] = number
        starts[number + 1] += 1
    for c in range(len(starts) - 1):
        starts[c + 1] += starts[c]
    order = np.empty(n, dtype=np.int32)
    position = np.empty(n, dtype=np.int32)
    free = starts.copy()
    for i in range(n):
        p = free[cell[i]]
        free[cell[i]] += 1
        order[p] = i
        position[i] = p
    return order, position, starts

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
    """Points sorted by cell; the cells of one row follow one another in memory."""

    axes: NDArray[np.intp]
    columns: NDArray[np.float64]
    order: NDArray[np.int32]
    position: NDArray[np.int32]
    starts: NDArray[np.int32]
    corner: NDArray[np.float64]
    shape: NDArray[np.int64]
    width: float


def lay_grid(points: NDArray[np.float64], width: float) -> Grid:
    """Sort points into cells."""
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

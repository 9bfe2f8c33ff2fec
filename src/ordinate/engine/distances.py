"""Distances on a map: of the near and the far pair of every row, and who is nearest to whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate.comparisons.answers import share_of, weight_that_holds
from ordinate.comparisons.inputs import Record
from ordinate.comparisons.partitions import PartitionedComparisons
from ordinate.comparisons.record import PAIR_COLUMNS, Comparisons

CHUNK = 2**15
"""Rows looked at together: few enough to stay in cache, so memory does not grow with rows."""

PairDistances: TypeAlias = Callable[[NDArray[np.int32], NDArray[np.int32]], NDArray[np.float64]]
"""Takes two arrays of objects and returns the distance of each pair."""


def near_and_far(
    rows: NDArray[np.int32], distances: PairDistances
) -> Iterator[tuple[slice, NDArray[np.float64], NDArray[np.float64]]]:
    """Go through the rows in chunks."""
    columns = PAIR_COLUMNS[rows.shape[1]]
    for start in range(0, len(rows), CHUNK):
        part = slice(start, start + CHUNK)
        i, j, k, l = rows[part, columns].T  # noqa: E741
        yield part, distances(i, j), distances(k, l)


def squared_between(points: NDArray[np.float64]) -> PairDistances:
    """Return a function that gives squared Euclidean distances of points by number."""

    def squared(i: NDArray[Any], j: NDArray[Any]) -> NDArray[np.float64]:
        difference = points[i] - points[j]
        result: NDArray[np.float64] = np.einsum("ij,ij->i", difference, difference)
        return result

    return squared


def squared_distances(
    points: NDArray[np.float64], rows: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the squared distances of the near and of the far pair of every row."""
    near2, far2 = np.empty(len(rows)), np.empty(len(rows))
    for part, near, far in near_and_far(rows, squared_between(points)):
        near2[part], far2[part] = near, far
    return near2, far2


def record_distances(
    record: Record, points: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the squared distances of the near and of the far pair of every row."""
    if not isinstance(record, PartitionedComparisons):
        return squared_distances(points, record.rows)
    near2, far2 = zip(*record.map(record_distances, points), strict=True)
    return np.concatenate(near2), np.concatenate(far2)


def share_that_holds(record: Record, points: NDArray[np.float64]) -> float:
    """Return the weighted share of rows whose near distance is the smaller one."""
    if isinstance(record, PartitionedComparisons):
        return share_of(*record.sum(_weight_that_holds, points))
    return share_of(*_weight_that_holds(record, points))


def _weight_that_holds(
    comparisons: Comparisons, points: NDArray[np.float64]
) -> tuple[float, float]:
    near2, far2 = squared_distances(points, comparisons.rows)
    # margins as an estimator's decision_function has them, so that ties are the same
    return weight_that_holds(np.sqrt(far2) - np.sqrt(near2), comparisons.weights)


def nearest_others(points: NDArray[np.float64], n_neighbors: int) -> NDArray[np.intp]:
    """Return the numbers of the objects nearest to each, without itself and the nearest first."""
    from scipy.spatial import KDTree

    found = np.asarray(KDTree(points).query(points, k=np.arange(1, n_neighbors + 2))[1])
    itself = found == np.arange(len(points))[:, None]
    # where many lie in one place an object may be missing from its own neighbours
    itself[~itself.any(axis=1), -1] = True
    others: NDArray[np.intp] = found[~itself].reshape(len(points), n_neighbors)
    return others

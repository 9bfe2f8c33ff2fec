"""What a map says about the rows of a record, in memory or in partitions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordinate.comparisons.partitions import PartitionedComparisons, Record
from ordinate.comparisons.record import Comparisons
from ordinate.engine.distances import squared_distances


def record_distances(
    record: Record, points: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the squared distances of the near and of the far pair of every row.

    Parameters
    ----------
    record : Comparisons or PartitionedComparisons
        Triplets or quadruplets.
    points : ndarray of shape (n_objects, n_components)
        Coordinates.

    Returns
    -------
    near2, far2 : ndarray of shape (n_comparisons,)
        Squared distances in the order of the rows, in the memory of this process.
    """
    if not isinstance(record, PartitionedComparisons):
        return squared_distances(points, record.rows)
    near2, far2 = zip(*record.map(record_distances, points), strict=True)
    return np.concatenate(near2), np.concatenate(far2)


def share_that_holds(record: Record, points: NDArray[np.float64]) -> float:
    """Return the weighted share of rows whose near distance is the smaller one.

    Parameters
    ----------
    record : Comparisons or PartitionedComparisons
        Triplets or quadruplets.
    points : ndarray of shape (n_objects, n_components)
        Coordinates.

    Returns
    -------
    float
        From 0 to 1.
    """
    if isinstance(record, PartitionedComparisons):
        holds, total = record.sum(_weight_that_holds, points)
    else:
        holds, total = _weight_that_holds(record, points)
    return float(holds / total)


def _weight_that_holds(
    comparisons: Comparisons, points: NDArray[np.float64]
) -> tuple[float, float]:
    near2, far2 = squared_distances(points, comparisons.rows)
    holds = np.sqrt(far2) - np.sqrt(near2) > 0  # the sign of an estimator's decision_function
    if comparisons.weights is None:
        return float(np.count_nonzero(holds)), float(len(holds))
    return float(comparisons.weights[holds].sum()), float(comparisons.weights.sum())

"""By how much comparisons hold on a map, or fail to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, check_points
from ordinate.comparisons.record import Comparisons, as_comparisons
from ordinate.engine.distances import squared_distances


class PairDistances(NamedTuple):
    """Distances of the near and of the far pair of each comparison, in units of the map's radius.

    Attributes
    ----------
    near, far : ndarray of float, shape (n_comparisons,)
        The distances.
    """

    near: NDArray[np.float64]
    far: NDArray[np.float64]


def relative_distances(comparisons: Comparisons | ArrayLike, embedding: ArrayLike) -> PairDistances:
    """Measure both pairs of each comparison on a map, in units of the map's radius.

    Parameters
    ----------
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        Triplets or quadruplets.
    embedding : array-like of float, shape (n_objects, n_components)
        Coordinates. The radius is the root mean square distance from their centre.

    Returns
    -------
    PairDistances
        Near and far distances.

    Examples
    --------
    >>> relative_distances([[0, 1, 2]], [[-1.0], [1.0], [-1.0], [1.0]])
    PairDistances(near=array([2.]), far=array([0.]))
    """
    points = check_points("embedding", embedding)
    record = as_comparisons(comparisons, n_objects=len(points))
    if record.n_objects != len(points):
        raise InputError(
            f"embedding has {len(points)} rows; the comparisons are about {record.n_objects}"
            " objects."
        )
    radius = float(np.sqrt(np.square(points - points.mean(axis=0)).sum(axis=1).mean()))
    near2, far2 = squared_distances(points, record.rows)
    return PairDistances(np.sqrt(near2) / (radius or 1), np.sqrt(far2) / (radius or 1))


def triplet_margins(
    comparisons: Comparisons | ArrayLike, embedding: ArrayLike
) -> NDArray[np.float64]:
    """Return by how much the far distance exceeds the near one, in units of the map's radius.

    Parameters
    ----------
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        Triplets or quadruplets.
    embedding : array-like of float, shape (n_objects, n_components)
        Coordinates.

    Returns
    -------
    ndarray of float, shape (n_comparisons,)
        Positive where the comparison holds on the map; the same for a map of any size.

    Examples
    --------
    >>> import ordinate as od
    >>> od.metrics.triplet_margins([[0, 1, 2], [0, 2, 1]], [[-1.0], [-1.0], [1.0], [1.0]])
    array([ 2., -2.])
    """
    near, far = relative_distances(comparisons, embedding)
    margins: NDArray[np.float64] = far - near
    return margins

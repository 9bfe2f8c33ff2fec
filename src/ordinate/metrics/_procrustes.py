"""Lay one map over another: coordinates from comparisons have no place, size or direction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import svd

from ordinate._checks import InputError, check_points


def procrustes_align(
    points: ArrayLike, onto: ArrayLike, *, reflection: bool = True
) -> NDArray[np.float64]:
    """Move, scale and rotate `points` so that they lie as near to `onto` as they can.

    Parameters
    ----------
    points : array-like of float, shape (n_objects, n_components)
        The map to move.
    onto : array-like of float, shape (n_objects, n_components)
        The map to meet; row by row the same objects.
    reflection : bool, default=True
        Whether `points` may be mirrored. Comparisons cannot tell a map from its mirror image.

    Returns
    -------
    ndarray of float, shape (n_objects, n_components)
        The map with the least sum of squared distances to `onto`.

    See Also
    --------
    procrustes_distance : How far the two remain apart.

    Examples
    --------
    >>> import ordinate as od
    >>> turned = od.metrics.procrustes_align([[0, 0], [0, 1], [2, 0]], [[5, 5], [7, 5], [5, 9]])
    >>> turned.round(6)
    array([[5., 5.],
           [7., 5.],
           [5., 9.]])
    """
    fit = _superimpose(points, onto, reflection=reflection)
    aligned: NDArray[np.float64] = fit.center + fit.unit @ fit.rotation * (fit.match * fit.size)
    return aligned


def procrustes_distance(a: ArrayLike, b: ArrayLike, *, reflection: bool = True) -> float:
    """How far apart two maps are once place, size and direction are set aside.

    Parameters
    ----------
    a, b : array-like of float, shape (n_objects, n_components)
        Two maps of the same objects.
    reflection : bool, default=True
        Whether a map and its mirror image count as the same.

    Returns
    -------
    float
        The squared distances between corresponding points after the best superposition, as a
        share of the map's own squared distances from its centre: 0 for the same shape, at
        most 1. This is the disparity of `scipy.spatial.procrustes`; it is the same for (a, b)
        and (b, a).

    See Also
    --------
    procrustes_align : The map laid over the other.
    ordinate.uncertainty.compare_maps : Whether they differ by more than chance.

    Examples
    --------
    >>> import ordinate as od
    >>> square = [[0, 0], [0, 1], [1, 1], [1, 0]]
    >>> round(od.metrics.procrustes_distance(square, [[3, 3], [1, 3], [1, 1], [3, 1]]), 6)
    0.0
    """
    return max(0.0, 1 - _superimpose(a, b, reflection=reflection).match ** 2)


class _Superposition(NamedTuple):
    """How to bring a map onto another: center + match * size * unit @ rotation."""

    unit: NDArray[np.float64]
    rotation: NDArray[np.float64]
    match: float
    size: float
    center: NDArray[np.float64]


def _superimpose(points: ArrayLike, onto: ArrayLike, *, reflection: bool) -> _Superposition:
    moving, target = check_points("The first map", points), check_points("The second map", onto)
    if moving.shape != target.shape:
        raise InputError(
            "Two maps to compare must have one shape (n_objects, n_components);"
            f" got {moving.shape} and {target.shape}."
        )
    moving, _, _ = _standardise("first", moving)
    target, center, size = _standardise("second", target)
    left, overlap, right = svd(moving.T @ target)
    if not reflection and np.linalg.det(left @ right) < 0:
        left[:, -1] *= -1
        overlap[-1] *= -1
    # negative only for one dimension without reflection, where the best map is a single point
    match = max(0.0, float(overlap.sum()))
    return _Superposition(moving, left @ right, match, size, center)


def _standardise(
    which: str, points: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    center = points.mean(axis=0)
    centered = points - center
    size = float(np.linalg.norm(centered))
    if size <= np.finfo(np.float64).eps * float(np.abs(points).max()) * len(points):
        raise InputError(
            f"The {which} map has all its points in one place; it needs at least two places."
        )
    return centered / size, center, size

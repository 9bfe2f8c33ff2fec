"""Parts of a map that may as well be mirrored: loosely connected sets have several modes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, diags_array

from ordinate.comparisons.record import Comparisons
from ordinate.solvers.eigenvectors import leading_eigenvectors

_LOOSE = 0.1
"""A part is loosely connected if at most this share of its pairs in answers leaves it."""
_RARE = 0.05
"""Mirrored in fewer draws than this, a part is not worth a word."""

_CLEAR = 0.5
"""A draw is clearly turned (or mirrored) if that halves the sum of squares left over."""


@dataclass(frozen=True)
class MirroredPart:
    """Objects that lie mirrored in a share of the draws.

    Attributes
    ----------
    objects : tuple of int
        Numbers of the objects.
    share : float
        In how many of the draws.

    Examples
    --------
    >>> import ordinate as od
    >>> od.uncertainty.MirroredPart((3, 4, 5), 0.4).share
    0.4
    """

    objects: tuple[int, ...]
    share: float


def find_loose_objects(comparisons: Comparisons, smallest: int) -> NDArray[np.intp]:
    """Find objects that few answers connect with the others."""
    n = comparisons.n_objects
    none = np.empty(0, dtype=np.intp)
    if n < 2 * smallest:
        return none
    rows = comparisons.rows
    pairs = [(rows[:, a], rows[:, b]) for a in range(rows.shape[1]) for b in range(a)]
    i, j = (np.concatenate([*column]) for column in zip(*pairs, strict=True))
    ends = np.concatenate([i, j]), np.concatenate([j, i])
    links = coo_array((np.ones(len(ends[0])), ends), shape=(n, n)).tocsr()
    degree = np.asarray(links.sum(axis=1)).ravel()
    if not degree.all():
        return none
    root = diags_array(1 / np.sqrt(degree))
    start = np.random.default_rng(0).standard_normal(n)
    _, vectors = leading_eigenvectors(root @ links @ root, 2, start)
    order = np.argsort(vectors[:, 0] / np.sqrt(degree))
    place = np.empty(n, dtype=np.intp)
    place[order] = np.arange(n)
    first, last = np.minimum(place[i], place[j]), np.maximum(place[i], place[j])
    # a link is cut by every division between its two ends
    change = np.bincount(first + 1, minlength=n + 1) - np.bincount(last + 1, minlength=n + 1)
    cut = np.cumsum(change)[smallest : n - smallest + 1]
    within = np.cumsum(degree[order])[smallest - 1 : n - smallest]
    loose = cut / np.minimum(within, degree.sum() - within)
    best = int(np.argmin(loose))
    if loose[best] > _LOOSE:
        return none
    size = smallest + best
    return np.sort(order[:size] if 2 * size <= n else order[size:])


def mirror(points: NDArray[np.float64], part: NDArray[np.intp]) -> NDArray[np.float64]:
    """Mirror a part of a map along the line that joins it with the rest."""
    rest = np.setdiff1d(np.arange(len(points)), part)
    center = points[part].mean(axis=0)
    axis = center - points[rest].mean(axis=0)
    axis = axis / max(float(np.linalg.norm(axis)), 1e-12)
    across = points[part] - center
    if points.shape[1] > 1:
        across = across - np.outer(across @ axis, axis)
    normal = np.linalg.svd(across)[2][0]
    mirrored = points.copy()
    mirrored[part] -= 2 * np.outer((points[part] - center) @ normal, normal)
    return mirrored


def mirrored_parts(
    draws: NDArray[np.float32], points: NDArray[np.float64], part: NDArray[np.intp]
) -> tuple[MirroredPart, ...]:
    """Count the draws in which a part is the mirror image of itself and the rest is not."""
    rest = np.setdiff1d(np.arange(len(points)), part)
    mirrored = [
        _handedness(draw[part], points[part]) * _handedness(draw[rest], points[rest]) < 0
        for draw in draws
    ]
    share = float(np.mean(mirrored))
    return (MirroredPart(tuple(part.tolist()), share),) if share >= _RARE else ()


def _handedness(draw: NDArray[np.float32], points: NDArray[np.float64]) -> int:
    """Return 1 if a draw can be turned onto a map, -1 if it must be mirrored, 0 if unclear.

    Few answers tell how large the parts are beside each other, so their sizes are set aside.
    """
    left, overlap, right = np.linalg.svd(_unit(draw).T @ _unit(points))
    apart = 2 - 2 * float(overlap.sum())
    # the best superposition of the other kind gives up the smallest overlap
    if apart > _CLEAR * (apart + 4 * float(overlap[-1])):
        return 0
    return 1 if np.linalg.det(left @ right) > 0 else -1


def _unit(points: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return a map at its centre with size 1."""
    centered = points - points.mean(axis=0, dtype=np.float64)
    unit: NDArray[np.float64] = centered / max(float(np.linalg.norm(centered)), 1e-300)
    return unit

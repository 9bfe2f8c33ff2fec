"""How much neighbourhoods agree: what the margin of a map of features follows.

In data, the neighbours of an object's neighbours are often its own. In noise of many dimensions
they are not, and a large margin would draw what little they share into clusters that mean nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._threads import one_blas_thread

_RANK = 10
"""Neighbours that are compared."""
_SAMPLE = 2000
"""Objects that are looked at."""
_LOW, _HIGH = 0.12, 0.5
"""Shares of common neighbours that speak for no margin, and for the largest."""


def choose_margin(
    points: NDArray[Any] | None, neighbors: NDArray[Any], largest: float, seed: int
) -> float:
    """Return a margin between 1 and the largest one, by how much neighbourhoods agree.

    Two things speak for a margin: a large share of common neighbours, as in data of few
    dimensions, and one that is larger than in data of the same covariance without structure.
    `points` are None where distances are not Euclidean.
    """
    rng = np.random.default_rng(seed)
    support = (shared_neighbors(neighbors, rng) - _LOW) / (_HIGH - _LOW)
    if points is not None and support < 1 and len(points) > _RANK + 1:
        sample = points[rng.permutation(len(points))[:_SAMPLE]].astype(np.float64)
        with one_blas_thread():
            null = shared_neighbors(_nearest(shuffle_components(sample, rng)), rng)
            support = max(support, shared_neighbors(_nearest(sample), rng) / max(null, 1e-9) - 1)
    return float(largest ** np.clip(support, 0, 1))


def shared_neighbors(neighbors: NDArray[Any], rng: np.random.Generator) -> float:
    """Return the share of an object's neighbours that its neighbours have too, beyond chance."""
    near = neighbors[:, :_RANK]
    anchors = rng.permutation(len(near))[:_SAMPLE]
    own = near[anchors]
    share = float((near[own][:, :, :, None] == own[:, None, None, :]).any(axis=3).mean())
    chance: float = near.shape[1] / max(len(near) - 1, 1)
    return (share - chance) / max(1 - chance, 1e-9)


def shuffle_components(points: NDArray[np.float64], rng: np.random.Generator) -> NDArray[Any]:
    """Return points of the same covariance without structure: shuffled principal components."""
    centered = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(centered.T @ centered)
    return rng.permuted(centered @ axes, axis=0)


def _nearest(points: NDArray[Any]) -> NDArray[Any]:
    from sklearn.neighbors import NearestNeighbors  # whose import takes a while

    search = NearestNeighbors(n_neighbors=min(_RANK, len(points) - 1), algorithm="brute")
    found: NDArray[Any] = search.fit(points).kneighbors(return_distance=False)
    return found

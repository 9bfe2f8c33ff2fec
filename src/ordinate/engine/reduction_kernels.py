"""Compiled loops of a reduction: drawing outliers, and the gradient over neighbours × outliers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ordinate import losses
from ordinate.engine.cpu import with_vectormath

_ONE = np.float32(1)
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_HALF = np.uint64(32)
_tete = njit(nogil=True, error_model="numpy", forceinline=True)(with_vectormath(losses.tete))


@njit(nogil=True, cache=True)
def draw_outliers(
    neighbors: Any,
    n_others: int,
    stream: Any,
    first: int,
    shared: bool,
    start: int,
    stop: int,
    outliers: Any,
) -> None:
    """Draw, for the anchors start … stop, objects other than the anchor and its neighbours.

    The numbers are hashes of the stream, the anchor and the column, not of what was drawn before.
    """
    n_outliers = outliers.shape[1]
    for i in range(start, stop):
        anchor = np.uint32(first + i)
        for k in range(n_outliers):
            counter = np.uint64(k) if shared else np.uint64(i * n_outliers + k)
            state = stream + (counter + np.uint64(1)) * _GAMMA
            while True:
                x = (state ^ (state >> np.uint64(30))) * _MIX_1
                x = (x ^ (x >> np.uint64(27))) * _MIX_2
                x = x ^ (x >> np.uint64(31))
                drawn = np.uint32(((x >> _HALF) * np.uint64(n_others)) >> _HALF)
                usable = drawn != anchor
                for j in range(neighbors.shape[1]):
                    usable &= drawn != neighbors[i, j]
                if usable:
                    break
                state = x + _GAMMA
            outliers[i, k] = drawn


@njit(nogil=True, cache=True, fastmath=True, error_model="numpy")
def add_gradient(
    points: Any,
    neighbors: Any,
    outliers: Any,
    near_weights: Any,
    far_weights: Any,
    offset: Any,
    temperatures: Any,
    first: int,
    start: int,
    stop: int,
    axes: Any,
    gradient: Any,
) -> float:
    """Add the gradient of the anchors start … stop to `gradient` and return their loss.

    The number of axes is part of the type of `axes`, so that the compiler unrolls their loops;
    `temperatures` are t and t', or None for t = t' = 2, for which the compiler leaves out the
    general formula. Slopes are those on squared distances; the factor 2 of the chain rule is put
    in at the end.
    """
    n_neighbors, n_outliers = neighbors.shape[1], outliers.shape[1]
    near = np.empty(n_neighbors, dtype=np.float32)
    far = np.empty(n_outliers, dtype=np.float32)
    far_slopes = np.empty(n_outliers, dtype=np.float32)
    total = np.float64(0)
    for i in range(start, stop):
        anchor = first + i
        for j in range(n_neighbors):
            near[j] = _ONE
            for s in axes:
                near[j] += (points[anchor, s] - points[neighbors[i, j], s]) ** 2
        for k in range(n_outliers):
            far[k] = _ONE
            far_slopes[k] = 0
            for s in axes:
                far[k] += (points[anchor, s] - points[outliers[i, k], s]) ** 2
        for j in range(n_neighbors):
            loss = np.float32(0)
            slope = np.float32(0)
            for k in range(n_outliers):
                weight = near_weights[i, j] * far_weights[i, k] + offset
                if temperatures is None:
                    inverse = _ONE / (near[j] + far[k])
                    scaled = weight * inverse
                    loss += scaled * near[j]
                    scaled *= inverse
                    slope += scaled * far[k]
                    far_slopes[k] += scaled * near[j]
                else:
                    value, pull, push = _tete(
                        near[j] - _ONE, far[k] - _ONE, temperatures[0], temperatures[1]
                    )
                    loss += weight * np.float32(value)
                    slope += weight * np.float32(pull)
                    far_slopes[k] -= weight * np.float32(push)
            total += loss
            near[j] = slope
        for j in range(n_neighbors):
            for s in axes:
                pull = 2 * near[j] * (points[anchor, s] - points[neighbors[i, j], s])
                gradient[anchor, s] += pull
                gradient[neighbors[i, j], s] -= pull
        for k in range(n_outliers):
            for s in axes:
                push = 2 * far_slopes[k] * (points[anchor, s] - points[outliers[i, k], s])
                gradient[anchor, s] -= push
                gradient[outliers[i, k], s] += push
    return total

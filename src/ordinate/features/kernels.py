"""Compiled loops of a reduction: drawing outliers, and the gradient over neighbours × outliers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ordinate.engine import vectormath

_ONE = np.float32(1)
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_HALF = np.uint64(32)
_LARGEST_GAP = 300.0
"""Beyond this the exponential of a gap, squared, leaves the range of numbers."""


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
            near[j] = 0
            for s in axes:
                near[j] += (points[anchor, s] - points[neighbors[i, j], s]) ** 2
        for k in range(n_outliers):
            far[k] = 0
            for s in axes:
                far[k] += (points[anchor, s] - points[outliers[i, k], s]) ** 2
        if temperatures is None:
            total += _replace_by_slopes(
                near, far, far_slopes, near_weights[i], far_weights[i], offset
            )
        else:
            total += _replace_by_general_slopes(
                near, far, far_slopes, near_weights[i], far_weights[i], offset, temperatures
            )
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


@njit(nogil=True, fastmath=True, error_model="numpy", inline="always")
def _replace_by_slopes(
    near: Any, far: Any, far_slopes: Any, near_weights: Any, far_weights: Any, offset: Any
) -> Any:
    """Turn squared distances into slopes, those of outliers with the opposite sign; t = t' = 2."""
    far_slopes[:] = 0
    total = np.float32(0)
    for j in range(len(near)):
        slope = np.float32(0)
        above = _ONE + near[j]
        for k in range(len(far)):
            below = _ONE + far[k]
            inverse = _ONE / (above + below)
            scaled = (near_weights[j] * far_weights[k] + offset) * inverse
            total += scaled * above
            scaled *= inverse
            slope += scaled * below
            far_slopes[k] += scaled * above
        near[j] = slope
    return total


@njit(nogil=True, fastmath=True, error_model="numpy")
def _replace_by_general_slopes(
    near: Any,
    far: Any,
    far_slopes: Any,
    near_weights: Any,
    far_weights: Any,
    offset: Any,
    temperatures: Any,
) -> Any:
    """Turn squared distances into slopes, those of outliers with the opposite sign.

    With ratio = exp_t'(−far) / exp_t'(−near) and held = 1 / (1 + ratio), the loss is log_t(1 +
    ratio) = (1 − held^(t − 1)) / (t − 1), and its slope on log ratio is ratio · held^t.
    """
    t, tail = temperatures[0], temperatures[1] - 1
    far_slopes[:] = 0
    total = 0.0
    for j in range(len(near)):
        slope = 0.0
        for k in range(len(far)):
            weight = near_weights[j] * far_weights[k] + offset
            gap = near[j] - far[k]
            if tail > 0:
                gap = vectormath.log((1 + tail * near[j]) / (1 + tail * far[k])) / tail
            ratio = vectormath.exp(min(gap, _LARGEST_GAP))
            held = 1 / (1 + ratio)
            log_held = vectormath.log(held)
            power = vectormath.exp((t - 1) * log_held)
            total += weight * (-log_held if t == 1 else (1 - power) / (t - 1))
            pull = weight * ratio * held * power
            slope += pull
            far_slopes[k] += pull / (1 + tail * far[k])
        near[j] = slope / (1 + tail * near[j])
    return total

"""Stochastic steps of COE: move the three points of each drawn triple."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Points
from ordinate._compiler import njit
from ordinate.engine.vectormath import exp

LARGEST_GROWTH = 1.0
"""Where we cut the exponent of Gompertz, whose derivative has no bound: steps may then be long."""
OFFSET_PENALTY = 3e-3
"""Weight of the prior of offsets; a third and three times as much predict alike."""
_LN2 = 0.6931471805599453
_TINY = 1e-18
_BLOCK = 32


class Ascent:
    """Ascends the log-posterior of COE, one triple after the other."""

    def __init__(
        self, probability: str, penalty: float, *, offsets: bool = False, cut: bool = True
    ) -> None:
        self._gompertz = probability == "gompertz"
        self._largest = LARGEST_GROWTH if cut else np.inf
        self._penalty = penalty
        self._offsets = offsets

    def __call__(self, points: Points, rows: NDArray[np.uint32], rate: float) -> None:
        """Take a step for each row, moving `points` in place."""
        # points of a block move at once; few objects would move too far
        block = int(np.clip(len(points) // 64, 1, _BLOCK))
        axes = tuple(range(points.shape[1] - self._offsets))
        sgd_step(points, rows, 0, rate, self._penalty, self._gompertz, block, axes, self._largest)


@njit(nogil=True, cache=True, error_model="numpy")
def sgd_step(
    points: Any,
    rows: Any,
    first_free: int,
    rate: float,
    penalty: float,
    gompertz: bool,
    block: int,
    axes: Any,
    largest_growth: float = LARGEST_GROWTH,
) -> None:
    """Take one step along the gradient of each row, block by block.

    Objects below `first_free` stay where they are. The number of axes is part of the type of
    `axes`, so that the compiler unrolls the loops over them. A column after them holds offsets.
    """
    with_offsets = points.shape[1] > len(axes)
    last = points.shape[1] - 1
    to_near = np.empty((block, len(axes)))
    to_far = np.empty((block, len(axes)))
    near = np.empty(block)
    far = np.empty(block)
    lead = np.zeros(block)
    pull = np.empty(block)
    keep = 1.0 - rate * penalty
    keep_offset = 1.0 - rate * OFFSET_PENALTY
    for start in range(0, len(rows), block):
        size = min(block, len(rows) - start)
        for b in range(size):
            a, i, j = rows[start + b, 0], rows[start + b, 1], rows[start + b, 2]
            near[b] = _TINY
            far[b] = _TINY
            for s in range(len(axes)):
                to_near[b, s] = points[i, s] - points[a, s]
                to_far[b, s] = points[j, s] - points[a, s]
                near[b] += to_near[b, s] * to_near[b, s]
                far[b] += to_far[b, s] * to_far[b, s]
            if with_offsets:
                lead[b] = points[j, last] - points[i, last]
        # From here near and far hold the pull along each difference. These loops vectorise.
        if gompertz:
            for b in range(size):
                near_d, far_d = np.sqrt(near[b]), np.sqrt(far[b])
                growth = min(near_d - far_d - lead[b], largest_growth)
                pull[b] = rate * _LN2 * exp(growth)
                near[b], far[b] = pull[b] / near_d, pull[b] / far_d
        else:
            for b in range(size):
                near_d, far_d = np.sqrt(near[b]), np.sqrt(far[b])
                pull[b] = rate / (1.0 + exp(far_d - near_d + lead[b]))
                near[b], far[b] = pull[b] / near_d, pull[b] / far_d
        for b in range(size):
            a, i, j = rows[start + b, 0], rows[start + b, 1], rows[start + b, 2]
            for s in range(len(axes)):
                u = near[b] * to_near[b, s]
                v = far[b] * to_far[b, s]
                if a >= first_free:
                    points[a, s] = keep * points[a, s] + u - v
                if i >= first_free:
                    points[i, s] = keep * points[i, s] - u
                if j >= first_free:
                    points[j, s] = keep * points[j, s] + v
            if with_offsets:
                if i >= first_free:
                    points[i, last] = keep_offset * points[i, last] - pull[b]
                if j >= first_free:
                    points[j, last] = keep_offset * points[j, last] + pull[b]

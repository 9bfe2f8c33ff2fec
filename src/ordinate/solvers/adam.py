"""Adam: gradient steps that need no tuning where the gradient is noisy and of any scale."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate._compiler import njit

Array: TypeAlias = Any
"""An array of float32, of NumPy or on a device of torch."""
NoisyObjective: TypeAlias = Callable[[Array], tuple[Any, Array]]
"""Takes coordinates and returns value and gradient, which may be random."""

_ONE = np.float32(1)
_MEAN_DECAY = np.float32(0.9)
_SQUARE_DECAY = np.float32(0.999)
_TINY = np.float32(1e-20)


def adam(
    objective: NoisyObjective,
    start: Array,
    *,
    max_iter: int,
    step: float,
    before: Callable[[int, Array], None] | None = None,
    after: Callable[[Any], None] | None = None,
) -> tuple[Array, NDArray[np.float64]]:
    """Move coordinates along averaged gradients, each coordinate at a pace of its own.

    D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization", ICLR 2015, algorithm 1.
    """
    on_cpu = isinstance(start, np.ndarray)
    points = np.array(start, dtype=np.float32, order="C") if on_cpu else start.clone()
    mean, square = 0 * points, 0 * points
    history = []
    for number in range(1, max_iter + 1):
        if before is not None:
            before(number, points)
        value, gradient = objective(points)
        history.append(value)
        pace = step * (1 - (number - 1) / max_iter) / (1 - float(_MEAN_DECAY) ** number)
        unbias = 1 / (1 - float(_SQUARE_DECAY) ** number)
        if on_cpu:
            _move(
                points.ravel(), gradient.ravel(), mean.ravel(), square.ravel(),
                np.float32(pace), np.float32(unbias),
            )  # fmt: skip
        else:
            mean += (1 - float(_MEAN_DECAY)) * (gradient - mean)
            square += (1 - float(_SQUARE_DECAY)) * (gradient.square() - square)
            points -= pace * mean / ((square * unbias).sqrt() + float(_TINY))
        if after is not None:
            after(value)
    return points, np.array([float(value) for value in history])


@njit(nogil=True, cache=True, error_model="numpy")
def _move(
    points: Any, gradient: Any, mean: Any, square: Any, pace: np.float32, unbias: np.float32
) -> None:
    """Make one step in place; all arrays are flat. One pass over memory instead of ten."""
    for i in range(len(points)):
        mean[i] += (_ONE - _MEAN_DECAY) * (gradient[i] - mean[i])
        square[i] += (_ONE - _SQUARE_DECAY) * (gradient[i] * gradient[i] - square[i])
        points[i] -= pace * mean[i] / (np.sqrt(square[i] * unbias) + _TINY)

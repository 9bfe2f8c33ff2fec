"""The posterior of coordinates given answers: its potential, and compiled leapfrog steps in it."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ordinate import losses
from ordinate._arrays import Points
from ordinate._compiler import njit
from ordinate.comparisons.record import Comparisons
from ordinate.engine import cpu


class ScalePrior(NamedTuple):
    """Coordinates are normal; their variance has an inverse gamma distribution, or is known.

    The variance is integrated out: the potential of points X is
    (shape + nd/2) log(rate + |X|²/2). With an infinite shape the variance is `rate` itself and
    the potential |X|² / (2 rate).
    """

    shape: float
    rate: float


_FLAT = ScalePrior(np.inf, np.inf)


class CoordinatePosterior:
    """Minus the logarithm of the posterior density of coordinates, up to a constant.

    With a root L of a covariance over objects, it is that of whitened coordinates Z, which have
    the prior; the map is L Z.
    """

    def __init__(
        self,
        comparisons: Comparisons,
        loss: losses.Loss,
        parameters: Sequence[float],
        prior: ScalePrior,
        lapse: float | None = None,
        root: Points | None = None,
    ) -> None:
        self._rows = comparisons.rows.view(np.uint32)
        self._weights = cpu.read_only_weights(comparisons)
        self._loss = cpu.as_function(loss)
        self._parameters = tuple(float(parameter) for parameter in parameters)
        self.prior = prior
        self.lapse = lapse
        self._root = root

    def color(self, white: Points) -> Points:
        """Return the map of whitened coordinates."""
        return white if self._root is None else np.asarray(self._root @ white)

    def whiten(self, points: Points) -> Points:
        """Return the whitened coordinates of a map."""
        if self._root is None:
            return points
        return np.asarray(np.linalg.solve(self._root, points), dtype=np.float64)

    def __call__(self, points: Points) -> tuple[float, Points]:
        """Return the potential and its gradient at `points`, shape (n_objects, n_components)."""
        potential, _ = self._compiled(points.shape[1])
        if self._root is None:
            gradient = np.empty_like(points)
            return potential(points, gradient, *self._arguments()), gradient
        colored = np.ascontiguousarray(self._root @ points)
        gradient = np.empty_like(colored)
        value = potential(colored, gradient, *self._arguments(_FLAT))
        half, (shape, rate) = 0.5 * float(np.square(points).sum()), self.prior
        power = shape + 0.5 * points.size
        known = np.isinf(shape)
        pull = 1 / rate if known else power / (rate + half)
        value += pull * half if known else power * np.log(rate + half)
        return value, np.asarray(self._root.T @ gradient + pull * points)

    def leapfrog(
        self, points: Points, momentum: Points, gradient: Points, length: float, n_steps: int
    ) -> float:
        """Follow a trajectory in place and return the potential at its end; without a root."""
        _, leapfrog = self._compiled(points.shape[1])
        return leapfrog(points, momentum, gradient, length, n_steps, *self._arguments())

    def _compiled(self, n_components: int) -> tuple[Callable[..., float], Callable[..., float]]:
        dimension = cpu.unrolled(n_components)  # thousands of sums: a chain is long
        return _compile(self._loss, dimension, self._rows.shape[1], self.lapse is not None)

    @property
    def is_whitened(self) -> bool:
        """Whether there is a root."""
        return self._root is not None

    def _arguments(self, prior: ScalePrior | None = None) -> tuple[Any, ...]:
        lapse = () if self.lapse is None else (self.lapse,)
        return self._rows, self._weights, lapse + self._parameters, *(prior or self.prior)


@cache
def _compile(
    loss: types.FunctionType, dimension: int, n_columns: int, lapses: bool
) -> tuple[Callable[..., float], Callable[..., float]]:
    kernel = cpu.compiled_kernel(loss, dimension, n_columns, lapses=lapses)
    own = getattr(losses, loss.__name__, None) is loss

    def compiled(function: Callable[..., float], **constants: Any) -> Callable[..., float]:
        copy = cpu.with_constants(function, f"{function.__name__}_{kernel.__name__}", constants)
        return njit(nogil=True, error_model="numpy", cache=own)(copy)

    potential = compiled(_potential, kernel=kernel)
    return potential, compiled(_leapfrog, potential=potential)


# What the compiled functions call, set by `_compile`; these stand for the linter and the reader.
kernel: Any = None
potential: Any = None


def _potential(
    points: Any, gradient: Any, rows: Any, weights: Any, parameters: Any, shape: float, rate: float
) -> float:
    """Fill `gradient` and return the potential."""
    gradient[:] = 0.0
    value: float = kernel(points, rows, weights, parameters, 0, rows.shape[0], gradient, ())
    half = 0.0
    for i in range(points.shape[0]):
        for s in range(points.shape[1]):
            half += 0.5 * points[i, s] * points[i, s]
    if np.isinf(shape):
        pull = 1.0 / rate
        value += pull * half
    else:
        power = shape + 0.5 * points.size
        pull = power / (rate + half)
        value += power * np.log(rate + half)
    for i in range(points.shape[0]):
        for s in range(points.shape[1]):
            gradient[i, s] += pull * points[i, s]
    return value


def _leapfrog(
    points: Any,
    momentum: Any,
    gradient: Any,
    length: float,
    n_steps: int,
    rows: Any,
    weights: Any,
    parameters: Any,
    shape: float,
    rate: float,
) -> float:
    value = 0.0
    for _ in range(n_steps):
        for i in range(points.shape[0]):
            for s in range(points.shape[1]):
                momentum[i, s] -= 0.5 * length * gradient[i, s]
                points[i, s] += length * momentum[i, s]
        value = potential(points, gradient, rows, weights, parameters, shape, rate)
        for i in range(points.shape[0]):
            for s in range(points.shape[1]):
                momentum[i, s] -= 0.5 * length * gradient[i, s]
    return value

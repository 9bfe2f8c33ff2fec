"""Maps that cannot grow without end.

Some losses fall for ever, by less and less, as a map grows: those of ratios of distances, and
those of answers that can all be satisfied. A solver then follows the size of the map until
numbers lose their digits, and not its shape. A penalty on the coordinates ends that smoothly, a
largest size at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

Batch: TypeAlias = Any
"""Coordinates, or a batch of them, in an array or a tensor: the last two axes are a map."""
BatchFunction: TypeAlias = Callable[[Batch], tuple[Any, Batch]]
"""Takes maps, returns their values and gradients."""


def penalized(penalty: float, objective: BatchFunction) -> BatchFunction:
    """Add to a function of maps a multiple of the sum of their squared coordinates."""
    if penalty == 0:
        return objective

    def sum_of_both(maps: Batch) -> tuple[Any, Batch]:
        value, gradient = objective(maps)
        return value + penalty * (maps * maps).sum((-2, -1)), gradient + 2 * penalty * maps

    return sum_of_both


class BoundedSize:
    """The maps up to a size; a larger one stands for the map of that size with its shape.

    Beyond the bound the loss depends on the shape alone, so that its gradient has no part along
    the size, and a solver without bounds of its own stays where it is.
    """

    def __init__(self, radius: float) -> None:
        self.radius = radius

    def inside(self, points: Batch) -> Batch:
        """Return the maps that coordinates stand for, centred."""
        centred = points - points.mean(-2)[..., None, :]
        return centred * self._factor(centred)

    def around(self, objective: BatchFunction) -> BatchFunction:
        """Turn a function of maps into one of coordinates that may have any size."""

        def bounded(points: Batch) -> tuple[Any, Batch]:
            centred = points - points.mean(-2)[..., None, :]
            factor = self._factor(centred)
            maps = centred * factor
            value, gradient = objective(maps)
            along_size = _dot(gradient, maps) / _dot(maps, maps).clip(min=1e-300)
            return value, (gradient - maps * (along_size * (factor < 1.0))) * factor

        return bounded

    def _factor(self, centred: Batch) -> Batch:
        size = (_dot(centred, centred) / centred.shape[-2]) ** 0.5
        return self.radius / size.clip(min=self.radius)


def _dot(left: Batch, right: Batch) -> Batch:
    return (left * right).sum((-2, -1))[..., None, None]

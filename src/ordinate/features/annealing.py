"""A term of an objective that guides the first steps and is gone at the end."""

from __future__ import annotations

import numpy as np

from ordinate.features.adam import Array, NoisyObjective


class AnnealedObjective:
    """One objective plus another whose weight falls to zero over the calls.

    Parameters
    ----------
    lasting, passing : callable
        What is added up; each takes coordinates and returns a value and a gradient.
    weight : float
        Weight of the passing one at the first call.
    n_calls : int
        The weight is multiplied by (1 − c / n_calls)² after c calls.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.features.annealing import AnnealedObjective
    >>> def one(points):
    ...     return 1.0, np.ones_like(points)
    >>> both = AnnealedObjective(one, one, weight=3.0, n_calls=2)
    >>> both(np.zeros(1))[0], both(np.zeros(1))[0]
    (4.0, 1.75)
    """

    def __init__(
        self, lasting: NoisyObjective, passing: NoisyObjective, *, weight: float, n_calls: int
    ) -> None:
        self._lasting, self._passing = lasting, passing
        self._weight, self._n_calls = weight, n_calls
        self._n_done = 0

    def __call__(self, points: Array) -> tuple[float, Array]:
        """Return the sum of the values and that of the gradients at `points`."""
        weight = self._weight * (1 - self._n_done / self._n_calls) ** 2
        self._n_done += 1
        value, gradient = self._lasting(points)
        passing_value, passing_gradient = self._passing(points)
        passing_gradient *= np.float32(weight)
        gradient += passing_gradient
        return value + weight * passing_value, gradient

"""What a solver returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Points: TypeAlias = NDArray[np.float64]
Function: TypeAlias = Callable[[Points], tuple[float, Points]]
"""Takes coordinates and returns a value and its gradient: what solvers minimise."""
Callback: TypeAlias = Callable[[int, float, Points], object]
"""Called after each iteration with its number, the loss and the coordinates; True stops."""


@dataclass(frozen=True)
class Result:
    """Where a solver ended.

    Attributes
    ----------
    points : ndarray of shape (n_objects, n_components)
        The coordinates found.
    value : float
        The objective there.
    history : ndarray of shape (n_iter + 1,)
        The objective at the start and after each iteration.
    converged : bool
        False if the iterations ran out, or no way down was found where the loss is not flat.
    """

    points: Points
    value: float
    history: NDArray[np.float64]
    converged: bool

    @property
    def n_iter(self) -> int:
        """Number of iterations."""
        return len(self.history) - 1

"""Stop a stochastic fit when held-out triples no longer gain from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordinate.engine.cpu import Points

_CHECKS = 20
"""How often a map is looked at during a fit."""
_PATIENCE = 5
"""Checks without a gain after which the fit ends."""


class EarlyStopping:
    """Watches the accuracy on held-out triples and remembers the best map.

    Parameters
    ----------
    rows : ndarray of uint32, shape (n_triples, 3), or None
        Held-out triples (anchor, near, far); without them nothing is watched.
    n_rounds : int
        Rounds of the whole fit, in which the map is looked at `_CHECKS` times.

    Attributes
    ----------
    scores : list of float
        Accuracy at each check.
    best : ndarray of shape (n_objects, n_components) or None
        The map that had the highest.
    """

    def __init__(self, rows: NDArray[np.uint32] | None, n_rounds: int) -> None:
        self._rows = rows
        self._every = max(n_rounds // _CHECKS, 1)
        self.scores: list[float] = []
        self.best: Points | None = None

    def __call__(self, number: int, points: Points) -> bool:
        """Look at the map after round `number`; return whether to stop."""
        if self._rows is None or number % self._every:
            return False
        anchor, near, far = (points[column] for column in self._rows.T)
        nearer = np.square(anchor - near).sum(axis=1) < np.square(anchor - far).sum(axis=1)
        self.scores.append(float(nearer.mean()))
        best_at = int(np.argmax(self.scores))
        if best_at == len(self.scores) - 1:
            self.best = points.copy()
        return len(self.scores) - 1 - best_at >= _PATIENCE

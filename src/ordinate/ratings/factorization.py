"""Stochastic steps of a factorisation by pairwise ranking."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ordinate.engine.cpu import Points


class PairwiseRanking:
    """Climbs the log-posterior of Bayesian personalised ranking, one triple after the other.

    A triple (anchor, better, worse) has the probability 1 / (1 + exp(−Δ)), where Δ is the
    difference of the anchor's inner products with the two others.

    Parameters
    ----------
    penalty : float
        Each triple adds −(penalty / 2)‖·‖² for each of its three vectors.
    """

    def __init__(self, penalty: float) -> None:
        self._penalty = penalty

    def __call__(self, points: Points, rows: NDArray[np.uint32], rate: float) -> None:
        """Take a step for each row, moving `points` in place."""
        _climb(points, rows, rate, self._penalty)


@njit(nogil=True, cache=True, error_model="numpy")
def _climb(points: Any, rows: Any, rate: float, penalty: float) -> None:
    keep = 1.0 - rate * penalty
    for r in range(len(rows)):
        a, i, j = rows[r, 0], rows[r, 1], rows[r, 2]
        lead = 0.0
        for s in range(points.shape[1]):
            lead += points[a, s] * (points[i, s] - points[j, s])
        pull = rate / (1.0 + np.exp(lead))
        for s in range(points.shape[1]):
            anchor, better, worse = points[a, s], points[i, s], points[j, s]
            points[a, s] = keep * anchor + pull * (better - worse)
            points[i, s] = keep * better + pull * anchor
            points[j, s] = keep * worse - pull * anchor

"""Majorisation: replace the loss by a quadratic above it and step towards its minimum."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ordinate._arrays import Points
from ordinate.solvers.stopping import Callback, Result, StoppingRule

_ROUNDING = 1e-12
"""Relative rise of a loss that adding its terms up explains."""


def majorize(
    improve: Callable[[Points], tuple[float, Points]],
    start: Points,
    *,
    max_iter: int,
    tol: float,
    floor: float = 0.0,
    callback: Callback | None = None,
) -> Result:
    """Minimise a function by repeatedly improving on a quadratic that majorises it."""
    rule = StoppingRule(tol, floor, callback)
    points = start
    value, better = improve(points)
    rule.begin(value)
    converged = value <= floor
    while not converged and len(rule.history) <= max_iter:
        new_value, new_better = improve(better)
        if new_value > value:
            # Above rounding only distances of zero, where no majoriser exists, raise the loss.
            converged = new_value - value <= _ROUNDING * value
            break
        points, value, better = better, new_value, new_better
        converged = rule.ends(value, points)
    return Result(points, value, np.array(rule.history), converged)

"""Majorisation: replace the loss by a quadratic above it and step towards its minimum."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ordinate.solvers.stopping import Callback, Points, Result, StoppingRule

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
    """Minimise a function by repeatedly improving on a quadratic that majorises it.

    Parameters
    ----------
    improve : callable
        Takes coordinates; returns the loss there and coordinates at which the majorising
        quadratic, which touches the loss there, is lower.
    start : ndarray of shape (n_objects, n_components)
        Where to begin.
    max_iter : int
        Most iterations.
    tol : float
        Relative decrease over the last iterations below which the run has converged.
    floor : float
        A value of the loss that is as good as zero; reaching it ends the run.
    callback : callable, optional
        Called with iteration, loss and coordinates; ends the run by returning True.

    Returns
    -------
    Result
        The coordinates found and how it went; the loss never rises.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.solvers.majorize import majorize
    >>> result = majorize(
    ...     lambda x: (float(np.sum(x**2)), x / 2), np.ones((3, 2)), max_iter=9, tol=1e-9, floor=0.1
    ... )
    >>> result.history
    array([6.     , 1.5    , 0.375  , 0.09375])
    """
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

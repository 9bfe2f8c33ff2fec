"""Projected gradient descent with a line search."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ordinate.solvers.stopping import Callback, Function, Points, Result, StoppingRule

_GROWTH = 2.0
_SHRINKAGE = 0.5
_SUFFICIENT = 1e-4
_MOST_TRIALS = 60


def projected_gradient(
    objective: Function,
    project: Callable[[Points], Points],
    start: Points,
    *,
    max_iter: int,
    tol: float,
    floor: float = 0.0,
    step: float = 1.0,
    callback: Callback | None = None,
) -> Result:
    """Minimise over a set that has a projection: step along the gradient, project, look.

    A step is taken if it lowers the objective by a share of what its length promises, and is
    halved otherwise; the next one begins twice as long. The set need not be convex.

    Parameters
    ----------
    objective : callable
        Takes a point, returns value and gradient.
    project : callable
        Returns the nearest point of the set.
    start : ndarray
        A point of the set.
    max_iter : int
        Most iterations.
    tol : float
        Relative decrease over ten iterations below which the run has converged.
    floor : float, default=0.0
        A value of the objective that is as good as zero; reaching it ends the run.
    step : float, default=1.0
        Length of the first step that is tried.
    callback : callable, optional
        Called with iteration, objective and point; ends the run by returning True.

    Returns
    -------
    Result
        The point found and how it went.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.gram.projected_gradient import projected_gradient
    >>> result = projected_gradient(
    ...     lambda x: (float(np.sum((x - 2) ** 2)), 2 * (x - 2)),
    ...     lambda x: np.clip(x, 0, 1),
    ...     np.zeros((2, 1)),
    ...     max_iter=50,
    ...     tol=1e-9,
    ... )
    >>> result.converged, result.points.ravel()
    (True, array([1., 1.]))
    """
    point = start
    value, gradient = objective(point)
    rule = StoppingRule(tol, floor, callback)
    rule.begin(value)
    converged = False
    for _ in range(max_iter):
        for _ in range(_MOST_TRIALS):
            trial = project(point - step * gradient)
            trial_value, trial_gradient = objective(trial)
            promised = np.sum(np.square(trial - point)) / step
            if trial_value <= value - _SUFFICIENT * promised:
                break
            step *= _SHRINKAGE
        else:
            converged = True  # no direction of the gradient leads down any more
            break
        point, value, gradient = trial, trial_value, trial_gradient
        step *= _GROWTH
        converged = rule.ends(value, point)
        if converged:
            break
    return Result(point, value, np.array(rule.history), converged)

"""Steepest descent with a step that is halved until the loss falls enough."""

from __future__ import annotations

import numpy as np

from ordinate.solvers.stopping import Callback, Function, Points, Result, StoppingRule

_FIRST_STEP = 0.5
_SUFFICIENT = 0.5
"""Share of the decrease promised by the gradient that a step must achieve."""
_MOST_HALVINGS = 60


def steepest(
    objective: Function,
    start: Points,
    *,
    max_iter: int,
    tol: float,
    floor: float = 0.0,
    callback: Callback | None = None,
) -> Result:
    """Minimise a smooth function along its negative gradient.

    Each iteration tries the steps 1/2, 1/4, … until the loss falls by half of what the gradient
    promises.

    Parameters
    ----------
    objective : callable
        Takes coordinates, returns value and gradient.
    start : ndarray of shape (n_objects, n_components)
        Where to begin.
    max_iter : int
        Most iterations.
    tol : float
        Relative decrease over the last iterations below which the run has converged.
    floor : float, default=0.0
        A value of the objective that is as good as zero; reaching it ends the run.
    callback : callable, optional
        Called with iteration, loss and coordinates; ends the run by returning True.

    Returns
    -------
    Result
        The coordinates found and how it went.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.graphs.steepest_descent import steepest
    >>> result = steepest(
    ...     lambda x: (float(np.sum(x**2)), 2 * x), np.ones((3, 2)), max_iter=50, tol=1e-9
    ... )
    >>> result.n_iter, result.value
    (1, 0.0)
    """
    rule = StoppingRule(tol, floor, callback)
    points = start
    value, gradient = objective(points)
    rule.begin(value)
    converged = value <= floor
    while not converged and len(rule.history) <= max_iter:
        slope = float(np.sum(gradient**2))
        step = _FIRST_STEP
        for _ in range(_MOST_HALVINGS):
            trial = points - step * gradient
            new_value, new_gradient = objective(trial)
            if new_value < value and new_value <= value - _SUFFICIENT * step * slope:
                break
            step /= 2
        else:  # not even a tiny step goes down
            converged = rule.is_flat(points, gradient)
            break
        points, value, gradient = trial, new_value, new_gradient
        converged = rule.ends(value, points)
    return Result(points, value, np.array(rule.history), converged)

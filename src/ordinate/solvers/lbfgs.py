"""Limited-memory BFGS, stopped by a rule that does not depend on the scale of the loss."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ordinate._threads import one_blas_thread
from ordinate.solvers.result import Callback, Objective, Points, Result
from ordinate.solvers.stopping import Watch


def lbfgs(
    objective: Objective,
    start: Points,
    *,
    max_iter: int,
    tol: float,
    floor: float = 0.0,
    callback: Callback | None = None,
) -> Result:
    """Minimise a smooth function with SciPy's L-BFGS-B.

    SciPy's own tests compare the decrease and the gradient with absolute numbers, so that the
    result would depend on whether the loss is summed or averaged. Here the iteration ends when
    ten iterations together lowered the loss by less than `tol` times itself.

    Parameters
    ----------
    objective : callable
        Takes coordinates, returns value and gradient.
    start : ndarray of shape (n_objects, n_components)
        Where to begin.
    max_iter : int
        Most iterations.
    tol : float
        Relative decrease over ten iterations below which the run has converged.
    floor : float
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
    >>> from ordinate.solvers.lbfgs import lbfgs
    >>> result = lbfgs(
    ...     lambda x: (float(np.sum(x**2)), 2 * x), np.ones((3, 2)), max_iter=50, tol=1e-9
    ... )
    >>> result.converged, round(result.value, 6)
    (True, 0.0)
    """
    shape = start.shape
    watch = Watch(tol, floor, callback)
    stopped = False

    def flat(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        value, gradient = objective(x.reshape(shape))
        if not watch.history:
            watch.begin(value)
        return value, gradient.ravel()

    def after_iteration(intermediate_result: object) -> None:
        nonlocal stopped
        value, x = intermediate_result.fun, intermediate_result.x  # type: ignore[attr-defined]
        stopped = watch.ends(float(value), x.reshape(shape))
        if stopped:
            raise StopIteration

    with one_blas_thread():
        found = minimize(
            flat,
            start.ravel(),
            jac=True,
            method="L-BFGS-B",
            callback=after_iteration,
            options={"maxiter": max_iter, "maxfun": 20 * max_iter, "ftol": 0.0, "gtol": 0.0},
        )
    # Without a stop of ours SciPy ended for want of progress (0, 2) or of iterations (1).
    converged = stopped or found.status != 1
    return Result(found.x.reshape(shape), float(found.fun), np.array(watch.history), converged)

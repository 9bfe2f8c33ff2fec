"""Limited-memory BFGS from one start or several, stopped by a rule free of the loss's scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ordinate._threads import one_blas_thread
from ordinate.solvers.bounded_size import BatchFunction, BoundedSize, penalized
from ordinate.solvers.stopping import Callback, Function, Points, Result, StoppingRule

if TYPE_CHECKING:
    from ordinate.engine.objective import Objective
    from ordinate.engine.torch_objective import TorchObjective

_CONVERGED, _ABNORMAL = 0, 2
"""SciPy's words for a loss that cannot fall by one more bit, and for a failed line search."""


def lbfgs(
    objective: Function,
    start: Points,
    *,
    max_iter: int,
    tol: float,
    floor: float = 0.0,
    callback: Callback | None = None,
) -> Result:
    """Minimise a smooth function with SciPy's L-BFGS-B.

    SciPy's own tests compare the decrease and the gradient with absolute numbers, so that the
    result would depend on whether the loss is summed or averaged. Here the rule of
    `stopping.StoppingRule` ends a run. Where SciPy's line search fails, as it does at kinks, the
    run goes on with that of `batch_lbfgs`; if that fails, too, it has converged only if the loss
    is flat.

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
    rule = StoppingRule(tol, floor, callback)
    stopped = False

    def flat(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        value, gradient = objective(x.reshape(shape))
        if not rule.history:
            rule.begin(value)
        return value, gradient.ravel()

    def after_iteration(intermediate_result: object) -> None:
        nonlocal stopped
        value, x = intermediate_result.fun, intermediate_result.x  # type: ignore[attr-defined]
        stopped = rule.ends(float(value), x.reshape(shape))
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
        points = found.x.reshape(shape)
        if found.status == _ABNORMAL and found.nit < max_iter:
            return _past_a_kink(objective, points, rule, max_iter)
    converged = stopped or found.status == _CONVERGED
    return Result(points, float(found.fun), np.array(rule.history), converged)


def _past_a_kink(
    objective: Function, points: Points, before: StoppingRule, max_iter: int
) -> Result:
    """Go on with a line search that needs no continuous derivative."""
    from ordinate.solvers.batch_lbfgs import batch_lbfgs

    n_before = len(before.history) - 1
    callback = before.callback

    def together(batch: Points) -> tuple[NDArray[np.float64], Points]:
        value, gradient = objective(batch[0])
        return np.array([value]), gradient[None]

    (rest,) = batch_lbfgs(
        together,
        points[None],
        max_iter=max_iter - n_before,
        tol=before.tol,
        floor=before.floor,
        callback=callback and (lambda number, *seen: callback(n_before + number, *seen)),
    )
    return replace(rest, history=np.concatenate([before.history, rest.history[1:]]))


def lbfgs_from(
    objective: Objective,
    starts: Sequence[Points],
    *,
    radius: float = np.inf,
    penalty: float = 0.0,
    callback: Callback | None = None,
    **settings: Any,
) -> list[Result]:
    """Minimise from each start, where the objective is computed.

    Parameters
    ----------
    objective : Objective
        A loss and its gradient, summed by any engine.
    starts : sequence of ndarray of shape (n_objects, n_components)
        Where to begin.
    radius : float
        Largest root mean square of the objects' distances to their centre.
    penalty : float
        Weight of the sum of squared coordinates, which is added to the objective.
    callback : callable, optional
        Called with iteration, loss and coordinates; ends a run by returning True.
    **settings
        `max_iter`, `tol` and `floor` of `lbfgs`.

    Returns
    -------
    list of Result
        One for each start.

    Examples
    --------
    >>> import numpy as np, ordinate as od
    >>> from ordinate.engine.objective import make_objective
    >>> from ordinate.solvers.lbfgs import lbfgs_from
    >>> objective = make_objective(od.Comparisons([[0, 1, 2]]), od.losses.soe, [1.0])
    >>> start = np.array([[0.0], [1.0], [1.5]])
    >>> [round(result.value, 6) for result in lbfgs_from(objective, [start], max_iter=9, tol=0.0)]
    [0.0]
    """
    if np.isinf(radius):
        return _minimize(objective, partial(penalized, penalty), starts, callback, settings)
    bound = BoundedSize(radius)
    seen: Callback | None = None
    if callback is not None:

        def seen(number: int, value: float, points: Points) -> object:
            return callback(number, value, bound.inside(points))

    def around(function: BatchFunction) -> BatchFunction:
        return bound.around(penalized(penalty, function))

    found = _minimize(objective, around, starts, seen, settings)
    return [replace(result, points=bound.inside(result.points)) for result in found]


def _minimize(
    objective: Objective,
    around: Any,
    starts: Sequence[Points],
    callback: Callback | None,
    settings: dict[str, Any],
) -> list[Result]:
    """Minimise what `around` makes of the objective."""
    settings = {**settings, "callback": callback}
    if not objective.is_batched:
        return [lbfgs(around(objective), start, **settings) for start in starts]
    from ordinate.solvers.batch_lbfgs import batch_lbfgs

    engine = cast("TorchObjective", objective)
    return [
        result
        for batch in engine.batches(starts)
        for result in batch_lbfgs(around(engine.evaluate), batch, **settings)
    ]

"""Limited-memory BFGS from one start or several, stopped by a rule free of the loss's scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, minimize

from ordinate._arrays import Points
from ordinate._threads import one_blas_thread
from ordinate.solvers.bounded_size import BatchFunction, BoundedSize, penalized
from ordinate.solvers.stopping import Function, Result, Rules, StoppingRule

if TYPE_CHECKING:
    from ordinate.engine.objective import Objective
    from ordinate.engine.torch_objective import TorchObjective

_NO_GAIN, _ABNORMAL = 0, 2
"""SciPy's words for a loss that did not fall by one more bit, and for a failed line search."""


def lbfgs(
    objective: Function, start: Points, *, minimum: float = -np.inf, **rules: Unpack[Rules]
) -> Result:
    """Minimise a smooth function with SciPy's L-BFGS-B, all coordinates at least `minimum`.

    SciPy's own tests compare the decrease and the gradient with absolute numbers, so that the
    result would depend on whether the loss is summed or averaged. Here the rule of
    `stopping.StoppingRule` ends a run. Where SciPy's line search fails or gains nothing though the
    gradient is large, as it does at kinks, the run goes on with `batch_lbfgs`, which finds a way
    along them or shows that there is none.
    """
    shape, max_iter = start.shape, rules["max_iter"]
    rule = StoppingRule(**rules)
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
            bounds=None if np.isinf(minimum) else Bounds(minimum),
            options={"maxiter": max_iter, "maxfun": 20 * max_iter, "ftol": 0.0, "gtol": 0.0},
        )
        points = found.x.reshape(shape)
        if not stopped and found.status in (_NO_GAIN, _ABNORMAL):
            # between bounds there is no kink: a step fails where rounding hides the way down
            is_flat = found.status == _NO_GAIN and rule.is_flat(found.x, found.jac)
            stopped = is_flat or not np.isinf(minimum)
            if not stopped and found.nit < max_iter:
                return _past_a_kink(objective, points, rule, max_iter)
    return Result(points, float(found.fun), np.array(rule.history), stopped)


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
    **rules: Unpack[Rules],
) -> list[Result]:
    """Minimise from each start, where the objective is computed."""
    if np.isinf(radius):
        return _minimize(objective, partial(penalized, penalty), starts, rules)
    bound = BoundedSize(radius)
    callback = rules.get("callback")
    if callback is not None:
        rules["callback"] = lambda number, value, points: callback(
            number, value, bound.inside(points)
        )

    def around(function: BatchFunction) -> BatchFunction:
        return bound.around(penalized(penalty, function))

    found = _minimize(objective, around, starts, rules)
    return [replace(result, points=bound.inside(result.points)) for result in found]


def _minimize(
    objective: Objective, around: Any, starts: Sequence[Points], rules: Rules
) -> list[Result]:
    """Minimise what `around` makes of the objective."""
    if not objective.is_batched:
        return [lbfgs(around(objective), start, **rules) for start in starts]
    from ordinate.solvers.batch_lbfgs import batch_lbfgs

    engine = cast("TorchObjective", objective)
    return [
        result
        for batch in engine.batches(starts)
        for result in batch_lbfgs(around(engine.evaluate), batch, **rules)
    ]

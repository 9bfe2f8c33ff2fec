"""L-BFGS from several starts: one after the other on CPUs, together on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ordinate.engine.objective import Objective
from ordinate.solvers.bounded_size import BoundedSize
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.result import Callback, Points, Result

if TYPE_CHECKING:
    from ordinate.engine.torch_objective import TorchObjective


def lbfgs_from(
    objective: Objective,
    starts: Sequence[Points],
    *,
    radius: float = np.inf,
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
    >>> from ordinate.solvers.multistart import lbfgs_from
    >>> objective = make_objective(od.Comparisons([[0, 1, 2]]), od.losses.soe, [1.0])
    >>> start = np.array([[0.0], [1.0], [1.5]])
    >>> [round(result.value, 6) for result in lbfgs_from(objective, [start], max_iter=9, tol=0.0)]
    [0.0]
    """
    if np.isinf(radius):
        return _minimize(objective, lambda function: function, starts, callback, settings)
    bound = BoundedSize(radius)
    seen: Callback | None = None
    if callback is not None:

        def seen(number: int, value: float, points: Points) -> object:
            return callback(number, value, bound.inside(points))

    found = _minimize(objective, bound.around, starts, seen, settings)
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

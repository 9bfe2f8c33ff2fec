"""L-BFGS from several starts: one after the other on CPUs, together on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from ordinate.engine.objective import Objective
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.result import Points, Result

if TYPE_CHECKING:
    from ordinate.engine.torch_objective import TorchObjective


def lbfgs_from(objective: Objective, starts: Sequence[Points], **settings: Any) -> list[Result]:
    """Minimise from each start, where the objective is computed.

    Parameters
    ----------
    objective : Objective
        A loss and its gradient, summed by any engine.
    starts : sequence of ndarray of shape (n_objects, n_components)
        Where to begin.
    **settings
        `max_iter`, `tol`, `floor` and `callback` of `lbfgs`.

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
    if not objective.is_batched:
        return [lbfgs(objective, start, **settings) for start in starts]
    from ordinate.solvers.device_lbfgs import device_lbfgs

    engine = cast("TorchObjective", objective)
    return [
        result
        for batch in engine.batches(starts)
        for result in device_lbfgs(engine.evaluate, batch, **settings)
    ]

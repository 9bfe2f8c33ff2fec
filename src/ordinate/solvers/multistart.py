"""L-BFGS from several starts: one after the other on CPUs, together on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ordinate.engine.torch_objective import TorchObjective
from ordinate.solvers.device_lbfgs import device_lbfgs
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.result import Objective, Points, Result


def lbfgs_from(
    objective: Objective | TorchObjective, starts: Sequence[Points], **settings: Any
) -> list[Result]:
    """Minimise from each start, where the objective is computed.

    Parameters
    ----------
    objective : callable
        Takes coordinates, returns value and gradient; a `TorchObjective` does so for many at once.
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
    >>> import numpy as np
    >>> from ordinate.solvers.multistart import lbfgs_from
    >>> results = lbfgs_from(
    ...     lambda x: (float(np.sum(x**2)), 2 * x), [np.ones((3, 2))], max_iter=50, tol=1e-9
    ... )
    >>> [round(result.value, 6) for result in results]
    [0.0]
    """
    if not isinstance(objective, TorchObjective):
        return [lbfgs(objective, start, **settings) for start in starts]
    results = []
    for batch in objective.batches(starts):
        results += device_lbfgs(objective.evaluate, batch, **settings)
    return results

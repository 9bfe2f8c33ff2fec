"""Soft ordinal embedding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ordinate import losses
from ordinate._checks import InputError, check_choice, check_real
from ordinate.comparisons.partitions import Record
from ordinate.comparisons.record import as_comparisons
from ordinate.engine.objective import Objective
from ordinate.solvers.stopping import Callback, Points, Result
from ordinate.triplets.embedding import EmbeddingEstimator, document_parameters


@document_parameters
@dataclass(eq=False, repr=False, kw_only=True)
class SOE(EmbeddingEstimator):
    """Soft ordinal embedding: squared hinge on distances, Σ max(0, d_near + δ − d_far)².

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    delta : float, default=1.0
        By how much far distances should exceed near ones; it only sets the scale of the map.
    solver : {"lbfgs", "majorize"}, default="lbfgs"
        L-BFGS, or the paper's majorisation, which never raises the loss and is much slower.
    {shared}

    References
    ----------
    Terada & von Luxburg, Local Ordinal Embedding, ICML 2014.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> train, test = answers.train_test_split(test_size=0.2, random_state=0)
    >>> model = od.SOE(n_components=2, random_state=0).fit(train)
    >>> model.embedding_.shape == (answers.n_objects, 2)
    True
    >>> model.score(test) > 0.85
    True
    """

    delta: float = 1.0
    solver: str = "lbfgs"

    def _loss(self) -> tuple[losses.Loss, Sequence[float]]:
        return losses.soe, [check_real("delta", self.delta, minimum=0, open_minimum=True)]

    def _solve(
        self,
        comparisons: Record,
        objective: Objective,
        starts: Sequence[Points],
        callback: Callback | None,
    ) -> list[Result]:
        if check_choice("solver", self.solver, ("lbfgs", "majorize")) == "lbfgs":
            return super()._solve(comparisons, objective, starts, callback)
        if self.device != "cpu":
            raise InputError(
                f'solver="majorize" runs on the CPU; got device={self.device!r}. Choose'
                ' device="cpu" or solver="lbfgs".'
            )
        from ordinate.solvers.majorize import majorize
        from ordinate.triplets.majorizer import soe_majorizer

        floor = self.tol * objective(np.zeros_like(starts[0]))[0]
        improve = soe_majorizer(as_comparisons(comparisons), self.delta)
        run = partial(majorize, improve, max_iter=self.max_iter, tol=self.tol, floor=floor)
        return [run(start, callback=callback) for start in starts]

"""GNMDS, STE, t-STE and DMOE over Gram matrices of bounded rank."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from ordinate import losses
from ordinate._arrays import Points
from ordinate._checks import check_choice, check_real
from ordinate._progress import progress
from ordinate._random import as_generator
from ordinate.comparisons.record import Comparisons
from ordinate.engine.likelihoods import degrees_of_freedom
from ordinate.gram.base import GramEstimator, largest_eigenvalue
from ordinate.gram.dmoe import margin_loss
from ordinate.gram.hinge import HingeProblem, HingeResult
from ordinate.gram.objective import Gram, GramObjective, project_psd
from ordinate.gram.penalty import search_penalty
from ordinate.solvers.stopping import Callback, Function, Result, Rules, StoppingRule, descend

_GROWTH = 2.0
_SHRINKAGE = 0.5
_SUFFICIENT = 1e-4
_MOST_TRIALS = 60
LOSSES: dict[str, losses.Loss] = {
    "gnmds": losses.gnmds,
    "ste": losses.ste,
    "tste": losses.tste,
    "dmoe": margin_loss,
}
_WITH_KINKS = ("gnmds", "dmoe")
_SEARCH_TOL = 1e-2
"""Tolerance while penalties are compared; their errors differ by far more."""

_RANDOM_STARTS = 5
"""Places to begin, beside the optimum without a bound on the rank; on 20 small problems the
best of them was within 0.06 % of the best of 30."""


@dataclass(eq=False, repr=False, kw_only=True)
class GramEmbedding(GramEstimator):
    """A loss minimised over Gram matrices of bounded rank: GNMDS-p, STE-p, t-STE-p, DMOE-p.

    The smooth losses by projected gradient descent with line search: a step along the symmetric
    gradient in G, then the nearest positive semidefinite matrix of rank `n_components`, which
    keeps the largest eigenvalues that are positive. It starts from zero. GNMDS and DMOE have
    kinks at which such steps get stuck. They are solved by alternating directions without the
    bound on the rank, up to a proof of optimality; from there and from five random places with
    the bound, by L-BFGS on losses whose kinks are rounded off less and less.

    Parameters
    ----------
    n_components : int, default=2
        Rank of the Gram matrix and dimension of the embedding.
    loss : {"gnmds", "ste", "tste", "dmoe"}, default="gnmds"
        Hinge, logistic loss, logistic loss with Student tails, or the two-sided hinge of `DMOE`,
        which pulls every margin towards 1.
    alpha : float, optional
        Degrees of freedom of t-STE, positive; by default max(n_components − 1, 1).
    nu : float, default=1.0
        For `loss="dmoe"`, from 0 to 1: what a margin beyond 1 costs, beside one that falls short.
        With 0 the loss is that of GNMDS.
    penalty : float, optional
        The weight ≥ 0 of the trace, beside the sum over answers. By default chosen by five-fold
        cross-validation over the answers given to `fit`.
    max_iter : int, default=2000
        Most iterations of the solver.
    tol : float, default=1e-4
        The fit has converged when ten iterations together lower the objective by less than
        `tol` times itself, or when it is below `tol` times that of a matrix of zeros; with GNMDS
        and DMOE, when the objective is proved to be within `tol` of the optimum or, if the bound on
        the rank matters, within `tol` of a local one.
    random_state : int, Generator or None, default=None
        Seed of the folds of the cross-validation, and of the random places to begin.
    n_jobs : int or None, default=-1
        Folds at the same time, as in joblib: -1 for all cores, None for one.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    gram_ : ndarray of shape (n_objects, n_objects)
        The learned matrix, positive semidefinite and of rank `n_components` at most.
    embedding_ : ndarray of shape (n_objects, n_components)
        Coordinates, centred.
    names_ : tuple of str or None
        The objects' names, if the comparisons had any.
    penalty_ : float
        The weight of the trace that was used.
    search_ : PenaltySearch or None
        Strengths and held-out errors of the cross-validation, if there was one.
    loss_ : float
        The objective at `gram_`.
    n_iter_ : int
        Iterations of the solver.
    history_ : ndarray of shape (n_iterations + 1,)
        The objective at the start and after each iteration; with GNMDS and DMOE, first without
        the bound on the rank.
    converged_ : bool
        Whether the fit converged; if not, it has warned.
    classes_ : ndarray of shape (2,)
        Labels of false and of true rows.

    See Also
    --------
    DMOE : A convex problem, solved to the global optimum.
    PosteriorGram : For few answers.

    References
    ----------
    Jain, Jamieson & Nowak, Finite Sample Prediction and Recovery Bounds for Ordinal Embedding,
    NIPS 2016. Ma, Xu, Yang & Cao, Less but Better: Generalization Enhancement of Ordinal Embedding
    via Distributional Margin, AAAI 2019, equation (15), which is `loss="dmoe"`.

    Examples
    --------
    >>> import ordinate as od
    >>> points = od.datasets.load_cities().points[:30]
    >>> train = od.sources.random_triplets(points, 400, random_state=0)
    >>> model = od.GramEmbedding(n_components=2, loss="ste", penalty=1.0).fit(train)
    >>> bool(model.score(od.sources.all_triplets(points)) > 0.85)
    True
    """

    loss: str = "gnmds"
    alpha: float | None = None
    nu: float = 1.0
    penalty: float | None = None

    def _learn(self, comparisons: Comparisons) -> Gram:
        if self.penalty is not None:
            check_real("penalty", self.penalty, minimum=0)
        objective = self._objective(comparisons)
        self.search_ = None
        if self.penalty is None:
            self.search_ = search_penalty(
                comparisons, self._path, as_generator(self.random_state), n_jobs=self.n_jobs
            )
            self.penalty_ = self.search_.best * _smallest_void_penalty(objective)
        else:
            self.penalty_ = float(self.penalty)
        with progress("GramEmbedding", total=self.max_iter, enabled=self.verbose) as advance:

            def shown(number: int, value: float, gram: Gram) -> None:
                advance(1, note=f"loss {value:.6g}")

            if self.loss in _WITH_KINKS:
                result = self._solve_hinge(comparisons, shown)
            else:
                start = np.zeros((comparisons.n_objects, comparisons.n_objects))
                result = self._solve(objective, self.penalty_, start, callback=shown)
        self.loss_, self.n_iter_, self.history_ = result.value, result.n_iter, result.history
        self._warn_if_short(result.converged, f"loss {result.value:.6g}")
        return result.points

    def _solve_hinge(self, comparisons: Comparisons, callback: Callback) -> Result:
        shape = (_RANDOM_STARTS, comparisons.n_objects, self.n_components)
        return (
            self._hinge_problem(comparisons)
            .solve(
                self.penalty_,
                max_iter=self.max_iter,
                tol=self.tol,
                starts=as_generator(self.random_state).standard_normal(shape),
                callback=callback,
            )
            .result
        )

    def _hinge_problem(self, comparisons: Comparisons) -> HingeProblem:
        nu = self.nu if self.loss == "dmoe" else 0.0
        return HingeProblem(comparisons, self.n_components, nu=nu)

    def _answer_loss(self) -> tuple[losses.Loss, Sequence[float]]:
        loss = LOSSES[check_choice("loss", self.loss, LOSSES)]
        if self.loss == "dmoe":
            return loss, (1.0, check_real("nu", self.nu, minimum=0, maximum=1), 1.0)
        if self.loss != "tste":
            return loss, ()
        alpha = degrees_of_freedom(self.n_components) if self.alpha is None else self.alpha
        return loss, [check_real("alpha", alpha, minimum=0, open_minimum=True)]

    def _objective(self, comparisons: Comparisons) -> GramObjective:
        return GramObjective(comparisons, *self._answer_loss())

    def _solve(
        self,
        objective: GramObjective,
        penalty: float,
        start: Gram,
        *,
        tol: float | None = None,
        callback: Callback | None = None,
    ) -> Result:
        diagonal = np.arange(len(start))

        def penalised(gram: Gram) -> tuple[float, Gram]:
            value, gradient = objective(gram)
            gradient[diagonal, diagonal] += penalty
            return value + penalty * float(np.trace(gram)), gradient

        tol = self.tol if tol is None else tol
        return projected_gradient(
            penalised,
            partial(project_psd, rank=self.n_components),
            start,
            max_iter=self.max_iter,
            tol=tol,
            floor=tol * objective(np.zeros_like(start))[0],
            callback=callback,
        )

    def _path(self, comparisons: Comparisons, strengths: NDArray[np.float64]) -> Iterable[Gram]:
        objective = self._objective(comparisons)
        void = _smallest_void_penalty(objective)
        tol = max(self.tol, _SEARCH_TOL)
        if self.loss in _WITH_KINKS:
            problem = self._hinge_problem(comparisons)
            found: HingeResult | None = None
            for strength in strengths:
                found = problem.solve(
                    strength * void, max_iter=self.max_iter, tol=tol, before=found
                )
                yield found.result.points
            return
        gram = np.zeros((comparisons.n_objects, comparisons.n_objects))
        for strength in strengths:
            gram = self._solve(objective, strength * void, gram, tol=tol).points
            yield gram


def _smallest_void_penalty(objective: GramObjective) -> float:
    """Return the least weight of the trace at which no step away from G = 0 pays."""
    n = objective.pairs.n_objects
    return largest_eigenvalue(-objective(np.zeros((n, n)))[1])


def projected_gradient(
    objective: Function,
    project: Callable[[Points], Points],
    start: Points,
    *,
    step: float = 1.0,
    **rules: Unpack[Rules],
) -> Result:
    """Minimise over a set that has a projection: step along the gradient, project, look.

    A step is taken if it lowers the objective by a share of what its length promises, and is
    halved otherwise; the next one begins twice as long. The set need not be convex.
    """

    def lower(
        rule: StoppingRule, point: Points, value: float, gradient: Points
    ) -> tuple[Points, float, Points] | bool:
        nonlocal step
        for _ in range(_MOST_TRIALS):
            trial = project(point - step * gradient)
            trial_value, trial_gradient = objective(trial)
            promised = np.sum(np.square(trial - point)) / step
            if trial_value <= value - _SUFFICIENT * promised:
                step *= _GROWTH
                return trial, trial_value, trial_gradient
            step *= _SHRINKAGE
        return True  # no direction of the gradient leads down any more

    return descend(objective, start, lower, **rules)

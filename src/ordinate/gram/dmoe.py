"""Distributional margin based ordinal embedding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError, check_real
from ordinate._progress import progress
from ordinate._random import as_generator
from ordinate.comparisons.record import Comparisons
from ordinate.gram.admm import ADMMResult, Progress, Proximal, admm
from ordinate.gram.base import GramEstimator, largest_eigenvalue
from ordinate.gram.objective import Gram, MarginOperator, Vector
from ordinate.gram.penalty import search_penalty

_SEARCH_TOL = 1e-2
"""Tolerance while penalties are compared; their errors differ by far more."""


@dataclass(eq=False, repr=False, kw_only=True)
class DMOE(GramEstimator):
    """Distributional margin embedding: margins pulled towards one value, few dimensions.

    With m = d_far² − d_near² for the margin of an answer, it solves the convex problem

        min over positive semidefinite G of  Σ (γ − m)₊^q + ν (m − γ)₊^q + λ tr G

    to the global optimum. With ν = 0 it is GNMDS in its convex form.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, which is read off the learned matrix.
    nu : float, default=1.0
        From 0 to 1: what a margin beyond γ costs, beside one that falls short.
    power : {1, 2}, default=1
        The exponent q of the loss.
    penalty : float, optional
        The weight λ > 0 of the trace, beside the sum over answers. By default chosen by five-fold
        cross-validation over the answers given to `fit`.
    margin : float, default=1.0
        The margin γ > 0 that is aimed at. With power 1 it is only the scale of the result.
    max_iter : int, default=2000
        Most iterations of the solver.
    tol : float, default=1e-5
        The fit has converged when the relative primal and dual residuals are both below `tol`.
        The default brings the objective within about 1e-4 of the optimum, relatively.
    random_state : int, Generator or None, default=None
        Seed of the folds of the cross-validation.
    n_jobs : int or None, default=-1
        Folds at the same time, as in joblib: -1 for all cores, None for one.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    gram_ : ndarray of shape (n_objects, n_objects)
        The learned matrix of inner products, positive semidefinite.
    embedding_ : ndarray of shape (n_objects, n_components)
        Coordinates, centred: the best approximation of `gram_` of that rank.
    names_ : tuple of str or None
        The objects' names, if the comparisons had any.
    penalty_ : float
        The weight λ that was used.
    search_ : PenaltySearch or None
        Strengths and held-out errors of the cross-validation, if there was one.
    loss_ : float
        The objective at `gram_`.
    residuals_ : ndarray of shape (n_iterations, 2)
        Relative primal and dual residual of each iteration.
    n_iter_ : int
        Iterations of the solver.
    converged_ : bool
        Whether the fit converged; if not, it has warned.
    classes_ : ndarray of shape (2,)
        How a denied and a confirmed row are written.

    See Also
    --------
    GramEmbedding : Other losses, with a bound on the rank.
    PosteriorGram : For few answers.

    References
    ----------
    Ma, Xu, Yang & Cao, Less but Better: Generalization Enhancement of Ordinal Embedding via
    Distributional Margin, AAAI 2019, equations (15) and (23); the signs are those of the
    documentation page, as the printed ones contradict each other.

    Examples
    --------
    >>> import ordinate as od
    >>> points = od.datasets.load_cities().points[:30]
    >>> train = od.sources.random_triplets(points, 400, random_state=0)
    >>> model = od.DMOE(n_components=2, nu=0.1, penalty=10.0).fit(train)
    >>> bool(model.score(od.sources.all_triplets(points)) > 0.85)
    True
    >>> bool(model.residuals_[-1].max() <= model.tol)
    True
    """

    nu: float = 1.0
    power: int = 1
    penalty: float | None = None
    margin: float = 1.0
    tol: float = 1e-5

    def _learn(self, comparisons: Comparisons) -> Gram:
        self._check_parameters()
        operator = MarginOperator(comparisons)
        self.search_ = None
        if self.penalty is None:
            self.search_ = search_penalty(
                comparisons, self._path, as_generator(self.random_state), n_jobs=self.n_jobs
            )
            self.penalty_ = self.search_.best * self._smallest_void_penalty(operator, comparisons)
        else:
            self.penalty_ = float(self.penalty)
        with progress("DMOE", total=self.max_iter, enabled=self.verbose) as advance:
            result = self._solve(
                operator,
                comparisons,
                self.penalty_,
                callback=lambda _, residual, __: advance(1, note=f"residual {residual:.2g}"),
            )
        self.residuals_ = result.residuals
        self.n_iter_ = len(result.residuals)
        slack = float(self.margin) - operator.margins(result.gram)
        losses = _power_loss(slack, self.power) + self.nu * _power_loss(-slack, self.power)
        total = losses.sum() if comparisons.weights is None else comparisons.weights @ losses
        self.loss_ = float(total + self.penalty_ * np.trace(result.gram))
        primal, dual = result.residuals[-1]
        self._warn_if_short(
            result.converged, f"residuals {primal:.1g} primal, {dual:.1g} dual, tol {self.tol:g}"
        )
        return result.gram

    def _check_parameters(self) -> None:
        check_real("nu", self.nu, minimum=0, maximum=1)
        check_real("margin", self.margin, minimum=0, open_minimum=True)
        check_real("tol", self.tol, minimum=0, open_minimum=True)
        if self.penalty is not None:
            check_real("penalty", self.penalty, minimum=0, open_minimum=True)
        if isinstance(self.power, bool) or self.power not in (1, 2):
            raise InputError(f"power must be 1 or 2; got {self.power!r}.")

    def _solve(
        self,
        operator: MarginOperator,
        comparisons: Comparisons,
        penalty: float,
        *,
        tol: float | None = None,
        start: ADMMResult | None = None,
        callback: Progress | None = None,
    ) -> ADMMResult:
        return admm(
            operator,
            two_sided_proximal(self.power, self.nu, comparisons.weights),
            margin=float(self.margin),
            penalty=penalty,
            max_iter=self.max_iter,
            tol=self.tol if tol is None else tol,
            start=start,
            callback=callback,
        )

    def _path(self, comparisons: Comparisons, strengths: NDArray[np.float64]) -> Iterable[Gram]:
        operator = MarginOperator(comparisons)
        void = self._smallest_void_penalty(operator, comparisons)
        result = None
        for strength in strengths:
            result = self._solve(
                operator,
                comparisons,
                max(strength * void, np.finfo(float).tiny),
                tol=max(self.tol, _SEARCH_TOL),
                start=result,
            )
            yield result.gram

    def _smallest_void_penalty(self, operator: MarginOperator, comparisons: Comparisons) -> float:
        """Return the least λ whose optimum is G = 0: the loss's steepest descent there."""
        pull = np.zeros((operator.n_objects, operator.n_objects))
        weights = comparisons.weights
        operator.add_adjoint(pull, np.ones(len(comparisons)) if weights is None else weights)
        return self.power * self.margin ** (self.power - 1) * largest_eigenvalue(pull)


def two_sided_proximal(power: int, nu: float, weights: Vector | None = None) -> Proximal:
    """Return the proximal map of Σ w (e₊^power + ν (−e)₊^power).

    Parameters
    ----------
    power : {1, 2}
        The exponent.
    nu : float
        Weight of negative slacks, which are margins beyond the one aimed at.
    weights : ndarray of shape (n_comparisons,), optional
        Weights of the answers.

    Returns
    -------
    callable
        Takes slacks and a step.
    """

    def absolute(slack: Vector, step: float) -> Vector:
        short = step if weights is None else step * weights
        return np.maximum(slack - short, 0.0) + np.minimum(slack + nu * short, 0.0)

    def squared(slack: Vector, step: float) -> Vector:
        short = 2.0 * (step if weights is None else step * weights)
        return slack / (1.0 + np.where(slack > 0.0, short, nu * short))

    return absolute if power == 1 else squared


def _power_loss(slack: Vector, power: int) -> Vector:
    loss: Vector = np.maximum(slack, 0.0) ** power
    return loss

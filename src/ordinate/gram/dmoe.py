"""Distributional margin based ordinal embedding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError, check_integer, check_real, check_share
from ordinate._estimator import check_is_fitted
from ordinate._progress import progress
from ordinate._random import as_generator
from ordinate.comparisons.record import Comparisons
from ordinate.gram.admm import ADMMResult, Proximal, admm
from ordinate.gram.base import GramEstimator, largest_eigenvalue
from ordinate.gram.objective import Gram, MarginOperator, Vector
from ordinate.gram.penalty import search_penalty
from ordinate.losses import Loss, LossAndDerivatives

_SEARCH_TOL = 1e-2
"""Tolerance while penalties are compared; their errors differ by far more."""
_MOST_NEWTON_STEPS = 50
_LARGEST_WEIGHT = 1e9
"""Of the variance; beyond it all slacks are one number, and rounding decides which."""


@dataclass(eq=False, repr=False, kw_only=True)
class DMOE(GramEstimator):
    """Distributional margin embedding: margins pulled towards one value, few dimensions.

    With m = d_far² − d_near² for the margin of an answer, it solves the convex problem

        min over positive semidefinite G of  Σ (γ − m)₊^q + ν (m − γ)₊^q + λ tr G

    to the global optimum. With ν = 0 it is GNMDS in its convex form. The paper's first formulation,
    which rewards the mean of the margins and punishes their variance, adds
    −λ₁ Σ m + λ₂ Σ (m − m̄)², usually with ν = 0.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, which is read off the learned matrix.
    nu : float, default=1.0
        From 0 to 1: what a margin beyond γ costs, beside one that falls short.
    power : {1, 2}, default=1
        The exponent q of the loss.
    penalty : float, optional
        The weight λ of the trace, beside the sum over answers. By default chosen by five-fold
        cross-validation over the answers given to `fit`. With 0 many matrices may be optimal; the
        one that is reached from zero is returned.
    mean_weight, variance_weight : float, default=0.0
        The weights λ₁ and λ₂ of mean and variance of the margins, for power 1. Rewarding the mean
        alone has no optimum for a small penalty: the map would grow for ever.
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
        Labels of false and of true rows.

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
    mean_weight: float = 0.0
    variance_weight: float = 0.0
    tol: float = 1e-5

    def generalization_bound(self, n_answers: int, *, delta: float = 0.05) -> float:
        """Return the bound of the paper's Theorem 1 on the excess risk of a fit.

        Parameters
        ----------
        n_answers : int
            Number of training answers.
        delta : float, default=0.05
            The bound holds with probability 1 − `delta`.

        Returns
        -------
        float
            By how much the expected loss of the learned matrix may exceed that of the true one,
            whose largest entry is taken to be that of `gram_`. It is far above what is measured
            (:doc:`/results/dmoe`) and tells how errors fall with the number of answers.

        References
        ----------
        Ma, Xu, Yang & Cao, AAAI 2019, equation (18).
        """
        check_is_fitted(self)
        return excess_risk_bound(
            len(self.gram_),
            self.n_components,
            check_integer("n_answers", n_answers, minimum=1),
            largest=float(np.abs(self.gram_).max()),
            nu=self.nu,
            delta=check_share("delta", delta),
        )

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
            result = self._solver(operator, comparisons)(
                penalty=self.penalty_,
                tol=self.tol,
                callback=lambda _, residual, __: advance(1, note=f"residual {residual:.2g}"),
            )
        self.residuals_ = result.residuals
        self.n_iter_ = len(result.residuals)
        slack = float(self.margin) - operator.margins(result.gram)
        losses = _power_loss(slack, self.power) + self.nu * _power_loss(-slack, self.power)
        # slacks in place of margins: the mean turns its sign, the variance stays
        losses += self.mean_weight * (slack - float(self.margin))
        middle = np.average(slack, weights=comparisons.weights)
        losses += self.variance_weight * np.square(slack - middle)
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
            check_real("penalty", self.penalty, minimum=0)
        check_real("mean_weight", self.mean_weight, minimum=0)
        check_real("variance_weight", self.variance_weight, minimum=0, maximum=_LARGEST_WEIGHT)
        if isinstance(self.power, bool) or self.power not in (1, 2):
            raise InputError(f"power must be 1 or 2; got {self.power!r}.")
        if self.power == 2 and (self.mean_weight or self.variance_weight):
            raise InputError("mean_weight and variance_weight are for power 1; got power 2.")

    def _solver(
        self, operator: MarginOperator, comparisons: Comparisons
    ) -> Callable[..., ADMMResult]:
        """Return the solver of this loss, which takes a penalty and a tolerance."""
        proximal = self._proximal(comparisons.weights)
        return partial(admm, operator, proximal, margin=self.margin, max_iter=self.max_iter)

    def _proximal(self, weights: Vector | None) -> Proximal:
        if self.mean_weight == self.variance_weight == 0:
            return two_sided_proximal(self.power, self.nu, weights)
        return distribution_proximal(self.nu, self.mean_weight, self.variance_weight, weights)

    def _answer_loss(self) -> tuple[Loss, Sequence[float]]:
        return margin_loss, (float(self.margin), float(self.nu), float(self.power))

    def _path(self, comparisons: Comparisons, strengths: NDArray[np.float64]) -> Iterable[Gram]:
        operator = MarginOperator(comparisons)
        void = self._smallest_void_penalty(operator, comparisons)
        solve, tol = self._solver(operator, comparisons), max(self.tol, _SEARCH_TOL)
        result = None
        for strength in strengths:
            penalty = max(strength * void, np.finfo(float).tiny)
            result = solve(penalty=penalty, tol=tol, start=result)
            yield result.gram

    def _smallest_void_penalty(self, operator: MarginOperator, comparisons: Comparisons) -> float:
        """Return the least λ whose optimum is G = 0: the loss's steepest descent there."""
        pull = np.zeros((operator.n_objects, operator.n_objects))
        weights = comparisons.weights
        operator.add_adjoint(pull, np.ones(len(comparisons)) if weights is None else weights)
        slope = self.power * self.margin ** (self.power - 1) + self.mean_weight
        return float(slope * largest_eigenvalue(pull))


def margin_loss(
    near2: Any, far2: Any, margin: float, nu: float, power: float
) -> LossAndDerivatives:
    """Return DMOE's loss of one answer, as `ordinate.losses` has losses."""
    slack = margin - far2 + near2
    short, beyond = np.maximum(slack, 0.0), np.maximum(-slack, 0.0)
    if power == 1.0:
        slope = np.where(slack > 0.0, 1.0, -nu)
        return short + nu * beyond, slope, -slope
    slope = 2.0 * (short - nu * beyond)
    return short * short + nu * beyond * beyond, slope, -slope


def two_sided_proximal(power: int, nu: float, weights: Vector | None = None) -> Proximal:
    """Return the proximal map of Σ w (e₊^power + ν (−e)₊^power)."""

    def absolute(slack: Vector, step: float) -> Vector:
        short = step if weights is None else step * weights
        return np.maximum(slack - short, 0.0) + np.minimum(slack + nu * short, 0.0)

    def squared(slack: Vector, step: float) -> Vector:
        short = 2.0 * (step if weights is None else step * weights)
        return slack / (1.0 + np.where(slack > 0.0, short, nu * short))

    return absolute if power == 1 else squared


def distribution_proximal(
    nu: float, mean_weight: float, variance_weight: float, weights: Vector | None = None
) -> Proximal:
    """Return the proximal map of Σ w (e₊ + ν (−e)₊ + λ₁ e + λ₂ (e − ē)²).

    With the mean ē held at c, slacks separate. The mean of what comes out grows more slowly than
    c, in straight pieces, so Newton's method finds where the two agree within a few steps.
    """

    def proximal(slack: Vector, step: float) -> Vector:
        own: Any = step if weights is None else step * weights
        share = 2.0 * own * variance_weight / (1.0 + 2.0 * own * variance_weight)
        threshold = own * (1.0 - share)
        at_rest = (1.0 - share) * slack - threshold * mean_weight
        middle = float(np.average(slack, weights=weights))
        for _ in range(_MOST_NEWTON_STEPS):
            target = at_rest + share * middle
            short, beyond = target - threshold, target + nu * threshold
            found = np.maximum(short, 0.0) + np.minimum(beyond, 0.0)
            gap = float(np.average(found, weights=weights)) - middle
            moving = np.where((short > 0.0) | (beyond < 0.0), share, 0.0)
            middle += gap / (1.0 - float(np.average(moving, weights=weights)))
            if abs(gap) <= 1e-13 * (1.0 + abs(middle)):
                break
        result: Vector = found
        return result

    return proximal


def excess_risk_bound(
    n_objects: int, n_components: int, n_answers: int, *, largest: float, nu: float, delta: float
) -> float:
    """Return equation (18), with the bound `largest` on the entries of Gram matrices."""
    sampling = np.sqrt(32 * n_objects * n_components * np.log(n_objects) / n_answers)
    chance = np.sqrt(2 * np.log(2 / delta) / n_answers)
    return float(4 * largest * (1 + nu) * (sampling + 2 * chance))


def _power_loss(slack: Vector, power: int) -> Vector:
    loss: Vector = np.maximum(slack, 0.0) ** power
    return loss

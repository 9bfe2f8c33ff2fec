"""Losses with kinks over Gram matrices: they need more than steps along the gradient."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordinate.comparisons.record import Comparisons
from ordinate.gram.admm import ADMMResult, admm
from ordinate.gram.base import largest_eigenvalue
from ordinate.gram.dmoe import two_sided_proximal
from ordinate.gram.objective import Gram, GramObjective, MarginOperator, Vector, psd_factor
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.stopping import Callback, Result

_FIRST_WIDTH, _NARROWER = 1.0, 0.2
"""Width of the parabola that first replaces the kink, whose margin is 1, and of later ones."""
_LEAST_WIDTH = 1e-7


class HingeResult(NamedTuple):
    """Where a minimisation ended, and from where one with another penalty may begin."""

    result: Result
    unbounded: ADMMResult


class HingeProblem:
    """Minimise Σ w ((1 − m)₊ + ν (m − 1)₊) + penalty · tr G over psd G of bounded rank.

    m is the margin of an answer; ν = 0 is the hinge of GNMDS, ν > 0 the loss of DMOE. Without a
    bound on the rank the problem is convex: alternating directions solve it, until the loss is
    proved to be within the tolerance of the optimum. The proof is a lower bound: for any
    −νw ≤ y ≤ w with Σ y_t A_t ≤ penalty · I no matrix has a loss below Σ y. If the optimum has a
    larger rank, its nearest matrix XX' of the rank asked for is one of the places from which X is
    improved, with the kink of the loss rounded off over an ever smaller width. Rounding off
    lowers the loss, by an amount that is known at the end and must be within the tolerance, too.
    """

    def __init__(self, comparisons: Comparisons, rank: int, *, nu: float = 0.0) -> None:
        self._comparisons = comparisons
        self._rank = rank
        self._nu = nu
        self._operator = MarginOperator(comparisons)
        weights = comparisons.weights
        self._weights = np.ones(len(comparisons)) if weights is None else weights

    def solve(
        self,
        penalty: float,
        *,
        max_iter: int,
        tol: float,
        before: HingeResult | None = None,
        starts: NDArray[np.float64] | None = None,
        callback: Callback | None = None,
    ) -> HingeResult:
        """Return the best matrix found."""
        unbounded, bound, history = self._without_bound(penalty, max_iter, tol, before, callback)
        nearest = psd_factor(unbounded.gram, rank=self._rank)
        value = self._value(nearest, penalty)
        floor = tol * self._weights.sum()
        if value <= floor or value - bound <= tol * value or nearest.size == 0:
            history[-1] = value
            found = Result(nearest @ nearest.T, value, np.array(history), unbounded.converged)
            return HingeResult(found, unbounded)
        begin = [_padded(nearest, self._rank)]
        if before is not None and before.result.points.any():
            begin.append(_padded(psd_factor(before.result.points, rank=self._rank), self._rank))
        length = np.linalg.norm(nearest)
        begin += [
            start * (length / np.linalg.norm(start)) for start in (() if starts is None else starts)
        ]
        settings = {"max_iter": max_iter, "tol": tol, "floor": floor}
        results = [self._improved(start, penalty, settings, callback) for start in begin]
        best = min(results, key=lambda result: result.value)
        joined = np.concatenate([history, best.history])
        found = Result(best.points @ best.points.T, best.value, joined, best.converged)
        return HingeResult(found, unbounded)

    def _without_bound(
        self,
        penalty: float,
        max_iter: int,
        tol: float,
        before: HingeResult | None,
        callback: Callback | None,
    ) -> tuple[ADMMResult, float, list[float]]:
        """Solve the convex problem; return also a lower bound of every loss, and the losses."""
        bound, history = 0.0, [float(self._weights.sum())]

        def is_optimal(gram: Gram, multipliers: Vector) -> bool:
            nonlocal bound
            bound = max(bound, self._lower_bound(-multipliers, penalty))
            return history[-1] - bound <= tol * history[-1] or history[-1] <= tol * history[0]

        def after(number: int, _: float, gram: Gram) -> object:
            history.append(self._loss(gram) + penalty * float(np.trace(gram)))
            return callback is not None and callback(number, history[-1], gram)

        result = admm(
            self._operator,
            two_sided_proximal(1, self._nu, self._weights),
            margin=1.0,
            penalty=penalty,
            max_iter=max_iter,
            tol=tol if penalty == 0 else 0.0,  # without a penalty no multipliers prove anything
            start=None if before is None else before.unbounded,
            certificate=is_optimal,
            callback=after,
        )
        return result, bound, history

    def _lower_bound(self, multipliers: Vector, penalty: float) -> float:
        within = np.clip(multipliers, -self._nu * self._weights, self._weights)
        pull = np.zeros((self._operator.n_objects, self._operator.n_objects))
        self._operator.add_adjoint(pull, within)
        share = min(penalty / max(largest_eigenvalue(pull), 1e-300), 1.0)
        return max(float(within.sum()) * share, 0.0)

    def _loss(self, gram: Gram) -> float:
        slack = 1.0 - self._operator.margins(gram)
        return float(self._weights @ np.maximum(slack, -self._nu * slack))

    def _value(self, factor: Gram, penalty: float) -> float:
        return self._loss(factor @ factor.T) + penalty * float(np.sum(factor**2))

    def _improved(
        self, start: Gram, penalty: float, settings: dict[str, Any], callback: Callback | None
    ) -> Result:
        """Minimise in the factor, with parabolas of shrinking width in place of the kinks."""
        factor, width = start, _FIRST_WIDTH
        history: list[float] = []
        while True:
            rounded = GramObjective(self._comparisons, rounded_hinge, [width, self._nu])

            def penalised(factor: Gram, rounded: GramObjective = rounded) -> tuple[float, Gram]:
                value, gradient = rounded(factor @ factor.T)
                value += penalty * float(np.sum(factor**2))
                return value, 2.0 * (gradient @ factor + penalty * factor)

            smooth = lbfgs(
                penalised,
                factor,
                max_iter=settings["max_iter"],
                tol=0.1 * settings["tol"],
                floor=0.1 * settings["floor"],
                callback=callback,
            )
            factor = smooth.points
            value = self._value(factor, penalty)
            history += [*smooth.history[1:-1], value]
            close = value - smooth.value <= settings["tol"] * value or value <= settings["floor"]
            if close or not smooth.converged or width < _LEAST_WIDTH:
                converged = bool(close and smooth.converged)
                return Result(factor, value, np.array(history), converged)
            width *= _NARROWER


def rounded_hinge(
    near: Vector, far: Vector, width: float, nu: float = 0.0
) -> tuple[Vector, Vector, Vector]:
    """Return a two-sided hinge with a parabola for its kink, and its derivatives.

    The slope rises from −ν to 1 over `width`; the loss is at most width / 2 lower, as ν ≤ 1.
    """
    slack = 1.0 + near - far
    slope = np.clip(slack / width, -nu, 1.0)
    loss: Vector = slope * (slack - 0.5 * width * slope)
    return loss, slope, -slope


def _padded(factor: Gram, n_columns: int) -> Gram:
    padded = np.zeros((len(factor), n_columns))
    padded[:, : factor.shape[1]] = factor
    return padded

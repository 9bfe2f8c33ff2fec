"""Alternating directions for convex losses of margins over positive semidefinite matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate.gram.objective import Gram, MarginOperator, Vector

Proximal: TypeAlias = Callable[[Vector, float], Vector]
"""Takes slacks u and a step s, returns argmin over e of s Σ loss(e) + ½ |e − u|²."""
Progress: TypeAlias = Callable[[int, float, Gram], object]
"""Called after each iteration with its number, the larger residual and the matrix; True stops."""
Certificate: TypeAlias = Callable[[Gram, Vector], bool]
"""Takes the matrix and the multipliers of the margins; tells whether they prove optimality."""

_RELAXATION = 1.6
_BALANCE = 10.0
"""How many times larger one residual may be before the step is changed in its favour."""
_REBALANCE = 25
"""Iterations between changes of the step; a step that keeps changing prevents convergence."""
_CERTIFY = 10
"""Iterations between looks at a certificate, which may cost as much as an iteration."""


@dataclass(frozen=True)
class ADMMResult:
    """Where the iteration ended."""

    gram: Gram
    slack_dual: Vector
    gram_dual: Gram
    step: float
    residuals: NDArray[np.float64]
    converged: bool


def admm(
    operator: MarginOperator,
    proximal: Proximal,
    *,
    margin: float,
    penalty: float,
    max_iter: int,
    tol: float,
    start: ADMMResult | None = None,
    certificate: Certificate | None = None,
    callback: Progress | None = None,
) -> ADMMResult:
    """Minimise Σ loss(margin − ⟨A_t, G⟩) + penalty · tr G over positive semidefinite G.

    Two blocks, so that convergence is a theorem: slacks e = margin − A(G) and a copy S = G, which
    separate, and then G, a least-squares problem with the same matrix I + A'A each time. The
    nuclear norm and the cone share one eigendecomposition, as they agree on the cone.
    """
    start = start if start is not None else _at_zero(operator)
    gram, step = start.gram, start.step
    slack_dual, gram_dual = start.slack_dual / step, start.gram_dual / step
    slack_of_gram = margin - operator.margins(gram)
    multipliers = np.zeros_like(slack_dual)
    residuals: list[tuple[float, float]] = []
    converged = False
    diagonal = np.arange(operator.n_objects)
    copy: Gram = gram
    rank: int | None = None
    for iteration in range(1, max_iter + 1):
        slack = proximal(slack_of_gram - slack_dual, 1.0 / step)
        shifted = gram + gram_dual
        shifted[diagonal, diagonal] -= penalty / step
        root = operator.psd_factor(shifted, expected=rank)
        copy, rank = root @ root.T, root.shape[1]

        relaxed_slack = _RELAXATION * slack + (1.0 - _RELAXATION) * slack_of_gram
        relaxed_copy = _RELAXATION * copy + (1.0 - _RELAXATION) * gram
        target = relaxed_copy - gram_dual
        missing = margin - relaxed_slack - slack_dual - operator.margins(target)
        tightest = 1e-3 * min(residuals[-1]) if residuals else 1e-6
        multipliers = operator.solve_normal(missing, multipliers, tol=max(tightest, 1e-12))
        operator.add_adjoint(target, multipliers)
        change, gram = target - gram, target
        previous_slack, slack_of_gram = slack_of_gram, margin - operator.margins(gram)
        slack_dual = slack_dual + relaxed_slack - slack_of_gram
        gram_dual = gram_dual + gram - relaxed_copy

        primal = _norm(slack - slack_of_gram, gram - copy) / _norm(slack, copy, margin)
        dual = _norm(slack_of_gram - previous_slack, change) / _norm(slack_dual, gram_dual)
        residuals.append((primal, dual))
        stopped = callback is not None and callback(iteration, max(primal, dual), copy)
        converged = bool(max(primal, dual) <= tol)
        if certificate is not None and iteration % _CERTIFY == 0:
            converged = converged or certificate(copy, slack_dual * step)
        if converged or stopped:
            break
        if iteration % _REBALANCE == 0 and not 1 / _BALANCE < primal / dual < _BALANCE:
            factor = 2.0 if primal > dual else 0.5
            step *= factor
            slack_dual, gram_dual = slack_dual / factor, gram_dual / factor
    return ADMMResult(
        copy, slack_dual * step, gram_dual * step, step, np.array(residuals), converged
    )


def _at_zero(operator: MarginOperator) -> ADMMResult:
    n, m = operator.n_objects, operator.n_comparisons
    return ADMMResult(np.zeros((n, n)), np.zeros(m), np.zeros((n, n)), 1.0, np.empty((0, 2)), False)


def _norm(*parts: Vector | Gram | float) -> float:
    return float(np.sqrt(sum(np.sum(np.square(part)) for part in parts))) + np.finfo(float).tiny

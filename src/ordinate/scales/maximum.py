"""The most probable parameters: Newton's method, with the curvature at the maximum factored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh_tridiagonal
from scipy.linalg.lapack import dpotri
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import LinearOperator, cg

from ordinate._arguments import argument
from ordinate._arrays import Floats
from ordinate._checks import InputError
from ordinate.scales.likelihood import USUAL_LAPSE, Blocks, Objective

SLOPE_SPREAD = 0.5
"""Standard deviation of the logarithms of judges' slopes to begin with."""
_SOLVED = 1e-4
"""How closely the equations of many items are solved; the next Newton step corrects the rest."""
_N_PROBES, _LANCZOS_STEPS = 8, 30
_MOST_STEPS = 100
_FIRST_LENGTH = 2 / 3
"""Full steps of the Gaussian approximation overshoot, and return."""
_SETTLED = 1e-7
"""Free energy by which a step of the Gaussian approximation must lower it to go on."""


class Prior(NamedTuple):
    """Standard deviations of scores and of log slopes; None for no prior on scores.

    With finite degrees of freedom the prior of a score is Student's t: a Gaussian whose precision
    has a weight for each item, small for outlying ones.
    """

    scores: float | None
    slopes: float = SLOPE_SPREAD
    df: float = np.inf
    weights: Floats | float = 1.0

    def precision(self, blocks: Blocks) -> Floats:
        """Return one over the variance of each parameter."""
        found = np.zeros(blocks.size)
        if self.scores is not None:
            found[blocks.scores] = self.weights / self.scores**2
            found[blocks.coefficients] = 1e-6
        found[blocks.slopes] = self.slopes**-2
        found[blocks.lapse] = USUAL_LAPSE[1] ** -2
        return found

    def reweighted(self, squares: Floats) -> Prior:
        """Return the prior with weights that follow from the mean squares of the scores."""
        if np.isinf(self.df):
            return self
        assert self.scores is not None
        return self._replace(weights=(self.df + 1) / (self.df + squares / self.scores**2))

    def log_density(self, squares: Floats) -> Floats:
        """Return the log density of scores by their squares, but for a constant."""
        assert self.scores is not None
        square = squares / self.scores**2
        if np.isinf(self.df):
            return np.asarray(-0.5 * square)
        return np.asarray(-0.5 * (self.df + 1) * np.log1p(square / self.df))

    def mean(self, blocks: Blocks) -> Floats:
        """Return the mean of each parameter."""
        found = np.zeros(blocks.size)
        found[blocks.lapse] = USUAL_LAPSE[0]
        return found


class Factored(NamedTuple):
    """What a factored curvature gives."""

    solve: Callable[[Floats], Floats]
    log_determinant: Callable[[], float]
    inverse: Callable[[], Floats]


@dataclass(frozen=True)
class Maximum:
    """The most probable parameters, and what factors the curvature there."""

    at: Floats
    value: float
    """Minus the log posterior there."""
    prior: Prior
    precision: Floats
    solve: Callable[[Floats], Floats]
    log_determinant: Callable[[], float]
    inverse: Callable[[], Floats]


def maximize(
    objective: Objective, prior: Prior, start: Floats, tolerance: float = 1e-11
) -> Maximum:
    """Find the most probable parameters by Newton's method."""
    blocks = objective.blocks
    precision = prior.precision(blocks)
    mean = prior.mean(blocks)
    factor = _iterative_factor if objective.is_large else dense_factor

    def evaluated(at: Floats) -> tuple[float, Floats, Any]:
        """Return value, gradient and curvature with the prior, whose curvature is left out."""
        value, gradient, hessian = objective.derivatives(at)
        away = at - mean
        return value + 0.5 * float(precision @ away**2), gradient + precision * away, hessian

    at = start.copy()
    at[blocks.scores] -= at[blocks.scores].mean()
    total = max(float(objective.counts.counts.sum()), 1.0)
    if objective.stages is not None:
        total += float(objective.stages.weight.sum())
    value, gradient, hessian = evaluated(at)
    done = False
    for _ in range(_MOST_STEPS):
        factored = factor(hessian, precision, blocks.scores)
        hessian = None  # as large as its factor: room for the next one
        if done:
            return Maximum(at, value, prior, precision, *factored)
        step = -factored.solve(gradient)
        decrement = -float(gradient @ step)
        step *= min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-300))
        if np.isinf(prior.df):
            step[blocks.scores] -= step[blocks.scores].mean()  # scores are known up to a shift
        length, before = 1.0, value
        while True:
            value, gradient, hessian = evaluated(at + length * step)
            if value <= before - 1e-4 * length * decrement + 1e-11 * abs(before) or length < 1e-6:
                break
            length /= 2
        at = at + length * step
        done = decrement < tolerance * total
    remedy = f"use a prior ({argument('prior', 'auto')})"
    if prior.scores is not None:
        smaller = argument("prior", float(f"{prior.scores / 2:.1g}"))
        remedy = "leave the lapse rate out" if objective.lapse else f"use {smaller}"
    raise InputError(f"The scores did not converge in {_MOST_STEPS} steps; {remedy}.")


def gaussian_approximation(objective: Objective, found: Maximum) -> Maximum:
    """Move from the mode to the Gaussian nearest to the posterior (Opper and Archambeau 2009).

    Where answers are few the posterior is skewed: an item that won all of them may be far ahead.
    Derivatives are therefore averaged over what is likely, instead of taken at the mode. Every
    step lowers the free energy, so the end is never worse than the mode with its curvature.
    """
    precision = found.prior.precision(objective.blocks)
    here = _Gaussian(objective, precision, found.at, objective.row_curves(found.at))
    for _ in range(_MOST_STEPS):
        step = -here.factored.solve(here.gradient)
        decrement, length = -float(here.gradient @ step), _FIRST_LENGTH
        while True:
            curves = here.curves + length * (here.mean_curves - here.curves)
            new = _Gaussian(objective, precision, here.at + length * step, curves)
            if new.energy < here.energy or length < 1e-6:
                break
            length /= 2
        gain = here.energy - new.energy
        if gain > 0:
            here = new
        if gain < _SETTLED and decrement < _SETTLED:
            break
    return replace(
        found,
        at=here.at,
        precision=precision,
        **here.factored._asdict(),
    )


class _Gaussian:
    """A Gaussian posterior: its free energy, and what would lower it.

    Scores, coefficients and effects are uncertain; ties and lapses, which do not enter linearly,
    are taken at their mean. `curves` are second derivatives of rows, which give the precision.
    """

    def __init__(self, objective: Objective, precision: Floats, at: Floats, curves: Floats) -> None:
        self.at, self.curves = at, curves
        blocks = objective.blocks
        hessian = objective.by_counting(np.zeros(curves.shape[1:]), curves)[1]
        linear = np.r_[blocks.scores, blocks.coefficients, blocks.effects]
        of_linear = self.factored = dense_factor(
            hessian[np.ix_(linear, linear)], precision[linear], blocks.scores
        )
        if len(linear) < blocks.size:
            self.factored = dense_factor(hessian, precision, blocks.scores)
        covariance = of_linear.inverse()
        away = at - Prior(None).mean(blocks)
        value, slopes, self.mean_curves = objective.mean_derivatives(
            at, objective.row_variances(covariance)
        )
        self.energy = value + 0.5 * float(
            precision @ away**2
            + precision[linear] @ np.diag(covariance)
            + of_linear.log_determinant()
        )
        self.gradient = objective.by_counting(slopes, curves)[0] + precision * away


def dense_factor(hessian: Any, precision: Floats, scores: slice) -> Factored:
    """Return what solves with the curvature of the posterior, its log determinant and inverse."""
    matrix = hessian if isinstance(hessian, np.ndarray) else hessian.toarray()
    diagonal = np.einsum("ii->i", matrix)
    diagonal += precision
    n = scores.stop
    if not precision[scores].any():
        matrix[scores, scores] += 1 / n  # scores are known up to a shift: hold their mean
    damping = 0.0
    while True:
        try:
            factor = cho_factor(matrix, lower=True)
            break
        except LinAlgError:
            more = max(damping, 1e-6 * float(np.abs(diagonal).max()))
            if more > 1e12:
                raise
            diagonal += more
            damping += more

    def inverse() -> Floats:
        found: Floats = dpotri(factor[0], lower=True)[0]  # a third of the work of solving
        for row in range(len(found)):
            found[row, row + 1 :] = found[row + 1 :, row]
        return found

    return Factored(
        lambda vector: cho_solve(factor, vector),
        lambda: 2 * float(np.log(np.diag(factor[0])).sum()),
        inverse,
    )


def _iterative_factor(hessian: csr_array, precision: Floats, scores: slice) -> Factored:
    matrix = csr_array(hessian + diags_array(precision))
    diagonal = np.maximum(matrix.diagonal(), 1e-12)
    scale = LinearOperator(matrix.shape, matvec=lambda vector: vector / diagonal)

    def solve(vector: Floats) -> Floats:
        found: Floats = cg(matrix, vector, rtol=_SOLVED, maxiter=2_000, M=scale)[0]
        return found

    return Factored(solve, lambda: _log_determinant(matrix), lambda: solve(np.eye(matrix.shape[0])))


def _log_determinant(matrix: csr_array) -> float:
    """Estimate a log determinant by Lanczos quadrature, with the same probes every time."""
    rng, n = np.random.default_rng(0), matrix.shape[0]
    total = 0.0
    for _ in range(_N_PROBES):
        vector = rng.choice([-1.0, 1.0], n) / np.sqrt(n)
        before, beta = np.zeros(n), 0.0
        basis, diagonal, beside = [vector], [], []
        for _ in range(_LANCZOS_STEPS):
            moved = matrix @ vector - beta * before
            diagonal.append(float(moved @ vector))
            moved -= diagonal[-1] * vector
            known = np.array(basis)
            moved -= known.T @ (known @ moved)  # rounding would bring known directions back
            beta = float(np.linalg.norm(moved))
            if beta < 1e-10:
                break
            before, vector = vector, moved / beta
            basis.append(vector)
            beside.append(beta)
        values, vectors = eigh_tridiagonal(diagonal, beside[: len(diagonal) - 1])
        total += float(vectors[0] ** 2 @ np.log(np.maximum(values, 1e-300)))
    return n * total / _N_PROBES

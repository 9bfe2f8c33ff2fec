"""Scores from counts: Newton's method, the size of the prior, and the curvature at the maximum.

Scores have a Gaussian prior around 0 whose standard deviation is found by the marginal likelihood
(Laplace's approximation). Where that leaves the standard deviation open, as with few items, scores
and covariance are means over it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh_tridiagonal
from scipy.optimize import minimize_scalar
from scipy.sparse import block_diag, bmat, coo_array, csr_array, diags_array, hstack
from scipy.sparse.linalg import LinearOperator, cg

from ordinate._arguments import argument
from ordinate._arrays import Floats
from ordinate._checks import InputError
from ordinate.scales.outcomes import (
    AnswerModel,
)
from ordinate.scales.pairs import PairCounts

MOST_DENSE = 3_000
"""Problems with more parameters are solved without writing their covariance out."""
_N_DRAWS = 30
"""Draws of the posterior from which the errors of many items are estimated."""
_SOLVED = 1e-4
"""How closely the equations of many items are solved; the next Newton step corrects the rest."""
_N_PROBES, _LANCZOS_STEPS = 8, 30
_MOST_STEPS = 100
_ROWS_AT_ONCE = 2**13
"""Derivatives of so many rows stay in the processor's cache."""
_FEW_ANSWERS, _AVERAGED_STEPS = 50, 8
"""With fewer answers per item than this, the posterior is no Gaussian around its mode."""
_USUAL_SPREAD = 1.5, 1.0
"""Scores of usual studies have about this standard deviation, give or take a factor of e."""
_SPREADS = 0.02, 50.0
_KNOWN_SPREAD = 0.1
"""Standard error of the log spread below which it is taken as known. With few answers per item even
a small error of it stretches or shrinks all scores alike."""
_LAPSE = -3.5, 1.2
"""Prior mean and standard deviation of the logit of the lapse rate: 3 %, seldom above 25 %."""
_CENTRE = 100.0
"""How strongly the logarithms of the slopes are held to a sum of 0."""
_SLOPE_SPREAD = 0.5
"""Standard deviation of the logarithms of judges' slopes to begin with."""


class Blocks(NamedTuple):
    """Where the parameters stand: scores, coefficients, log slopes, ties, side, lapse."""

    scores: slice
    coefficients: slice
    slopes: slice
    tie: slice
    side: slice
    lapse: slice

    @property
    def size(self) -> int:
        """How many parameters there are."""
        return int(self.lapse.stop)


@dataclass(frozen=True)
class Objective:
    """Minus the log likelihood of counts."""

    counts: PairCounts
    answers: AnswerModel
    side: bool = False
    lapse: bool = False
    n_judges: int = 0
    """How many judges have a slope of their own; 0 if all have the same."""
    covariates: Floats = field(default_factory=lambda: np.empty((0, 0)))

    def of(self, counts: PairCounts) -> Objective:
        """Return the same likelihood of other counts."""
        return replace(self, counts=counts)

    @cached_property
    def blocks(self) -> Blocks:
        """Where the parameters stand."""
        sizes = (
            self.counts.n_objects,
            self.covariates.shape[1],
            self.n_judges,
            int(self.answers.has_ties),
            int(self.side),
            int(self.lapse),
        )
        ends = np.cumsum(sizes).tolist()
        return Blocks(*(slice(e - s, e) for s, e in zip(sizes, ends, strict=True)))

    def start(self) -> Floats:
        """Return where to begin: all items alike."""
        found = np.zeros(self.blocks.size)
        found[self.blocks.tie] = self.answers.tie_start
        found[self.blocks.lapse] = _LAPSE[0]
        return found

    @cached_property
    def _differences(self) -> csr_array:
        """Matrix that turns scores and coefficients into differences of scores."""
        n_rows, n = len(self.counts.first), self.counts.n_objects
        rows = np.tile(np.arange(n_rows), 2)
        ends = np.concatenate([self.counts.first, self.counts.second])
        signs = np.repeat([1.0, -1.0], n_rows)
        matrix = csr_array(coo_array((signs, (rows, ends)), shape=(n_rows, n)))
        if not self.covariates.size:
            return matrix
        return csr_array(hstack([matrix, csr_array(matrix @ self.covariates)]))

    def distances(self, at: Floats) -> tuple[Floats, Floats, Floats]:
        """Return how far the first is ahead as each judge feels it, the slope, and the gap."""
        blocks = self.blocks
        gap = self._differences @ at[: blocks.coefficients.stop]
        slope = np.ones(len(gap))
        if self.n_judges and self.counts.judge is not None:
            slope = np.exp(at[blocks.slopes])[self.counts.judge]
        ahead = slope * gap + (at[blocks.side].item() if self.side else 0.0)
        return ahead, slope, gap

    def log_chances(self, at: Floats, shift: Floats | float = 0.0) -> tuple[Floats, Floats, Floats]:
        """Return the logarithms of the chances of the outcomes with two derivatives.

        `shift` is added to how far the first is ahead.
        """
        ahead, tie, lapse = self._parameters(at)
        return self.answers.log_chances(ahead + shift, tie, lapse)

    def _parameters(self, at: Floats) -> tuple[Floats, float, float | None]:
        """Return what decides how likely outcomes are: d of each row, t and the lapse's logit."""
        tie = at[self.blocks.tie].item() if self.answers.has_ties else 0.0
        lapse = at[self.blocks.lapse].item() if self.lapse else None
        return self.distances(at)[0], tie, lapse

    def value(self, at: Floats) -> float:
        """Return minus the log likelihood."""
        return -float((self.counts.counts * self.log_chances(at)[0]).sum()) + self._uncentred(at)

    def _uncentred(self, at: Floats) -> float:
        """Return a penalty that holds the geometric mean of the slopes at 1: scores have a unit."""
        return 0.5 * _CENTRE * float(at[self.blocks.slopes].sum()) ** 2

    def _jacobians(self, at: Floats) -> list[csr_array]:
        """Return derivatives of d, t and the lapse's logit of each row in all parameters."""
        blocks, n_rows = self.blocks, len(self.counts.first)
        _, slope, gap = self.distances(at)
        scaled = self._differences.multiply(slope[:, None]) if self.n_judges else self._differences
        parts = [scaled]
        if self.n_judges and self.counts.judge is not None:
            shape = (n_rows, self.n_judges)
            places = (np.arange(n_rows), self.counts.judge)
            parts.append(coo_array((slope * gap, places), shape=shape))
        column = np.ones((n_rows, 1))
        empty = [csr_array((n_rows, block.stop - block.start)) for block in blocks[3:6]]
        found = []
        for output in range(3):
            # d moves with the side, t with the tie parameter, the last with the lapse
            moved = (1, 0, 2)[output]
            tail = [
                csr_array(column) if at_ == moved and block.stop > block.start else nothing
                for at_, (block, nothing) in enumerate(zip(blocks[3:6], empty, strict=True))
            ]
            head = parts if output == 0 else [csr_array((n_rows, blocks.tie.start))]
            found.append(csr_array(hstack([*head, *tail])))
        return found

    def row_slopes(self, at: Floats) -> csr_array:
        """Gradient of minus the log likelihood of each row, shape (n_rows, n_parameters)."""
        slopes = -(self.counts.counts[:, None] * self.log_chances(at)[1]).sum(axis=0)
        jacobians = self._jacobians(at)
        return csr_array(
            sum(j.multiply(s[:, None]) for j, s in zip(jacobians, slopes, strict=True))
        )

    def derivatives(self, at: Floats) -> tuple[float, Floats, Any]:
        """Return minus the log likelihood, its gradient and its matrix of second derivatives."""
        value, slopes, curves = self._summed(at)
        if self.n_judges:
            gradient, hessian = self._with_judges(at, slopes, curves)
        else:
            gradient, hessian = self._by_counting(slopes, curves)
        return value + self._uncentred(at), gradient, hessian

    def _summed(self, at: Floats) -> tuple[float, Floats, Floats]:
        """Return minus the log likelihood, and two derivatives row by row in d, t and the lapse."""
        ahead, tie, lapse = self._parameters(at)
        value, slopes, curves = 0.0, np.empty((3, len(ahead))), np.empty((3, 3, len(ahead)))
        for begin in range(0, len(ahead), _ROWS_AT_ONCE):
            rows = slice(begin, begin + _ROWS_AT_ONCE)
            counts = self.counts.counts[:, rows]
            logs, one, two = self.answers.log_chances(ahead[rows], tie, lapse)
            value -= float((counts * logs).sum())
            slopes[:, rows] = -(counts[:, None] * one).sum(axis=0)
            curves[:, :, rows] = -(counts[:, None, None] * two).sum(axis=0)
        return value, slopes, curves

    def _by_counting(self, slopes: Floats, curves: Floats) -> tuple[Floats, Any]:
        """Return gradient and second derivatives, without judges; sparse ones for many items."""
        n, blocks = self.counts.n_objects, self.blocks
        first, second = self.counts.first, self.counts.second

        def per_item(values: Floats) -> Floats:
            of_second = np.bincount(second, values, n)
            return np.asarray(np.bincount(first, values, n) - of_second, dtype=float)

        gradient, edge = np.zeros(blocks.size), np.zeros((blocks.size, blocks.size - n))
        gradient[:n] = per_item(slopes[0])
        moved = ((0, blocks.side), (1, blocks.tie), (2, blocks.lapse))
        extras = [(output, block.start) for output, block in moved if block.stop > block.start]
        for output, place in extras:
            gradient[place] = slopes[output].sum()
            edge[:n, place - n] = per_item(curves[0, output])
            for other, also in extras:
                edge[also, place - n] = curves[output, other].sum()
        if blocks.size > MOST_DENSE:
            items = _laplacian(first, second, curves[0, 0], n)
            parts: Any = [[items, edge[:n]], [edge[:n].T, edge[n:]]]
            return gradient, csr_array(bmat(parts))
        hessian = np.zeros((blocks.size, blocks.size))
        between = np.bincount(first * n + second, curves[0, 0], n * n).reshape(n, n)
        between = between + between.T
        hessian[:n, :n] = np.diag(between.sum(axis=1)) - between
        hessian[:, n:], hessian[n:, :n] = edge, edge[:n].T
        if self.covariates.size:
            at_, z = blocks.coefficients, self.covariates
            gradient[at_] = z.T @ gradient[:n]
            hessian[at_] = z.T @ hessian[:n]
            hessian[:, at_] = hessian[:, :n] @ z
        return gradient, hessian

    def _with_judges(self, at: Floats, slopes: Floats, curves: Floats) -> tuple[Floats, csr_array]:
        """Return gradient and second derivatives where judges have slopes."""
        jacobians = self._jacobians(at)
        gradient = np.asarray(sum(j.T @ s for j, s in zip(jacobians, slopes, strict=True)))
        hessian = csr_array((len(at), len(at)))
        for one, left in enumerate(jacobians):
            for other, right in enumerate(jacobians):
                if curves[one, other].any():
                    hessian = hessian + left.T @ (right.multiply(curves[one, other][:, None]))
        hessian = hessian + self._slope_terms(at, slopes[0])
        gradient[self.blocks.slopes] += _CENTRE * at[self.blocks.slopes].sum()
        return gradient, csr_array(hessian)

    def _slope_terms(self, at: Floats, push: Floats) -> csr_array:
        """Second derivatives of d itself, which slopes bend."""
        assert self.counts.judge is not None
        _, slope, gap = self.distances(at)
        n_rows, blocks = len(gap), self.blocks
        places = (np.arange(n_rows), self.counts.judge)
        judges = csr_array(coo_array((np.ones(n_rows), places), shape=(n_rows, self.n_judges)))
        scaled: Any = judges.multiply((push * slope)[:, None])
        cross: Any = self._differences.T @ scaled
        own: Any = np.diag(np.asarray(judges.T @ (push * slope * gap))) + _CENTRE
        rest = csr_array((blocks.size - blocks.slopes.stop,) * 2)
        return csr_array(block_diag([bmat([[None, cross], [cross.T, own]]), rest]))


def _laplacian(
    first: NDArray[np.intp], second: NDArray[np.intp], weights: Floats, n: int
) -> csr_array:
    """Return the matrix whose quadratic form sums weighted squares of differences of scores."""
    total = np.bincount(first, weights, n) + np.bincount(second, weights, n)
    ends = (np.concatenate([first, second]), np.concatenate([second, first]))
    between = coo_array((np.concatenate([weights, weights]), ends), shape=(n, n))
    return csr_array(diags_array(total) - csr_array(between))


class Prior(NamedTuple):
    """Standard deviations of scores and of log slopes; None for no prior on scores."""

    scores: float | None
    slopes: float = _SLOPE_SPREAD

    def precision(self, blocks: Blocks) -> Floats:
        """Return one over the variance of each parameter."""
        found = np.zeros(blocks.size)
        if self.scores is not None:
            found[blocks.scores] = self.scores**-2
            found[blocks.coefficients] = 1e-6
        found[blocks.slopes] = self.slopes**-2
        found[blocks.lapse] = _LAPSE[1] ** -2
        return found

    def mean(self, blocks: Blocks) -> Floats:
        """Return the mean of each parameter."""
        found = np.zeros(blocks.size)
        found[blocks.lapse] = _LAPSE[0]
        return found


@dataclass(frozen=True)
class Maximum:
    """The most probable parameters, and what factors the curvature there."""

    at: Floats
    value: float
    """Minus the log posterior there."""
    precision: Floats
    solve: Callable[[Floats], Floats]
    log_determinant: Callable[[], float]


def maximize(
    objective: Objective, prior: Prior, start: Floats, tolerance: float = 1e-11
) -> Maximum:
    """Find the most probable parameters by Newton's method."""
    blocks = objective.blocks
    precision = prior.precision(blocks)
    mean = prior.mean(blocks)
    factor = dense_factor if blocks.size <= MOST_DENSE else _iterative_factor

    def evaluated(at: Floats) -> tuple[float, Floats, Any]:
        """Return value, gradient and curvature with the prior, whose curvature is left out."""
        value, gradient, hessian = objective.derivatives(at)
        away = at - mean
        return value + 0.5 * float(precision @ away**2), gradient + precision * away, hessian

    at = start.copy()
    at[blocks.scores] -= at[blocks.scores].mean()
    total = max(float(objective.counts.counts.sum()), 1.0)
    value, gradient, hessian = evaluated(at)
    done = False
    for _ in range(_MOST_STEPS):
        solve, log_determinant = factor(hessian, precision, blocks.scores)
        if done:
            return Maximum(at, value, precision, solve, log_determinant)
        step = -solve(gradient)
        decrement = -float(gradient @ step)
        step *= min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-300))
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
        remedy = "leave the lapse rate out" if objective.lapse else "give a smaller prior"
    raise InputError(f"The scores did not converge in {_MOST_STEPS} steps; {remedy}.")


def average_out(objective: Objective, found: Maximum) -> Maximum:
    """Move from the mode to the Gaussian nearest to the posterior (Opper and Archambeau 2009).

    Where answers are few the posterior is skewed: an item that won all of them may be far ahead.
    Derivatives are therefore averaged over what is likely, instead of taken at the mode.
    """
    counts, blocks = objective.counts.counts, objective.blocks
    mean = Prior(None).mean(blocks)
    nodes, weights = np.polynomial.hermite_e.hermegauss(9)
    weights = weights / weights.sum()
    end = blocks.coefficients.stop
    at, solve, log_determinant = found.at, found.solve, found.log_determinant
    for _ in range(_AVERAGED_STEPS):
        covariance = solve(np.eye(blocks.size))[:end, :end]
        reach = objective._differences @ covariance
        spread = np.sqrt(np.asarray(objective._differences.multiply(reach).sum(axis=1)).ravel())
        slopes, curves = np.zeros((3, len(spread))), np.zeros((3, 3, len(spread)))
        for node, weight in zip(nodes, weights, strict=True):
            _, one, two = objective.log_chances(at, node * spread)
            slopes = slopes - weight * (counts[:, None] * one).sum(axis=0)
            curves = curves - weight * (counts[:, None, None] * two).sum(axis=0)
        gradient, hessian = objective._by_counting(slopes, curves)
        gradient = gradient + found.precision * (at - mean)
        solve, log_determinant = dense_factor(hessian, found.precision, blocks.scores)
        at = at - solve(gradient)
    return Maximum(at, found.value, found.precision, solve, log_determinant)


def dense_factor(
    hessian: Any, precision: Floats, scores: slice
) -> tuple[Callable[[Floats], Floats], Callable[[], float]]:
    """Return what solves with the curvature of the posterior, and its log determinant."""
    matrix = hessian if isinstance(hessian, np.ndarray) else hessian.toarray()
    matrix.flat[:: len(matrix) + 1] += precision
    n = scores.stop
    if not precision[scores].any():
        matrix[scores, scores] += 1 / n  # scores are known up to a shift: hold their mean
    damping = 0.0
    while True:
        try:
            factor = cho_factor(matrix + damping * np.eye(len(matrix)), lower=True)
            break
        except LinAlgError:
            damping = max(2 * damping, 1e-6 * float(np.abs(np.diag(matrix)).max()))
            if damping > 1e12:
                raise
    return (
        lambda vector: cho_solve(factor, vector),
        lambda: 2 * float(np.log(np.diag(factor[0])).sum()),
    )


def _iterative_factor(
    hessian: csr_array, precision: Floats, scores: slice
) -> tuple[Callable[[Floats], Floats], Callable[[], float]]:
    matrix = csr_array(hessian + diags_array(precision))
    diagonal = np.maximum(matrix.diagonal(), 1e-12)
    scale = LinearOperator(matrix.shape, matvec=lambda vector: vector / diagonal)

    def solve(vector: Floats) -> Floats:
        found: Floats = cg(matrix, vector, rtol=_SOLVED, maxiter=2_000, M=scale)[0]
        return found

    return solve, lambda: _log_determinant(matrix)


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


@dataclass(frozen=True)
class Posterior:
    """Mean and covariance of the parameters; of many, their standard errors alone."""

    mean: Floats
    covariance: Floats | None
    errors: Floats
    """Standard errors of the scores, covariates included."""
    prior: Prior
    log_evidence: float


Meat = Callable[[Floats], Floats]
"""From parameters to the sum over judges of the outer products of their gradients."""


def find_posterior(
    objective: Objective,
    prior: float | str | None,
    meat: Meat | None = None,
    start: Floats | None = None,
) -> Posterior:
    """Return mean and covariance of the parameters, with a prior given, none, or estimated."""
    if objective.blocks.size > MOST_DENSE:
        return _large_posterior(objective, prior)
    if prior != "auto":
        spread = None if prior is None else float(prior)
        best = maximize(objective, Prior(spread), objective.start() if start is None else start)
        return _mixed(objective, [(1.0, Prior(spread), best)], meat, np.nan)
    search = _Search(objective, start)
    search.run()
    return _mixed(objective, search.nodes(), meat, search.best)


class _Search:
    """The standard deviation of the scores by its marginal likelihood."""

    def __init__(self, objective: Objective, start: Floats | None = None) -> None:
        self.objective = objective
        self.slopes = _SLOPE_SPREAD
        self.at = objective.start() if start is None else start
        self.best = -np.inf
        self.spread = _USUAL_SPREAD[0]
        self.gaussian: Callable[[float], float] | None = None

    def evidence(self, log_spread: float) -> tuple[float, Maximum]:
        """Log marginal likelihood with its prior, and the maximum it is computed at."""
        blocks = self.objective.blocks
        prior = Prior(float(np.exp(log_spread)), self.slopes)
        found = maximize(self.objective, prior, self.at)
        self.at = found.at
        n_scores, n_slopes = blocks.scores.stop, blocks.slopes.stop - blocks.slopes.start
        log_prior = -n_scores * log_spread - n_slopes * np.log(self.slopes) - _unusual(log_spread)
        return float(-found.value + log_prior - 0.5 * found.log_determinant()), found

    def run(self) -> None:
        """Find the best standard deviation of scores, and with it that of log slopes."""
        few_enough = self.objective.blocks.size <= MOST_DENSE and not self.objective.n_judges
        if has_many_answers(self.objective) and few_enough:
            self._run_on_gaussian()
            return
        low, high = np.log(_SPREADS).tolist()
        result: Any = minimize_scalar(
            lambda log_spread: -self.evidence(log_spread)[0],
            bounds=(low, high),
            method="bounded",
            options={"xatol": 0.02},
        )
        self.spread, self.best = float(np.exp(result.x)), -float(result.fun)
        if self.objective.n_judges:
            self._update_both()

    def _run_on_gaussian(self) -> None:
        """Find it with the likelihood taken for a Gaussian: of many answers, it is one.

        Then one decomposition gives the marginal likelihood of every standard deviation.
        """
        for _ in range(4):
            self.best, found = self.evidence(np.log(self.spread))
            self.gaussian = _gaussian_evidence(found, self.objective.blocks.scores, self.spread)
            result: Any = minimize_scalar(
                lambda log_spread, value=self.gaussian: -value(log_spread),
                bounds=np.log(_SPREADS).tolist(),
                method="bounded",
            )
            moved = abs(float(result.x) - np.log(self.spread))
            self.spread = float(np.exp(result.x))
            if moved < 0.02:
                return

    def _update_both(self) -> None:
        """Move both standard deviations to those of the parameters, a few times."""
        blocks = self.objective.blocks
        for _ in range(6):
            found = self.evidence(np.log(self.spread))[1]
            variance = np.diag(found.solve(np.eye(blocks.size)))
            spread, slopes = (
                float(np.sqrt((found.at[block] ** 2 + variance[block]).mean()))
                for block in (blocks.scores, blocks.slopes)
            )
            self.spread, self.slopes = spread, max(slopes, 0.05)

    def nodes(self) -> list[tuple[float, Prior, Maximum]]:
        """Return weighted standard deviations of the prior that stand for all likely ones."""
        middle, step = np.log(self.spread), 0.2
        value_of = self.gaussian or (lambda log_spread: self.evidence(log_spread)[0])
        low, centre, high = (value_of(middle + move) for move in (-step, 0.0, step))
        curvature = max((2 * centre - low - high) / step**2, 1.0)
        width = 1 / np.sqrt(curvature)
        if width < (_KNOWN_SPREAD if has_many_answers(self.objective) else _KNOWN_SPREAD / 4):
            at = self.evidence(middle)[1]
            return [(1.0, Prior(self.spread, self.slopes), at)]
        found = []
        for place, weight in ((-np.sqrt(3.0), 1 / 6), (0.0, 2 / 3), (np.sqrt(3.0), 1 / 6)):
            log_spread = middle + place * width
            maximum = self.evidence(log_spread)[1]
            weight *= np.exp(min(value_of(log_spread) - centre + 0.5 * place**2, 5.0))
            found.append((weight, Prior(float(np.exp(log_spread)), self.slopes), maximum))
        return found


def _unusual(log_spread: float) -> float:
    """Return minus the log prior of the logarithm of a standard deviation of scores."""
    return float(0.5 * ((log_spread - np.log(_USUAL_SPREAD[0])) / _USUAL_SPREAD[1]) ** 2)


def has_many_answers(objective: Objective) -> bool:
    """Whether the likelihood is close to a Gaussian."""
    n_answers = objective.counts.counts.sum()
    return bool(n_answers >= _FEW_ANSWERS * objective.counts.n_objects)


def _gaussian_evidence(found: Maximum, scores: slice, spread: float) -> Callable[[float], float]:
    """Return the log marginal likelihood by the logarithm of the spread, but for a constant."""
    n, size = scores.stop, len(found.at)
    inverse = found.solve(np.eye(size)[:, scores])[scores]
    values, vectors = np.linalg.eigh(np.linalg.inv(inverse) - np.eye(n) / spread**2)
    values = np.maximum(values, 0.0)
    # where the likelihood alone has its maximum, times its curvature
    pull = values * (vectors.T @ found.at[scores]) + vectors.T @ found.at[scores] / spread**2

    def evidence(log_spread: float) -> float:
        variance = np.exp(2 * log_spread)
        gain = pull**2 * variance / (1 + values * variance)
        return float(0.5 * (gain - np.log1p(values * variance)).sum()) - _unusual(log_spread)

    return evidence


def _mixed(
    objective: Objective,
    nodes: list[tuple[float, Prior, Maximum]],
    meat: Meat | None,
    evidence: float,
) -> Posterior:
    """Average the Gaussian approximations at the nodes."""
    weights = np.array([weight for weight, _, _ in nodes])
    weights /= weights.sum()
    if (
        not has_many_answers(objective)
        and not objective.n_judges
        and nodes[0][1].scores is not None
    ):
        nodes = [(weight, prior, average_out(objective, at)) for weight, prior, at in nodes]
    points = np.array([found.at for _, _, found in nodes])
    mean = weights @ points
    covariance = (points - mean).T @ ((points - mean) * weights[:, None])
    for weight, (_, _, found) in zip(weights, nodes, strict=True):
        inverse = found.solve(np.eye(len(mean)))
        if meat is not None:
            middle = meat(found.at) + np.diag(found.precision)
            inverse = inverse @ middle @ inverse
        covariance += weight * inverse
    best = nodes[int(np.argmax(weights))][1]
    return Posterior(mean, covariance, score_errors(objective, covariance), best, evidence)


def score_transform(objective: Objective) -> Floats:
    """Return the matrix from parameters to centred scores, covariates included."""
    n, blocks = objective.counts.n_objects, objective.blocks
    matrix = np.zeros((n, blocks.size))
    matrix[:, blocks.scores] = np.eye(n) - 1 / n
    if objective.covariates.size:
        matrix[:, blocks.coefficients] = objective.covariates - objective.covariates.mean(axis=0)
    return matrix


def score_errors(objective: Objective, covariance: Floats) -> Floats:
    """Return the standard errors of centred scores."""
    matrix = score_transform(objective)
    return np.asarray(np.sqrt(np.einsum("ip,pq,iq->i", matrix, covariance, matrix, optimize=True)))


def _large_posterior(objective: Objective, prior: float | str | None) -> Posterior:
    """Find scores of many items by conjugate gradients, their errors by draws of the posterior."""
    blocks = objective.blocks
    if objective.n_judges or objective.covariates.size:
        raise InputError(
            f"Slopes of judges and covariates are fitted up to {MOST_DENSE:,} items and judges;"
            f" there are {blocks.size:,} parameters. Leave them out."
        )
    if prior == "auto":
        search = _Search(objective)
        search.run()
        chosen, start = Prior(search.spread), search.at
    else:
        chosen, start = Prior(None if prior is None else float(prior)), objective.start()
    found = maximize(objective, chosen, start)
    return Posterior(found.at, None, _errors_by_draws(objective, found), chosen, np.nan)


def _errors_by_draws(objective: Objective, found: Maximum) -> Floats:
    """Return standard errors of centred scores, without their covariance.

    A variance is that of a score if all others were known, which is one over its curvature, and
    that of the mean it then has. Only the second, which is small, is estimated by draws.
    """
    n, rng = objective.counts.n_objects, np.random.default_rng(0)
    first, second = objective.counts.first, objective.counts.second
    _, _, curves = objective.log_chances(found.at)
    curve = np.maximum(-(objective.counts.counts * curves[:, 0, 0]).sum(axis=0), 0.0)
    own = np.bincount(first, curve, n) + np.bincount(second, curve, n) + found.precision[:n]
    moved = np.zeros(n)
    for _ in range(_N_DRAWS):
        # the solution of equations with this noise is a draw from the posterior
        noise = np.sqrt(found.precision) * rng.standard_normal(len(found.at))
        push = np.sqrt(curve) * rng.standard_normal(len(curve))
        noise[:n] += np.bincount(first, push, n) - np.bincount(second, push, n)
        mean = found.solve(noise)[:n] - noise[:n] / own
        moved += (mean - mean.mean()) ** 2
    return np.asarray(np.sqrt(1 / own + moved / _N_DRAWS))

"""Mean and covariance of scores, and the size of their prior.

Scores have a Gaussian prior around 0 whose standard deviation is found by the marginal likelihood
(Laplace's approximation). Where that leaves the standard deviation open, as with few items, scores
and covariance are means over it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

from ordinate._arrays import Floats
from ordinate._checks import InputError
from ordinate.scales.likelihood import MOST_DENSE, Objective
from ordinate.scales.marginals import Component, Marginals
from ordinate.scales.maximum import SLOPE_SPREAD, Maximum, Prior, gaussian_approximation, maximize

_N_DRAWS = 30
"""Draws of the posterior from which the errors of many items are estimated."""
_USUAL_SPREAD = 1.2, 4.0
"""Scores of usual studies have about this standard deviation: mode and shape of a gamma prior.
Answers without a contradiction fit any larger one as well; its tail keeps their scores moderate."""
_SPREADS = 0.3, 50.0
"""Chains of answers without a contradiction would be called chance with a smaller one."""
_N_SPREADS = 7
_DF = 2.0
"""Degrees of freedom of a prior with heavy tails, which competes with the Gaussian one."""
_UNLIKELY = 0.01
_REWEIGHTED = 2
_KNOWN_SPREAD = 0.1
"""Standard error of the log spread below which it is taken as known. With few answers per item even
a small error of it stretches or shrinks all scores alike."""


@dataclass(frozen=True)
class Posterior:
    """Mean and covariance of the parameters; of many, their standard errors alone."""

    mean: Floats
    covariance: Floats | None
    errors: Floats
    """Standard errors of the scores, covariates included."""
    prior: Prior
    log_evidence: float
    marginals: Marginals | None = None
    """Distributions of scores and differences; None for many items."""


Meat = Callable[[Floats], Floats]
"""From parameters to the sum over judges of the outer products of their gradients."""


def find_posterior(
    objective: Objective,
    prior: float | str | None,
    meat: Meat | None = None,
    start: Floats | None = None,
) -> Posterior:
    """Return mean and covariance of the parameters, with a prior given, none, or estimated."""
    if objective.is_large:
        return _large_posterior(objective, prior)
    if prior != "auto":
        spread = None if prior is None else float(prior)
        best = maximize(objective, Prior(spread), objective.start() if start is None else start)
        return _mixed(objective, [(1.0, Prior(spread), best)], meat, np.nan)
    searches = [_Search(objective, start, df) for df in _tails(objective)]
    for search in searches:
        search.run()
    nodes = [node for search in searches for node in search.nodes()]
    heaviest = max(log_weight for log_weight, _, _ in nodes)
    nodes = [(np.exp(weight - heaviest), *rest) for weight, *rest in nodes]
    likely = [node for node in nodes if node[0] > _UNLIKELY]
    return _mixed(objective, likely, meat, max(search.best for search in searches))


def _tails(objective: Objective) -> tuple[float, ...]:
    """Return the degrees of freedom of priors that may fit: heavy tails matter with few answers.

    Answers without a contradiction say nothing about tails.
    """
    if objective.is_nearly_gaussian or objective.is_large or objective.n_judges:
        return (np.inf,)
    parts = objective.counts.components(strong=True)
    return (np.inf,) if parts.max() + 1 == len(parts) else (np.inf, _DF)


class _Search:
    """The standard deviation of the scores by its marginal likelihood."""

    def __init__(
        self, objective: Objective, start: Floats | None = None, df: float = np.inf
    ) -> None:
        self.objective, self.df = objective, df
        self.slopes = SLOPE_SPREAD
        self.at = objective.start() if start is None else start
        self.best = -np.inf
        self.spread = _USUAL_SPREAD[0]
        self.gaussian: Callable[[float], float] | None = None
        self.weights: Floats | float = 1.0

    def evidence(self, log_spread: float) -> tuple[float, Maximum]:
        """Log marginal likelihood with its prior, and the maximum it is computed at.

        With a prior of heavy tails it is the lower bound in which weights of the items and their
        scores are independent.
        """
        blocks = self.objective.blocks
        prior = Prior(float(np.exp(log_spread)), self.slopes, self.df, self.weights)
        found = maximize(self.objective, prior, self.at)
        n_scores, n_slopes = blocks.scores.stop, blocks.slopes.stop - blocks.slopes.start
        gain = 0.0
        if np.isfinite(self.df):
            for _ in range(_REWEIGHTED):
                variance = _score_variances(found, blocks.scores)
                squares = found.at[blocks.scores] ** 2 + variance
                prior = prior.reweighted(squares)
                found = maximize(self.objective, prior, found.at, tolerance=1e-8)
            self.weights = prior.weights
            variance = _score_variances(found, blocks.scores)
            own = found.at[blocks.scores] ** 2
            precision = found.precision[blocks.scores]
            gain = float(
                (prior.log_density(own + variance) + 0.5 * precision * (own + variance)).sum()
            )
            gain += n_scores * (
                gammaln((self.df + 1) / 2) - gammaln(self.df / 2) - 0.5 * np.log(self.df / 2)
            )
        self.at = found.at
        log_prior = -n_scores * log_spread - n_slopes * np.log(self.slopes) - _unusual(log_spread)
        return float(-found.value + gain + log_prior - 0.5 * found.log_determinant()), found

    def run(self) -> None:
        """Find the best standard deviation of scores, and with it that of log slopes."""
        objective = self.objective
        if objective.is_nearly_gaussian and not (objective.is_large or objective.n_judges):
            self._run_on_gaussian()
            return
        # chains of answers have two maxima
        grid = np.linspace(np.log(_SPREADS[0]), np.log(_SPREADS[1]), _N_SPREADS)
        best = int(np.argmax([self.evidence(log_spread)[0] for log_spread in grid]))
        result: Any = minimize_scalar(
            lambda log_spread: -self.evidence(log_spread)[0],
            bounds=grid[[max(best - 1, 0), min(best + 1, _N_SPREADS - 1)]].tolist(),
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
            self.gaussian = _gaussian_evidence(self.objective, found, self.spread)
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
            variance = np.diag(found.inverse())
            spread, slopes = (
                float(np.sqrt((found.at[block] ** 2 + variance[block]).mean()))
                for block in (blocks.scores, blocks.slopes)
            )
            self.spread, self.slopes = spread, max(slopes, 0.05)

    def nodes(self) -> list[tuple[float, Prior, Maximum]]:
        """Return standard deviations of the prior that stand for all likely ones.

        Each has the log of its weight, which holds between searches.
        """
        middle, step = np.log(self.spread), 0.2
        value_of = self.gaussian or (lambda log_spread: self.evidence(log_spread)[0])
        low, centre, high = (value_of(middle + move) for move in (-step, 0.0, step))
        curvature = max((2 * centre - low - high) / step**2, 1.0)
        width = 1 / np.sqrt(curvature)
        if width < (_KNOWN_SPREAD if self.objective.is_nearly_gaussian else _KNOWN_SPREAD / 4):
            at = self.evidence(middle)[1]
            return [(centre + np.log(width), at.prior, at)]
        found = []
        for place, weight in ((-np.sqrt(3.0), 1 / 6), (0.0, 2 / 3), (np.sqrt(3.0), 1 / 6)):
            log_spread = float(np.clip(middle + place * width, *np.log(_SPREADS)))
            maximum = self.evidence(log_spread)[1]
            change = min(value_of(log_spread) - centre + 0.5 * place**2, 5.0)
            log_weight = centre + np.log(width * weight) + change
            found.append((log_weight, maximum.prior, maximum))
        return found


def _score_variances(found: Maximum, scores: slice) -> Floats:
    """Return the variances of the scores."""
    return np.diag(found.inverse())[scores]


def _settled(objective: Objective, found: Maximum) -> Maximum:
    """Return the Gaussian approximation, with weights of the prior that follow from it."""
    scores = objective.blocks.scores
    found = gaussian_approximation(objective, found)
    if np.isfinite(found.prior.df):
        for _ in range(_REWEIGHTED):
            squares = found.at[scores] ** 2 + _score_variances(found, scores)
            found = gaussian_approximation(
                objective, replace(found, prior=found.prior.reweighted(squares))
            )
    return found


def _unusual(log_spread: float) -> float:
    """Return minus the log prior of the logarithm of a standard deviation of scores."""
    mode, shape = _USUAL_SPREAD
    return float(shape * (np.exp(log_spread) / mode - log_spread))


def _gaussian_evidence(
    objective: Objective, found: Maximum, spread: float
) -> Callable[[float], float]:
    """Return the log marginal likelihood by the logarithm of the spread, but for a constant."""
    scores, n = objective.blocks.scores, objective.counts.n_objects
    matrix = objective.derivatives(found.at)[2] + np.diag(found.precision)
    information, beside = matrix[:n, :n], matrix[:n, n:]
    if beside.size:  # parameters besides scores follow these
        information = information - beside @ np.linalg.solve(matrix[n:, n:], beside.T)
    np.fill_diagonal(information, np.diag(information) - 1 / spread**2)
    values, vectors = eigh(information, overwrite_a=True, driver="evr")
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
    skewed = not (objective.is_nearly_gaussian or objective.n_judges)
    if skewed and nodes[0][1].scores is not None:
        nodes = [(part, prior, _settled(objective, at)) for part, prior, at in nodes]
    parts = []
    for weight, (_, _, found) in zip(weights, nodes, strict=True):
        inverse = stretched = found.inverse()
        if meat is not None:
            middle = meat(found.at) + np.diag(found.precision)
            stretched = inverse @ middle @ inverse
        parts.append(Component(float(weight), found.at, inverse, stretched, found.prior))
    points = np.array([part.at for part in parts])
    mean, covariance = weights @ points, parts[0].stretched
    if len(parts) > 1:
        covariance = (points - mean).T @ ((points - mean) * weights[:, None])
        covariance += sum(part.weight * part.stretched for part in parts)
    best = nodes[int(np.argmax(weights))][1]
    errors = np.sqrt(np.diag(objective.score_covariance(covariance)))
    marginals = Marginals(objective, parts, skewed=skewed and best.scores is not None)
    return Posterior(mean, covariance, errors, best, evidence, marginals)


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

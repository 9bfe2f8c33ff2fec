"""How people are spread about the map they share, learned from their answers.

The logarithms of a person's weights are M_p = a_p + L_p: a sharpness of all axes together,
a ~ N(0, σ²), and what is each axis' own, L ~ N(0, τ²). Written with z ~ N(0, I), M = B z, where B
has the deviation τ in directions that weigh axes against one another and √(τ² + d σ²) in the one
that they share. The logit of the lapse rate is μ + z.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

from ordinate._arrays import Floats, Points
from ordinate.people.objective import Answers, PeopleObjective

SMALLEST_DEVIATION, _LARGEST_DEVIATION = 1e-3, 3.0
"""Bounds of τ and of the spread of sharpness; logarithms of weights beyond are 0 or endless."""
_FIRST_DEVIATION = 0.5
_FIRST_LAPSE = 0.03
_FIRST_ANSWERS = 4.0
"""As many people's weight has the first guess of the mean lapse rate."""


@dataclass(frozen=True)
class Population:
    """The distribution that the people of a study come from."""

    tau: float = _FIRST_DEVIATION
    shared: float = _FIRST_DEVIATION
    lapse_logit: float = float(logit(_FIRST_LAPSE))
    has_sharpness: bool = True

    @classmethod
    def with_tau(cls, tau: float, dimension: int, *, has_sharpness: bool) -> Population:
        """Return a first guess with this τ, of people who are unlike in sharpness or are not."""
        shared = tau / np.sqrt(dimension)
        if has_sharpness:
            shared = max(shared, _FIRST_DEVIATION)
        return cls(float(tau), float(shared), has_sharpness=has_sharpness)

    def sigma(self, dimension: int) -> float:
        """Return the standard deviation of the logarithm of sharpness."""
        return float(np.sqrt(max(self.shared**2 - self.tau**2 / dimension, 0.0)))

    def log_weights(self, z: Floats) -> Floats:
        """Return B z for every person, of shape (n_people, n_components); it is symmetric."""
        mean = z.mean(axis=1, keepdims=True)
        scaled: Floats = self.tau * (z - mean) + self._shared_scale(z.shape[1]) * mean
        return scaled

    def standardized(self, log_weights: Floats) -> Floats:
        """Return the z of these logarithms of weights; 0 in directions without any spread."""
        mean = log_weights.mean(axis=1, keepdims=True)
        apart, together = self.tau, self._shared_scale(log_weights.shape[1])
        z = np.zeros_like(log_weights)
        if apart > 0:
            z += (log_weights - mean) / apart
        if together > 0:
            z += mean / together
        return z

    def sharpness(self, log_weights: Floats) -> Floats:
        """Return what is expected of a_p, given everybody's M."""
        dimension = log_weights.shape[1]
        part = self.sigma(dimension) ** 2 / max(self.shared**2, 1e-300)
        expected: Floats = part * log_weights.mean(axis=1)
        return expected

    def learned(
        self, z: Floats, lapse_logits: Floats, information: Floats, *, learn_tau: bool
    ) -> Population:
        """Return the population in which these people are most probable.

        MacKay's fixed point of the evidence in Laplace's approximation: a squared deviation is the
        sum of squares divided by how many of the z the answers determine.
        """
        n_people, dimension = z.shape
        basis = np.eye(dimension + 1)
        basis[:dimension, :dimension] = self.log_weights(np.eye(dimension))
        precision = basis @ information @ basis + np.eye(dimension + 1)
        covariance = np.linalg.inv(precision)[:, :dimension, :dimension]
        mean2 = dimension * np.square(z.mean(axis=1))
        mean_variance = covariance.sum(axis=(1, 2)) / dimension
        variance = np.trace(covariance, axis1=1, axis2=2) - mean_variance
        apart = np.square(z).sum() - mean2.sum(), n_people * (dimension - 1) - variance.sum()
        together = mean2.sum(), n_people - mean_variance.sum()
        if not self.has_sharpness:
            apart = apart[0] + together[0], apart[1] + together[1]
        tau = _deviation(self.tau, *apart) if learn_tau else self.tau
        shared = tau / np.sqrt(dimension)
        if self.has_sharpness:
            shared = max(shared, _deviation(self.shared, *together))
        guesses = _FIRST_ANSWERS * float(logit(_FIRST_LAPSE))
        mean_logit = (lapse_logits.sum() + guesses) / (n_people + _FIRST_ANSWERS)
        return replace(self, tau=tau, shared=float(shared), lapse_logit=float(mean_logit))

    def _shared_scale(self, dimension: int) -> float:
        return float(self.shared * np.sqrt(dimension))

    def has_converged(self, before: Population, tolerance: float = 0.03) -> bool:
        """Say whether deviations changed by less than a small share of themselves."""
        return all(
            abs(new - old) <= tolerance * old + SMALLEST_DEVIATION
            for new, old in ((self.tau, before.tau), (self.shared, before.shared))
        )


def _deviation(before: float, sum_of_squares: float, determined: float) -> float:
    after = before * np.sqrt(sum_of_squares / max(determined, 1e-9))
    return float(np.clip(after, SMALLEST_DEVIATION, _LARGEST_DEVIATION))


def fisher_information(
    answers: Answers, people: NDArray[np.intp], counts: Floats | None, n_people: int
) -> Floats:
    """Add up what the answers tell about log weights and lapse logits of those who gave them.

    An answer of probability p = e^−v whose derivative is g tells g gᵀ p / (1 − p) on average over
    both answers to its question.
    """
    odds = 1.0 / np.expm1(np.maximum(answers.value, 1e-12))
    if counts is not None:
        odds = odds * counts
    return sums_of_products(people, n_people, odds, answers.personal)


def sums_of_products(
    people: NDArray[np.intp], n_people: int, weights: Floats, vectors: Floats
) -> Floats:
    """Add up w v vᵀ over the answers of each person."""
    size = vectors.shape[1]
    total = np.empty((n_people, size, size))
    for row in range(size):
        for column in range(row + 1):
            products = weights * vectors[:, row] * vectors[:, column]
            total[:, row, column] = np.bincount(people, products, minlength=n_people)
            total[:, column, row] = total[:, row, column]
    return total


def differences_scores(
    objective: PeopleObjective, points: Points, n_people: int
) -> tuple[float, float]:
    """Test whether people weigh the axes of a pooled map differently, and are unlike in sharpness.

    Score tests of variances that are zero: where everybody has the same weights, squares of
    people's derivatives in their own weights are Fisher's information on average.
    """
    dimension = points.shape[1]
    answers = objective.answers_if_alike(points, n_people)
    counts = objective.comparisons.weights
    information = fisher_information(answers, objective.people, counts, n_people)
    weigh: Floats = np.ones(len(answers.value)) if counts is None else counts
    gradient = np.empty((n_people, dimension))
    for axis in range(dimension):
        of_answers = weigh * answers.personal[:, axis]
        gradient[:, axis] = np.bincount(objective.people, of_answers, minlength=n_people)
    shared = np.full((dimension, dimension), 1.0 / dimension)
    information = information[:, :dimension, :dimension]
    return (
        _excess(gradient, information, np.eye(dimension) - shared),
        _excess(gradient, information, shared),
    )


def _excess(gradient: Floats, information: Floats, projection: Floats) -> float:
    """Return by how many deviations squares of gradients exceed what information expects."""
    expected = projection @ information @ projection
    excess = np.square(gradient @ projection).sum() - np.trace(expected, axis1=1, axis2=2).sum()
    deviation = np.sqrt(2.0 * np.square(expected).sum())
    return float(excess / deviation) if deviation > 0 else 0.0


def lapses_score(costs: Floats, counts: Floats | None) -> float:
    """Test whether some responses were random.

    The likelihood-ratio test of ℓ = 0 in the model ℓ/2 + (1 − ℓ) σ(s m), m the log-odds that the
    fit gives an answer. The sharpness s is free, for a fit without lapses takes them for bluntness.
    """
    odds = -np.log(np.expm1(np.maximum(costs, 1e-12)))
    weigh = np.ones(len(costs)) if counts is None else counts

    def cost(parameters: Floats) -> tuple[float, Floats]:
        sharper = np.exp(parameters[0]) * odds
        lapse = expit(parameters[1]) if len(parameters) > 1 else 0.0
        meant = expit(sharper)
        given = np.maximum(0.5 * lapse + (1.0 - lapse) * meant, 1e-300)
        on_sharpness = (1.0 - lapse) * meant * expit(-sharper) * sharper / given
        on_lapse = lapse * (1.0 - lapse) * (0.5 - meant) / given
        gradient = np.array([-(weigh @ on_sharpness), -(weigh @ on_lapse)])
        return -float(weigh @ np.log(given)), gradient[: len(parameters)]

    def lowest(start: list[float]) -> float:
        bounds = [(-3.0, 3.0), (-12.0, 0.0)][: len(start)]
        found = minimize(cost, start, jac=True, method="L-BFGS-B", bounds=bounds)
        return float(found.fun)

    ratio = lowest([0.0]) - lowest([0.0, float(logit(_FIRST_LAPSE))])
    return float(np.sqrt(2.0 * max(ratio, 0.0)))
